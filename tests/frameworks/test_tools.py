"""The tools of `chapter_computation/tools.md` in the four libraries, on cases worked out by hand."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from d2l import fashion_mnist, transfer


@pytest.fixture(params=["torch", "mxnet", "jax", "tensorflow"])
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    library = importlib.import_module(f"d2l.{request.param}")
    if request.param == "mxnet":
        from mxnet import npx

        npx.set_np()
    return library


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("D2L_SHORT", "1")


def channels_first(d2l: ModuleType) -> bool:
    return d2l.__name__ in ("d2l.torch", "d2l.mxnet")


def dtype_of(array: Any) -> str:
    return np.asarray(array.asnumpy() if hasattr(array, "asnumpy") else array).dtype.name


def test_timer_adds_up_its_intervals(d2l: ModuleType) -> None:
    timer = d2l.Timer()
    timer.times = [1.0, 2.0, 6.0]
    assert (timer.avg(), timer.sum(), timer.cumsum()) == (3.0, 9.0, [1.0, 3.0, 9.0])
    timer.start()
    assert timer.stop() == timer.times[-1] >= 0


def test_hyperparameters_are_attributes_but_for_the_ignored(d2l: ModuleType) -> None:
    class Thing(d2l.HyperParameters):
        def __init__(self, a: int, b: int = 2, *, c: int = 3) -> None:
            local = a + b  # not a hyperparameter
            self.save_hyperparameters(ignore=["b"])
            self.sum = local

    thing = Thing(1)
    assert thing.hparams == {"a": 1, "c": 3}
    assert (thing.a, thing.c, hasattr(thing, "b")) == (1, 3, False)


def test_a_method_is_added_to_objects_that_exist(d2l: ModuleType) -> None:
    class Thing:
        pass

    thing = Thing()

    @d2l.add_to_class(Thing)
    def double(self: Any, x: int) -> int:
        return 2 * x

    assert thing.double(4) == 8  # type: ignore[attr-defined]


def test_images_and_labels_have_the_layout_of_the_framework(d2l: ModuleType) -> None:
    train, test = d2l.load_data_fashion_mnist(256)
    assert (len(train), len(test)) == (235, 40)
    X, y = next(iter(test))
    images, labels = fashion_mnist.arrays(train=False)
    shape = (256, 1, 28, 28) if channels_first(d2l) else (256, 28, 28, 1)
    assert (tuple(X.shape), tuple(y.shape)) == (shape, (256,))
    assert (dtype_of(X), dtype_of(y)) == ("float32", "int64" if d2l.__name__ == "d2l.torch" else "int32")
    np.testing.assert_allclose(d2l.as_array(X).reshape(-1, 28, 28), images[:256] / 255, rtol=1e-6)
    assert d2l.as_array(y).tolist() == labels[:256].tolist()


@pytest.mark.parametrize(("resize", "size"), [(56, (56, 56)), ((14, 30), (14, 30))])
def test_images_are_resized(d2l: ModuleType, resize: Any, size: tuple[int, int]) -> None:
    X, _ = next(iter(d2l.load_data_fashion_mnist(8, resize)[1]))
    assert tuple(X.shape) == ((8, 1, *size) if channels_first(d2l) else (8, *size, 1))


@pytest.mark.parametrize("size", [(56, 56), (14, 30), (96, 11)])
def test_resizing_is_torchs_antialiased_bilinear(size: tuple[int, int]) -> None:
    import torch

    images = fashion_mnist.arrays(train=False)[0][:4]
    X = torch.tensor(images).float().div(255).unsqueeze(1)
    expected = torch.nn.functional.interpolate(X, size, mode="bilinear", antialias=True)[:, 0]
    np.testing.assert_allclose(fashion_mnist.pixels(images, size), expected.numpy(), atol=1e-5)


def test_training_batches_are_shuffled_and_cover_all(d2l: ModuleType) -> None:
    numbers = np.arange(10)
    loader = d2l.Minibatches([numbers], 4, shuffle=True)
    epochs = [[d2l.as_array(batch).tolist() for (batch,) in loader] for _ in range(2)]
    flat = [sorted(number for batch in epoch for number in batch) for epoch in epochs]
    assert [len(batch) for batch in epochs[0]] == [4, 4, 2]
    assert flat == [list(range(10))] * 2
    assert epochs[0] != epochs[1]
    again = d2l.Minibatches([numbers], 4, shuffle=True)
    assert [d2l.as_array(batch).tolist() for (batch,) in again] == epochs[0]


def test_a_short_run_has_four_batches_and_one_epoch(d2l: ModuleType, short: None) -> None:
    train, test = d2l.load_data_fashion_mnist(16)
    assert (len(train), len(list(train)), len(test), len(list(test))) == (4, 4, 4, 4)
    assert d2l.budget(gpu=10, cpu=3) == 1
    assert d2l.budget(gpu=10, cpu=0) == 0 or d2l.num_gpus()


def test_the_budget_depends_on_the_machine(d2l: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("D2L_SHORT", raising=False)
    monkeypatch.setattr(d2l, "gpu", lambda i=0: f"GPU {i}")
    for gpus, epochs in ((0, 3), (1, 10), (8, 10)):
        monkeypatch.setattr(d2l, "num_gpus", lambda gpus=gpus: gpus)
        assert d2l.budget(gpu=10, cpu=3) == epochs


def test_the_budget_of_devices_depends_on_them(d2l: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one GPU, two simulated devices get the CPU's budget."""
    monkeypatch.delenv("D2L_SHORT", raising=False)
    monkeypatch.setattr(d2l, "gpu", lambda i=0: f"GPU {i}")
    monkeypatch.setattr(d2l, "num_gpus", lambda: 1)
    for devices, steps in (
        (["GPU 0"], 10),
        ([d2l.cpu()], 3),
        ([d2l.cpu(), d2l.cpu()], 3),
        (["GPU 0", d2l.cpu()], 3),
        (["GPU 0", "GPU 1"], 3),
        ([], 3),
    ):
        assert d2l.budget(10, 3, devices) == steps
    monkeypatch.setenv("D2L_SHORT", "1")
    assert d2l.budget(10, 3, ["GPU 0"]) == d2l.budget(10, 3, [d2l.cpu()]) == 1


