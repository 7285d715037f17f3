"""Which tests one process runs when several share them."""

from __future__ import annotations

import pytest
from sharing import group


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("test_site.py::test_a", "test_site.py::test_b[x-y]", True),
        ("test_site.py::test_a", "test_pdf.py::test_a", False),
        ("frameworks/test_zero.py::test_a[jax]", "frameworks/test_resnet.py::test_b[jax-no size]", True),
        ("frameworks/test_zero.py::test_a[jax]", "frameworks/test_zero.py::test_a[torch]", False),
        ("frameworks/test_pages.py::test_a[jax]", "frameworks/test_pages.py::test_a[pytorch]", False),
        ("test_hosted_run.py::test_a[colab-jax]", "test_hosted_run.py::test_a[colab-mxnet]", True),
        ("test_hosted_run.py::test_a[colab-jax]", "test_hosted_run.py::test_a[colab-pytorch]", False),
        ("test_hosted_run.py::test_a[colab-jax]", "test_hosted_run.py::test_a[sagemaker-jax]", False),
        ("test_hosted_pip.py::test_a[colab]", "test_hosted_pip.py::test_b[colab]", True),
    ],
)
def test_tests_with_a_fixture_in_common_stay_together(first: str, second: str, together: bool) -> None:
    assert (group(f"tests/{first}") == group(f"tests/{second}")) == together
