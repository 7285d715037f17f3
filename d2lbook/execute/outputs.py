"""What a cell put out, cleaned for keeping: streams merged, control sequences applied, only what pages show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Output = dict[str, Any]
KEPT_MIME = ("image/svg+xml", "image/png", "text/html", "text/markdown", "text/latex", "text/plain")
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SIZE_LIMIT = 5_000_000  # characters of one cell's outputs; a page with more cannot be read


def clean(outputs: Iterable[Mapping[str, Any]]) -> tuple[Output, ...]:
    """Outputs as they are frozen. Neighbouring pieces of one stream become one; empty ones go."""
    kept: list[Output] = []
    for output in outputs:
        if output["output_type"] == "stream":
            _add_stream(kept, output)
        elif output["output_type"] in {"display_data", "execute_result"}:
            _add_data(kept, output)
    for output in kept:
        if output["output_type"] == "stream":
            output["text"] = overwrite(ANSI.sub("", output["text"]))
    return tuple(output for output in kept if output.get("text", "x").strip())


def _add_stream(kept: list[Output], output: Mapping[str, Any]) -> None:
    if kept and kept[-1]["output_type"] == "stream" and kept[-1]["name"] == output["name"]:
        kept[-1]["text"] += output["text"]
    else:
        kept.append({"output_type": "stream", "name": output["name"], "text": output["text"]})


def _add_data(kept: list[Output], output: Mapping[str, Any]) -> None:
    data = {mime: output["data"][mime] for mime in KEPT_MIME if mime in output["data"]}
    if "image/svg+xml" in data:
        data.pop("image/png", None)
    if not data:
        return
    cleaned: Output = {"output_type": output["output_type"], "data": data, "metadata": {}}
    if output["output_type"] == "execute_result":
        cleaned["execution_count"] = None
    kept.append(cleaned)


def overwrite(text: str) -> str:
    """Text as it reads after carriage returns, which clear their line: of `1\\r2` the `2` is left."""
    lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n")]
    return "\n".join(lines)


def size(outputs: Iterable[Mapping[str, Any]]) -> int:
    """Characters of all that a cell put out."""
    total = 0
    for output in outputs:
        total += len(output.get("text", ""))
        total += sum(len(str(value)) for value in output.get("data", {}).values())
    return total


def message_size(message: Mapping[str, Any]) -> int:
    """Characters that a kernel's message adds to its cell's outputs."""
    content = message["content"]
    if message["msg_type"] == "stream":
        return len(content["text"])
    if message["msg_type"] in {"display_data", "execute_result"}:
        return sum(len(str(value)) for value in content["data"].values())
    return 0


def stream_text(outputs: Iterable[Mapping[str, Any]]) -> str:
    return "".join(output["text"] for output in outputs if output["output_type"] == "stream")


def to_lines(output: Output) -> Output:
    """An output as notebooks have it on disk: texts of several lines as lists, so that differences can be read."""
    return _with_texts(output, _split)


def from_lines(output: Output) -> Output:
    """The inverse of `to_lines`."""
    return _with_texts(output, _join)


def _with_texts(output: Output, change: Callable[[Any], object]) -> Output:
    changed = dict(output)
    if "text" in output:
        changed["text"] = change(output["text"])
    if "data" in output:
        changed["data"] = {mime: change(value) for mime, value in output["data"].items()}
    return changed


def _split(value: str) -> str | list[str]:
    lines = value.splitlines(keepends=True)
    return lines if len(lines) > 1 else value


def _join(value: str | list[str]) -> str:
    if not isinstance(value, str | list):
        raise TypeError("an output that is no text")
    return value if isinstance(value, str) else "".join(value)
