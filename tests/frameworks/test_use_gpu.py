"""Devices by number in the four libraries, on machines without GPUs and with pretended ones; the trainer's hooks."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest

FRAMEWORKS = ["torch", "mxnet", "jax", "tensorflow"]


@pytest.fixture(params=FRAMEWORKS)
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    library = importlib.import_module(f"d2l.{request.param}")
    if request.param == "mxnet":
        from mxnet import npx

        npx.set_np()
    return library


@pytest.fixture
def without_gpus(d2l: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(d2l, "num_gpus", lambda: 0)
    return d2l


@pytest.fixture
def with_two_gpus(d2l: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(d2l, "num_gpus", lambda: 2)
    monkeypatch.setattr(d2l, "gpu", lambda i=0: f"GPU {i}")
    return d2l


def device_of(array: Any) -> str:
    return str(array.ctx if hasattr(array, "ctx") else array.device)


def test_without_gpus_every_device_is_the_cpu(without_gpus: ModuleType) -> None:
    d2l = without_gpus
    assert d2l.try_gpu() == d2l.cpu()
    assert d2l.try_gpu(10) == d2l.cpu()
    assert d2l.try_all_gpus() == [d2l.cpu()]


def test_with_two_gpus_both_are_found_and_a_third_is_not(with_two_gpus: ModuleType) -> None:
    d2l = with_two_gpus
    assert [d2l.try_gpu(), d2l.try_gpu(1)] == ["GPU 0", "GPU 1"]
    assert d2l.try_gpu(2) == d2l.cpu()
    assert d2l.try_all_gpus() == ["GPU 0", "GPU 1"]


def test_a_negative_number_is_an_error(d2l: ModuleType) -> None:
    for function in (d2l.gpu, d2l.try_gpu):
        with pytest.raises(ValueError, match="no GPU -1"):
            function(-1)


def test_a_gpu_that_does_not_exist_is_a_name_except_in_jax(without_gpus: ModuleType) -> None:
    d2l = without_gpus
    if d2l.__name__ == "d2l.jax":
        with pytest.raises(RuntimeError, match="no GPU 7: JAX sees 0"):
            d2l.gpu(7)
    else:
        assert "7" in str(d2l.gpu(7))
        assert d2l.gpu(7) != d2l.cpu()


def test_torch_counts_apple_gpus_and_warns_once_of_unknown_accelerators(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from d2l import torch as d2l

    kind = "mps"
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 1)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device(kind))
    assert d2l.num_gpus() == 1
    assert d2l.try_gpu() == torch.device("mps", 0)
    assert d2l.on_gpus([torch.device("mps", 0)])
    kind = "xpu"
    d2l.warn_once.cache_clear()
    with pytest.warns(UserWarning, match="'xpu' is not known to d2l") as warned:
        assert d2l.num_gpus() == 0
        assert d2l.try_gpu() == d2l.cpu()
        assert d2l.devices(2) == [d2l.cpu()] * 2
    assert len(warned) == 1


def test_jax_counts_the_devices_of_this_process_and_warns_once_of_unknown_backends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import jax

    from d2l import jax as d2l

    backend = "tpu"
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "local_device_count", lambda: 4)
    assert d2l.num_gpus() == 4
    backend = "METAL"
    d2l.warn_once.cache_clear()
    with pytest.warns(UserWarning, match="'METAL' is not known to d2l") as warned:
        assert d2l.num_gpus() == 0
        assert d2l.try_gpu() == d2l.cpu()
        assert d2l.try_all_gpus() == [d2l.cpu()]
    assert len(warned) == 1


def test_on_gpus_asks_for_membership(d2l: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU plays a GPU: what counts is whether `gpu` names it, not what type it has."""
    monkeypatch.setattr(d2l, "num_gpus", lambda: 0)
    assert not d2l.on_gpus([d2l.cpu()])
    assert not d2l.on_gpus([])
    monkeypatch.setattr(d2l, "num_gpus", lambda: 1)
    monkeypatch.setattr(d2l, "gpu", lambda i=0: d2l.cpu())
    assert d2l.on_gpus([d2l.cpu()])
    assert d2l.on_gpus([d2l.cpu(), d2l.cpu()])
    assert not d2l.on_gpus([d2l.cpu(), "another"])
    assert not d2l.on_gpus([])


