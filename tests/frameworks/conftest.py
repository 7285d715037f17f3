"""A process for each framework, which programs of several modules are given to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from programs import Ask, processes


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with processes(tmp_path_factory.mktemp("frameworks") / "errors.txt") as ask:
        yield ask
