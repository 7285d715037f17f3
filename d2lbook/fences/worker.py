"""A process of its own in which handlers run: a line of JSON comes in for each fence, and one goes out.

What a handler prints goes to the standard error output, so that it is not taken for an answer.
"""

from __future__ import annotations

import importlib
import json
import os
import sys


def answer(request: dict[str, object]) -> dict[str, str]:
    """SVG text and alternative text, or what went wrong and the code of the message."""
    try:
        function: object = importlib.import_module(str(request["module"]))
    except ModuleNotFoundError as error:
        if error.name is not None and str(request["module"]).startswith(error.name):
            return _fault(f"there is no module '{error.name}'", "fence-handler")
        return _raised(error)
    except BaseException as error:  # noqa: BLE001 -- whatever a package does while it is imported
        return _raised(error)
    for name in str(request["function"]).split("."):
        function = getattr(function, name, None)
    if not callable(function):
        return _fault(f"module '{request['module']}' has no function '{request['function']}'", "fence-handler")
    try:
        result = function(request["code"], request["language"], request["options"])
    except BaseException as error:  # noqa: BLE001 -- a handler may also exit: it says nothing about the book's other fences
        return _raised(error)
    svg, alt = result if isinstance(result, tuple) and len(result) == 2 else (result, "")
    if not isinstance(svg, str) or not isinstance(alt, str):
        return _fault(f"it returns {type(result).__name__}, not SVG text or (SVG text, alternative text)", "fence-svg")
    return {"svg": svg, "alt": alt}


def _raised(error: BaseException) -> dict[str, str]:
    return _fault(f"{type(error).__name__}: {error}", "fence-handler")


def _fault(text: str, code: str) -> dict[str, str]:
    return {"fault": text, "code": code}


def main() -> None:
    sys.path += sys.argv[1:]  # the book's folders, where they are trusted
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
