"""The names that readers' code uses, in all four libraries, with the parameters that the book promises."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

# Where the frameworks agree: name -> parameters, a method as "Class.method". As in upstream 1.0.3 for torch and MXNet.
SAME = {
    "add_to_class": "Class",
    "HyperParameters.save_hyperparameters": "self, ignore=[]",
    "Timer": "",
    "Timer.start": "self",
    "Timer.stop": "self",
    "Timer.avg": "self",
    "Timer.sum": "self",
    "Timer.cumsum": "self",
    "Accumulator": "n",
    "Accumulator.add": "self, *args",
    "Accumulator.reset": "self",
    "Accumulator.__getitem__": "self, idx",
    "Animator": (
        "xlabel=None, ylabel=None, legend=None, xlim=None, ylim=None, xscale='linear', yscale='linear', "
        "fmts=('-', 'm--', 'g-.', 'r:'), nrows=1, ncols=1, figsize=(3.5, 2.5)"
    ),
    "Animator.add": "self, x, y",
    "ProgressBoard": (
        "xlabel=None, ylabel=None, xlim=None, ylim=None, xscale='linear', yscale='linear', ls=['-', '--', '-.', ':'], "
        "colors=['C0', 'C1', 'C2', 'C3'], fig=None, axes=None, figsize=(3.5, 2.5), display=True"
    ),
    "ProgressBoard.draw": "self, x, y, label, every_n=1",
    "Module": "plot_train_per_epoch=2, plot_valid_per_epoch=1",
    "Module.loss": "self, y_hat, y",
    "Module.forward": "self, X",
    "Module.plot": "self, key, value, train",
    "Module.training_step": "self, batch",
    "Module.validation_step": "self, batch",
    "Module.configure_optimizers": "self",
    "DataModule": "root='../data', num_workers=4",
    "DataModule.get_dataloader": "self, train",
    "DataModule.train_dataloader": "self",
    "DataModule.val_dataloader": "self",
    "DataModule.get_tensorloader": "self, tensors, train, indices=slice(0, None, None)",
    "Classifier.validation_step": "self, batch",
    "Classifier.accuracy": "self, Y_hat, Y, averaged=True",
    "Classifier.loss": "self, Y_hat, Y, averaged=True",
    "Trainer": "max_epochs, num_gpus=0, gradient_clip_val=0",
    "Trainer.prepare_data": "self, data",
    "Trainer.prepare_model": "self, model",
    "Trainer.prepare_batch": "self, batch",
    "Trainer.fit": "self, model, data",
    "Trainer.fit_epoch": "self",
    "FashionMNIST": "batch_size=64, resize=(28, 28)",
    "FashionMNIST.text_labels": "self, indices",
    "FashionMNIST.get_dataloader": "self, train",
    "FashionMNIST.visualize": "self, batch, nrows=1, ncols=8, labels=[]",
    "load_data_fashion_mnist": "batch_size, resize=None",
    "download": "url, folder='../data', sha1_hash=None",
    "use_svg_display": "",
    "set_figsize": "figsize=(3.5, 2.5)",
    "set_axes": "axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend",
    "plot": (
        "X, Y=None, xlabel=None, ylabel=None, legend=[], xlim=None, ylim=None, xscale='linear', yscale='linear', "
        "fmts=('-', 'm--', 'g-.', 'r:'), figsize=(3.5, 2.5), axes=None"
    ),
    "show_images": "imgs, num_rows, num_cols, titles=None, scale=1.5",
    "accuracy": "y_hat, y",
    "evaluate_accuracy_gpu": "net, data_iter, device=None",
    "split_batch": "X, y, devices",
    "cpu": "",
    "gpu": "i=0",
    "num_gpus": "",
    "try_gpu": "i=0",
    "try_all_gpus": "",
    "devices": "k",
    "budget": "gpu, cpu, devices=None",
    "on_gpus": "devices",
    "link_pair": "",
    "use_float32": "",
    "Benchmark": "description='Done'",
    "Machine.bounds": "self, flops, num_bytes",
    "measure_machine": "devices=None",
    "Comparison": "rows",
    "time_call": "fn, repeats=9",
    "synchronize": "*values",
    "warmup_lr": "step, base_lr, k, warmup_steps",
    "max_rel_err": "a, b",
    "free_port": "",
    "launch": "commands, environments=None, timeout=120",
    "ring_allreduce": "parts",
    "fit_alpha_beta": "num_bytes, seconds, k, algorithm='ring'",
    "memory_ledger": ("num_params, num_devices=1, stage=0, *, parameter_bytes=2, gradient_bytes=2, optimizer_bytes=12"),
    "shard_linear": "weight, bias, devices, split",
    "simulate_pipeline": (
        "num_stages, num_microbatches, forward=1.0, backward=2.0, schedule='gpipe', chunks=1, latency=0.0"
    ),
    "plan_mesh": (
        "*, layers, width, hidden, vocabulary, kv_share=1.0, sequence, sequences, tensor=1, context=1, "
        "pipeline=1, data=1, "
        "order=('tensor', 'context', 'pipeline', 'data'), microbatch=1, chunks=1, stage=1, gradient_bytes=4, "
        "reduce_bytes=None, recompute=False, peak=989000000000000.0, memory=80000000000.0, link=360000000000.0, "
        "network=48000000000.0, server=8, efficiency=0.6, exposed=0.5"
    ),
    "KVStore": "servers, updater=None",
    "KVStore.init": "self, key, value",
    "KVStore.push": "self, key, values",
    "KVStore.pull": "self, key, devices",
    "save_checkpoint": "path, step, params",
    "load_checkpoint": "path, like",
}
# Where they cannot.
OWN = {
    "torch": {
        "sgd": "params, lr, batch_size",
        "Residual": "num_channels, use_1x1conv=False, strides=1",
        "resnet18": "num_classes, in_channels=1",
        "run_ranks": "fn, world_size",
    },
    "mxnet": {
        "sgd": "params, lr, batch_size",
        "Residual": "num_channels, use_1x1conv=False, strides=1, **kwargs",
        "resnet18": "num_classes",
        "Module.set_scratch_params_device": "self, device",
    },
    "jax": {"sgd": "params, grads, lr, batch_size"},
    "tensorflow": {
        "sgd": "params, grads, lr, batch_size",
        "Residual": "num_channels, use_1x1conv=False, strides=1",
        "resnet18": "num_classes",
    },
}
# Aliases and the rest, of which only the presence is promised.
PRESENT = (
    "__version__",
    "DATA_HUB",
    "plt",
    "to",
    "numpy",
    "ones",
    "zeros",
    "ones_like",
    "zeros_like",
    "tensor",
    "arange",
    "meshgrid",
    "sin",
    "sinh",
    "cos",
    "cosh",
    "tanh",
    "linspace",
    "exp",
    "log",
    "normal",
    "rand",
    "randn",
    "matmul",
    "int32",
    "int64",
    "float32",
    "concat",
    "stack",
    "abs",
    "eye",
    "sigmoid",
    "size",
    "reshape",
    "reduce_sum",
    "argmax",
    "astype",
    "transpose",
    "reduce_mean",
    "expand_dims",
    "swapaxes",
    "repeat",
    "batch_matmul",
    "Residual",
    "resnet18",
    "nn_Module",
)


@pytest.fixture(params=OWN)
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(f"d2l.{request.param}")


def parameters(library: ModuleType, name: str) -> str:
    """The parameters of a function, of a class's constructor (without `self`), or of a method."""
    owner, _, method = name.partition(".")
    member = getattr(library, owner, None)
    if method:
        member = getattr(member, method, None)
    elif inspect.isclass(member):
        member = member.__init__
        return text_of(member).removeprefix("self").removeprefix(", ")
    return "missing" if member is None else text_of(member)


