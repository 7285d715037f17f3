"""SVG drawings as files of formats that cannot show SVG, converted by rsvg-convert."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from d2lbook.files import write_atomic
from d2lbook.rendering.figures import BadPicture, run_converter, with_fonts
from d2lbook.system_packages import hint, program_package

_PROGRAM = "rsvg-convert"
# A PDF says when it was made, which would differ from run to run.
_FIXED = {"SOURCE_DATE_EPOCH": "0"}


def converted(svg: str, lang: str, folder: Path, suffix: str, *options: str) -> Path:
    """The drawing as a file in `folder`, named by its content, so that it is converted once. Raises BadPicture."""
    svg = with_fonts(svg, lang)
    path = folder / f"{hashlib.sha256(svg.encode()).hexdigest()[:24]}.{suffix}"
    if not path.exists():
        write_atomic(path, _convert(svg, f"--format={suffix}", *options), durable=False)
    return path


def _convert(svg: str, *options: str) -> bytes:
    program = shutil.which(_PROGRAM)
    if program is None:
        how = hint([program_package(_PROGRAM)])
        raise BadPicture(f"{_PROGRAM} is missing, which converts this drawing; {how}", "figure-hosted")
    command, environment = [program, *options], os.environ | _FIXED
    done = run_converter(command, svg, environment)
    if done.returncode or not done.stdout:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[:1] or ["no reason given"]
        raise BadPicture(f"{_PROGRAM} cannot read this drawing: {reason[0]}; mend it, or simplify it")
    return done.stdout
