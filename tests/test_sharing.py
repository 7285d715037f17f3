"""Which tests one process runs when several share them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sharing import group


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("export/site/test_site.py::test_a", "export/site/test_site.py::test_b[x-y]", True),
        ("export/site/test_site.py::test_a", "export/pdf/test_pdf.py::test_a", False),
        ("frameworks/test_zero.py::test_a[jax]", "frameworks/test_resnet.py::test_b[jax-no size]", True),
        ("frameworks/test_zero.py::test_a[jax]", "frameworks/test_zero.py::test_a[torch]", False),
        ("frameworks/test_pages.py::test_a[jax]", "frameworks/test_pages.py::test_a[pytorch]", False),
        ("hosted/test_hosted_run.py::test_a[colab-jax]", "hosted/test_hosted_run.py::test_a[colab-mxnet]", True),
        ("hosted/test_hosted_run.py::test_a[colab-jax]", "hosted/test_hosted_run.py::test_a[colab-pytorch]", False),
        ("hosted/test_hosted_run.py::test_a[colab-jax]", "hosted/test_hosted_run.py::test_a[sagemaker-jax]", False),
        ("hosted/test_hosted_pip.py::test_a[colab]", "hosted/test_hosted_pip.py::test_b[colab]", True),
    ],
)
def test_tests_with_a_fixture_in_common_stay_together(first: str, second: str, together: bool) -> None:
    assert (group(f"tests/{first}") == group(f"tests/{second}")) == together


def test_every_module_of_tests_has_a_name_of_its_own() -> None:
    """pytest imports them by their file names: of two that are alike it collects one, and an error."""
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(name for name in names if names.count(name) > 1) == []
