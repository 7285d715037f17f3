"""What the frozen results say: LeNet learns, on one device and on two, in every framework. Needs no framework."""

import re
from pathlib import Path

import pytest

from d2lbook.execute.frozen import load_run

ROOT = Path(__file__).parents[2]
TABS = ["pytorch", "mxnet", "jax", "tensorflow"]


def printed(page: str, tab: str) -> str:
    run = load_run(ROOT, f"chapter_computation/{page}", tab)
    assert run is not None, f"{page} has no frozen result for {tab}; run: make eval"
    return "\n".join(output.get("text", "") for cell in run.cells for output in cell.outputs)


@pytest.mark.parametrize("tab", TABS)
def test_lenet_learns_with_a_good_start(tab: str) -> None:
    accuracies = [
        float(number) for number in re.findall(r"epoch \d+: .*test accuracy (\d\.\d+)", printed("lenet", tab))
    ]
    assert len(accuracies) == 3  # epochs on a CPU
    assert accuracies[0] > 0.7 and max(accuracies) > 0.78


@pytest.mark.parametrize("tab", TABS)
def test_two_devices_train_as_well_as_one(tab: str) -> None:
    # frameworks.md: 0.74 to 0.75 after three epochs with small weights and rate 0.2
    found = re.findall(r"(\d) device\(s\): test accuracy (\d\.\d+) after 3 epochs", printed("multiple-gpus", tab))
    accuracy = {int(devices): float(number) for devices, number in found}
    assert accuracy.keys() == {1, 2}
    assert min(accuracy.values()) > 0.70
    assert abs(accuracy[1] - accuracy[2]) < 0.03
