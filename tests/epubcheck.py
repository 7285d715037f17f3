"""What epubcheck says of an ePub."""

from __future__ import annotations

import subprocess
from pathlib import Path

JAR = Path("/usr/share/java/epubcheck.jar")
# Java's best compiler takes longer than it gains in the seconds that a check lasts.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def epubcheck(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["java", *QUICK, "-jar", str(JAR), str(path)], capture_output=True, text=True, check=False)