def test_a_tensorflow_device_is_a_name_and_a_context() -> None:
    import tensorflow as tf

    from d2l import tensorflow as d2l

    device = d2l.cpu()
    assert device == "/CPU:0"
    with device, device:  # entered again before it was left
        inner = tf.ones(1)
    with tf.device(device):
        outer = tf.ones(1)
    assert inner.device == outer.device
    assert inner.device.endswith("CPU:0")


def test_a_trainer_uses_as_many_gpus_as_there_are(with_two_gpus: ModuleType) -> None:
    d2l = with_two_gpus
    assert d2l.Trainer(max_epochs=1).gpus == []
    assert d2l.Trainer(max_epochs=1, num_gpus=1).gpus == ["GPU 0"]
    trainer = d2l.Trainer(max_epochs=3, num_gpus=8, gradient_clip_val=2)
    assert trainer.gpus == ["GPU 0", "GPU 1"]
    assert (trainer.max_epochs, trainer.gradient_clip_val) == (3, 2)


def test_without_gpus_a_batch_stays_as_it_is(without_gpus: ModuleType) -> None:
    d2l = without_gpus
    batch = (d2l.ones((2, 3)), d2l.zeros((2,)))
    assert d2l.Trainer(max_epochs=1, num_gpus=1).prepare_batch(batch) is batch


def test_batch_and_model_are_put_on_the_trainers_device(d2l: ModuleType) -> None:
    """The CPU plays the GPU, in MXNet a second context of it does."""
    trainer = d2l.Trainer(max_epochs=3)
    trainer.gpus = [d2l.cpu()]
    if d2l.__name__ == "d2l.mxnet":
        from mxnet import npx

        trainer.gpus = [npx.cpu(1)]
    model = linear_model(d2l)
    trainer.prepare_model(model)
    batch = trainer.prepare_batch((d2l.ones((2, 3)), d2l.zeros((2,))))
    assert model.trainer is trainer
    assert trainer.model is model
    assert model.board.xlim == [0, 3]
    assert {device_of(a) for a in batch} == {device_of(model(batch[0]))}
    if d2l.__name__ == "d2l.mxnet":
        assert [device_of(a) for a in batch] == ["cpu(1)", "cpu(1)"]


def linear_model(d2l: ModuleType) -> Any:
    """A model of three inputs and one output in any of the frameworks."""
    if d2l.__name__ == "d2l.torch":
        from torch import nn

        net: Any = nn.Linear(3, 1)
    elif d2l.__name__ == "d2l.mxnet":
        from mxnet.gluon import nn as gluon_nn

        net = gluon_nn.Dense(1, in_units=3)
        net.initialize()
    elif d2l.__name__ == "d2l.jax":
        from flax import nnx

        net = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
    else:
        import keras

        net = keras.layers.Dense(1)
    model = d2l.Module()
    model.net = net
    return model


def test_mxnet_moves_plain_arrays_of_a_module_and_of_those_in_it() -> None:
    from d2l import mxnet as d2l  # isort: skip
    from mxnet import autograd, np, npx

    npx.set_np()

    outer, inner, listed = d2l.Module(), d2l.Module(), d2l.Module()
    for module in (outer, inner, listed):
        module.w = np.array([2.0])
    outer.inner, outer.parts = inner, [listed]
    outer.set_scratch_params_device(npx.cpu(1))
    for module in (outer, inner, listed):
        assert module.w.ctx == npx.cpu(1)
        with autograd.record():
            y = module.w * module.w
        y.backward()
        assert module.w.grad.item() == 4.0