def test_text_labels(d2l: ModuleType) -> None:
    assert d2l.FashionMNIST().text_labels([0, 9]) == ["t-shirt", "ankle boot"]


def test_tensorloader_takes_rows(d2l: ModuleType) -> None:
    data = d2l.DataModule()
    data.batch_size = 2
    X, y = d2l.tensor(np.arange(8.0).reshape(4, 2)), d2l.tensor(np.arange(4))
    batches = list(data.get_tensorloader((X, y), train=False, indices=slice(1, 4)))
    assert [d2l.as_array(b).tolist() for _, b in batches] == [[1, 2], [3]]


def test_sgd_steps_by_the_mean_gradient(d2l: ModuleType) -> None:
    """Losses (w − 1)² and (w − 3)²: their sum's gradient at 0 is −8, so a step of 0.25 over 2 examples leads to 1."""
    if d2l.__name__ == "d2l.torch":
        w = d2l.tensor([0.0], requires_grad=True)
        ((w - 1) ** 2 + (w - 3) ** 2).backward()
        d2l.sgd([w], 0.25, 2)
        assert (w.item(), w.grad.item()) == (1.0, 0.0)
    elif d2l.__name__ == "d2l.mxnet":
        from mxnet import autograd

        w = d2l.zeros(1)
        w.attach_grad()
        with autograd.record():
            loss = (w - 1) ** 2 + (w - 3) ** 2
        loss.backward()
        d2l.sgd([w], 0.25, 2)
        assert w.item() == 1.0
    elif d2l.__name__ == "d2l.jax":
        old = {"w": d2l.zeros(1)}
        new = d2l.sgd(old, {"w": d2l.tensor([-8.0])}, 0.25, 2)
        assert (new["w"].item(), old["w"].item()) == (1.0, 0.0)
    else:
        import tensorflow as tf

        w = tf.Variable([0.0])
        d2l.sgd([w], [tf.constant([-8.0])], 0.25, 2)
        assert w.numpy().tolist() == [1.0]

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def step(X: tf.Tensor) -> None:  # in a graph for batches of any size, their size is a tensor
            d2l.sgd([w], [tf.constant([-8.0])], 0.25, len(X))

        step(tf.zeros(2))
        assert w.numpy().tolist() == [2.0]


def test_classifier_loss_and_accuracy(d2l: ModuleType) -> None:
    classifier = d2l.Classifier()
    logits, labels = d2l.zeros((4, 10)), d2l.tensor([0, 3, 5, 9])
    assert float(classifier.loss(logits, labels)) == pytest.approx(np.log(10), rel=1e-5)
    losses = d2l.as_array(classifier.loss(logits, labels, averaged=False))
    assert losses.tolist() == pytest.approx(4 * [np.log(10)], rel=1e-5)
    scores, classes = d2l.tensor([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]), d2l.tensor([2, 1])
    assert float(classifier.accuracy(scores, classes)) == 0.5
    assert d2l.as_array(classifier.accuracy(scores, classes, averaged=False)).tolist() == [1.0, 0.0]