def text_of(function: object) -> str:
    return str(inspect.signature(function)).partition(" -> ")[0][1:-1]  # type: ignore[arg-type]


def test_names_have_the_promised_parameters(d2l: ModuleType) -> None:
    promised = SAME | OWN[d2l.__name__.removeprefix("d2l.")]
    actual = {name: parameters(d2l, name) for name in promised}
    assert actual == promised


def test_the_other_names_are_there(d2l: ModuleType) -> None:
    assert [name for name in PRESENT if not hasattr(d2l, name)] == []


def test_completion_lists_the_book_s_names_and_nothing_else(d2l: ModuleType) -> None:
    promised = {name.partition(".")[0] for name in (*SAME, *OWN[d2l.__name__.removeprefix("d2l.")], *PRESENT)}
    assert sorted(promised - {"__version__"} - set(d2l.__all__)) == []
    assert [name for name in d2l.__all__ if not hasattr(d2l, name)] == []
    foreign = {"Mapping", "FIRST_EXCEPTION", "np", "nn", "onp", "os", "sys", "dataclass", "d2l"}
    assert sorted(foreign & {*dir(d2l), *d2l.__all__}) == []
    assert {name for name in dir(d2l) if not name.startswith("__")} == set(d2l.__all__)


def test_what_is_ours_says_what_it_does(d2l: ModuleType) -> None:
    public = {
        name: member
        for name, member in vars(d2l).items()
        if (inspect.isfunction(member) or inspect.isclass(member)) and member.__module__ == d2l.__name__
    }
    assert len(public) > 30
    assert [name for name, member in public.items() if not name.startswith("_") and not member.__doc__] == []
