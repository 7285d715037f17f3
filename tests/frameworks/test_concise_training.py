"""The training of `multiple-gpus-concise.md`: its length on one GPU and on two, its script's device and images."""

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
    exec(cell_with("on_gpus = "), names)
    assert (names["on_gpus"], names["size"]) == ((True, 28) if gpus == 2 else (False, 20))
    exec(cell_with("def count_steps"), names)
    runs: list[tuple[int, int]] = []
    names["train"] = lambda num_devices, batch_size, lr, num_images: runs.append((batch_size, num_images))
    exec(cell_with("runs = {'one'"), names)
    assert [names["count_steps"](num_images, batch_size) for batch_size, num_images in runs] == [steps]


PROGRAM = """
import os, runpy, sys
import torch
from torch import distributed, nn
from torch.nn import functional, parallel
from d2l import torch as d2l

script, folder = sys.argv[1:3]

def run(device, **environment):
    os.environ.update({name: str(value) for name, value in environment.items()})
    sys.argv = [script, f"--folder={folder}", f"--device={device}", "--batch_size=4", "--num_steps=3", "--lr=0.1",
                "--accumulate=2"]
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

class Alone(nn.Module):  # DistributedDataParallel in a process without others: nothing is sent
    def __init__(self, net, device_ids, gradient_as_bucket_view):
        super().__init__()
        self.net = net
        self.forward = net.forward

    def register_comm_hook(self, state, hook):
        pass

    def no_sync(self):
        postponed.append(len(seen))
        return torch.enable_grad()  # a context that changes nothing

for name in ("init_process_group", "all_reduce", "barrier", "destroy_process_group"):
    setattr(distributed, name, lambda *args: None)
parallel.DistributedDataParallel = Alone
d2l.resnet18 = lambda num_classes: nn.Sequential(nn.Flatten(), nn.Linear(784, num_classes))
torch.save(d2l.resnet18(10).state_dict(), f"{folder}/start.pt")
images = torch.arange(8, dtype=torch.uint8)[:, None, None, None].expand(8, 1, 28, 28).clone()  # image i is all i
torch.save((images, torch.arange(8)), f"{folder}/data.pt")
cross_entropy = functional.cross_entropy

def recorded(scores, y):
    seen.extend(y.tolist())
    return cross_entropy(scores, y)

functional.cross_entropy = recorded
orders = []
for rank in (0, 1):
    seen, postponed = [], []
    run("cpu", RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=2)
    orders.append(seen)
    print(postponed)
first, second = orders
print(sorted(first[:4] + second[:4]) == list(range(8)), sorted(first[:2] + second[:2]) != [0, 1, 2, 3])
print(first[:2] != first[4:6] or second[:2] != second[4:6])
"""


def test_a_process_takes_the_gpu_of_its_local_rank_and_its_own_part_of_a_new_order_each_epoch(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(cell_with("%%writefile {folder}/train.py").split("\n", 1)[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # the device; then, for each process, how many images it had seen when sending was postponed: once a step
    assert done.stdout.splitlines() == ["cuda:1", "[0, 2, 4]", "[0, 2, 4]", "True True", "True"]
