"""The training of `multiple-gpus-concise.md`: its length on one GPU and on two, its script's device and shards."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "chapter_computation" / "multiple-gpus-concise.md"


def cell_with(text: str) -> str:
    """Return the code of the page's only cell that contains `text`, without its first comment."""
    cells = [cell for cell in re.findall(r"^```\{[^\n]*\n(.*?)^```", PAGE.read_text(), re.M | re.S) if text in cell]
    assert len(cells) == 1
    return cells[0].split("\n", 1)[1]


@pytest.mark.parametrize("framework", ["torch", "mxnet", "jax", "tensorflow"])
@pytest.mark.parametrize(("gpus", "steps"), [(0, 24), (1, 24), (2, 2_343)])
def test_only_two_gpus_get_ten_epochs(framework: str, gpus: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    d2l = importlib.import_module(f"d2l.{framework}")
    monkeypatch.delenv("D2L_SHORT", raising=False)
    monkeypatch.setattr(d2l, "num_gpus", lambda: gpus)
    monkeypatch.setattr(d2l, "gpu", lambda i=0: f"GPU {i}")
    devices = ["GPU 0", "GPU 1"] if gpus == 2 else ["CPU 0", "CPU 1"]  # as `d2l.devices(2)` chooses
    names: dict[str, Any] = {"d2l": d2l, "devices": devices}
    exec(cell_with("def count_steps"), names)
    assert names["on_gpus"] == (gpus == 2)
    assert names["count_steps"](names["num_images"], 256 if gpus == 2 else 64) == steps


PROGRAM = """
import os, runpy, sys
import torch
from torch import distributed
from torch.nn import parallel
from d2l import torch as d2l

script, start = sys.argv[1:3]

def run(device, **environment):
    os.environ.update({name: str(value) for name, value in environment.items()})
    sys.argv = [script, f"--folder={start}", f"--device={device}", "--batch_size=5", "--num_steps=2", "--lr=0.1"]
    runpy.run_path(script)

class Chosen(Exception):
    pass

def choose(device):
    raise Chosen(device)

torch.accelerator.set_device_index = choose
try:
    run("cuda", RANK=5, LOCAL_RANK=1, WORLD_SIZE=6)
except Chosen as chosen:
    print(chosen)

converted = []
image_batch = d2l.image_batch

def recorded(images, labels, resize=None):
    converted.append(image_batch(images, labels, resize))
    return converted[-1]

# rank 1 of two, alone: nothing is sent
d2l.image_batch = recorded
for name in ("init_process_group", "all_reduce", "barrier", "destroy_process_group"):
    setattr(distributed, name, lambda *args: None)
parallel.DistributedDataParallel = lambda net, device_ids: net
torch.save(d2l.resnet18(10).state_dict(), f"{start}/start.pt")
run("cpu", RANK=1, LOCAL_RANK=1, WORLD_SIZE=2)

train_iter, _ = d2l.load_data_fashion_mnist(5)
own = [d2l.split_batch(X, y, [d2l.cpu()] * 2) for _, (X, y) in zip(range(2), train_iter)]
converted = converted[:2]  # the other two are those of `own`
print([len(X) for X, _ in converted])
print(all(torch.equal(X, X_shards[1]) and torch.equal(y, y_shards[1])
          for (X, y), (X_shards, y_shards) in zip(converted, own)))
"""


def test_a_process_takes_the_gpu_of_its_local_rank_and_converts_only_its_own_shards(tmp_path: Path) -> None:
    script = tmp_path / "ddp.py"
    script.write_text(cell_with("%%writefile {folder}/ddp.py").split("\n", 1)[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["cuda:1", "[2, 2]", "True"]