def linear(d2l: ModuleType, lr: float) -> Any:
    """A classifier with one linear layer, all zeros at first."""

    class Linear(d2l.Classifier):
        def __init__(self) -> None:
            super().__init__()
            self.lr = lr
            if d2l.__name__ == "d2l.torch":
                from torch import nn

                self.net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
                for param in self.net.parameters():
                    nn.init.zeros_(param)
            elif d2l.__name__ == "d2l.mxnet":
                from mxnet import init
                from mxnet.gluon import nn

                self.net = nn.Dense(10, in_units=784)
                self.initialize(init.Zero())
            elif d2l.__name__ == "d2l.jax":
                from flax import nnx

                zeros = nnx.initializers.zeros_init()
                self.net = nnx.Linear(784, 10, kernel_init=zeros, rngs=nnx.Rngs(0))
            else:
                import keras

                self.net = keras.Sequential(
                    [keras.layers.Flatten(), keras.layers.Dense(10, kernel_initializer="zeros")]
                )

        def forward(self, X: Any) -> Any:
            return self.net(X.reshape(len(X), -1) if d2l.__name__ == "d2l.jax" else X)

    return Linear()


def bias_of(d2l: ModuleType, model: Any) -> np.ndarray:
    if d2l.__name__ == "d2l.torch":
        return model.net[1].bias.detach().numpy()
    if d2l.__name__ == "d2l.mxnet":
        return model.net.bias.data().asnumpy()
    if d2l.__name__ == "d2l.jax":
        return np.asarray(model.net.bias[...])
    return np.asarray(model.net.layers[1].bias)


def test_fit_descends_and_plots(d2l: ModuleType, short: None) -> None:
    model = linear(d2l, lr=0.1)
    d2l.Trainer(max_epochs=2).fit(model, d2l.FashionMNIST(batch_size=64))
    curves = model.board.curves
    assert {label: len(points) for label, points in curves.items()} == {"train_loss": 4, "val_loss": 2, "val_acc": 2}
    assert [x for x, _ in curves["val_loss"]] == [1, 2]
    assert curves["train_loss"][-1][1] < curves["train_loss"][0][1] < np.log(10)


def test_the_first_step_is_that_of_softmax_regression(d2l: ModuleType, short: None) -> None:
    """With all weights 0 every class has probability 0.1, and the bias's gradient is 0.1 minus the class's share."""
    model = linear(d2l, lr=1.0)
    data = d2l.FashionMNIST(batch_size=64)
    batch = next(iter(data.train_dataloader()))
    data.train_dataloader = lambda: [batch]
    d2l.Trainer(max_epochs=1).fit(model, data)
    share = np.bincount(d2l.as_array(batch[1]), minlength=10) / 64
    np.testing.assert_allclose(bias_of(d2l, model), share - 0.1, atol=1e-6)


def test_long_gradients_are_clipped(d2l: ModuleType, short: None) -> None:
    data = d2l.FashionMNIST(batch_size=64)
    batch = next(iter(data.train_dataloader()))
    data.train_dataloader = lambda: [batch]
    free, clipped = linear(d2l, lr=1.0), linear(d2l, lr=1.0)
    d2l.Trainer(max_epochs=1).fit(free, data)
    d2l.Trainer(max_epochs=1, gradient_clip_val=1e-3).fit(clipped, data)
    bias = bias_of(d2l, clipped)
    assert 0 < np.linalg.norm(bias) <= 1e-3
    cosine = bias @ bias_of(d2l, free) / np.linalg.norm(bias) / np.linalg.norm(bias_of(d2l, free))
    assert cosine == pytest.approx(1, abs=1e-4)


class Response(io.BytesIO):
    """What `urlopen` returns."""

    def __init__(self, data: bytes, url: str) -> None:
        super().__init__(data)
        self.url, self.headers = url, {"Content-Length": str(len(data))}


def test_download_keeps_verifies_and_refuses(d2l: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url, content = "https://example.org/data/file.txt", b"abc"
    monkeypatch.setattr(transfer.urllib.request, "urlopen", lambda url, timeout: Response(content, url))
    sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d"  # of "abc", FIPS 180-4
    folder = tmp_path / "data"
    path = d2l.download(url, folder, sha1)
    assert Path(path).read_text() == "abc"
    Path(path).write_text("damaged")
    monkeypatch.setitem(d2l.DATA_HUB, "letters", (url, sha1))
    assert Path(d2l.download("letters", folder)).read_text() == "abc"
    content = b"changed"
    assert d2l.download("letters", folder) == path  # not fetched again
    assert Path(path).read_text() == "abc"
    with pytest.raises(ValueError, match="another SHA-1"):
        d2l.download(url, tmp_path / "elsewhere", sha1)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_download_refuses_has_never_had_the_name(
    d2l: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that comes meanwhile finds no file, or the intact one from before."""
    monkeypatch.setattr(transfer.urllib.request, "urlopen", lambda url, timeout: Response(b"abc", url))
    named: list[str] = []
    monkeypatch.setattr(Path, "replace", lambda path, target: named.append(str(target)))
    with pytest.raises(ValueError, match="another SHA-1"):
        d2l.download("https://example.org/file.txt", tmp_path, "0" * 40)
    assert named == []


@pytest.mark.parametrize("url", ["https://example.org/", "http://example.org/file", "file:///etc/hostname"])
def test_download_takes_files_by_https_only(d2l: ModuleType, tmp_path: Path, url: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        d2l.download(url, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_animator_and_board_keep_their_points(d2l: ModuleType) -> None:
    animator = d2l.Animator(legend=["a", "b"])
    animator.add(1, (2, None))
    animator.add(2, (3, 4))
    assert (animator.X, animator.Y) == ([[1, 2], [2]], [[2, 3], [4]])
    animator.redraw()
    assert [len(line.get_xdata()) for line in animator.axes[0].lines] == [2, 1]

    board = d2l.ProgressBoard(display=False)
    for i in range(6):
        board.draw(i, 10 * i, "loss", every_n=3)
    assert np.array(board.curves["loss"]).tolist() == [[1, 10], [4, 40]]


def test_plot_takes_arrays_lists_and_several_curves(d2l: ModuleType) -> None:
    x = d2l.tensor([0.0, 1.0, 2.0])
    for X, Y, expected in (
        (x, None, [([0, 1, 2], [0, 1, 2])]),
        ([5.0, 6.0], None, [([0, 1], [5, 6])]),
        (x, [x * 2, [1, 1, 1]], [([0, 1, 2], [0, 2, 4]), ([0, 1, 2], [1, 1, 1])]),
        ([x, [7.0]], [x, [8.0]], [([0, 1, 2], [0, 1, 2]), ([7], [8])]),
    ):
        figure, axes = d2l.plt.subplots()
        d2l.plot(X, Y, axes=axes)
        drawn = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines]
        d2l.plt.close(figure)
        assert drawn == expected


def test_formats_use_the_books_colours(d2l: ModuleType) -> None:
    figure, axes = d2l.plt.subplots()
    d2l.plot([[1, 2]] * 4, [[1, 2]] * 4, axes=axes)
    drawn = [(line.get_color(), line.get_linestyle()) for line in axes.lines]
    d2l.plt.close(figure)
    assert drawn == [("#0072B2", "-"), ("#CC79A7", "--"), ("#009E73", "-."), ("#D55E00", ":")]


def test_show_images_gives_the_axes(d2l: ModuleType) -> None:
    axes = d2l.show_images([d2l.zeros((2, 2))] * 3, 2, 2, titles=["a", "b", "c"])
    d2l.plt.close("all")
    assert [axis.get_title() for axis in axes] == ["a", "b", "c", ""]


def test_aliases_mean_the_same(d2l: ModuleType) -> None:
    x = d2l.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    values = {
        "concat": d2l.concat([x, x], 0).shape[0] == 4,
        "stack": tuple(d2l.stack([x, x]).shape) == (2, 2, 3),
        "reduce_sum": float(d2l.reduce_sum(x)) == 5,
        "reduce_mean": float(d2l.reduce_mean(x)) == pytest.approx(5 / 6),
        "abs": float(d2l.reduce_sum(d2l.abs(x))) == 21,
        "argmax": d2l.as_array(d2l.argmax(x, axis=1)).tolist() == [2, 1],
        "reshape": tuple(d2l.reshape(x, (3, 2)).shape) == (3, 2),
        "expand_dims": tuple(d2l.expand_dims(x, 0).shape) == (1, 2, 3),
        "transpose": tuple(d2l.transpose(x).shape) == (3, 2),
        "swapaxes": tuple(d2l.swapaxes(x, 0, 1).shape) == (3, 2),
        "matmul": d2l.as_array(d2l.matmul(x, d2l.transpose(x))).tolist() == [[14, -24], [-24, 77]],
        "batch_matmul": tuple(d2l.batch_matmul(d2l.ones((2, 3, 4)), d2l.ones((2, 4, 5))).shape) == (2, 3, 5),
        "size": d2l.size(x) == 6,
        "numpy": isinstance(d2l.numpy(x), np.ndarray),
        "astype": dtype_of(d2l.astype(x, d2l.int32)) == "int32",
        "eye": float(d2l.reduce_sum(d2l.eye(3))) == 3,
        "exp and log": float(d2l.log(d2l.exp(d2l.ones(1)))[0]) == pytest.approx(1),
        "to": d2l.as_array(d2l.to(x, d2l.cpu())).tolist() == d2l.as_array(x).tolist(),
    }
    assert [name for name, right in values.items() if not right] == []
