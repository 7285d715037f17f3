"""Makes the fonts of the site and the slides: `python static/fonts.py`. Needs npm and `pip install fonttools[woff]`.

They are Adobe's Source Serif 4, Source Sans 3 and Source Code Pro, cut for a first visit: weights from 400 to 700, of
the extended Latin letters those of European languages, of the features those that style sheets use, no hints. Their
licence, the SIL Open Font License 1.1, reserves the name "Source" for what Adobe made; what is cut has other names.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from vendor import Package, checksum, unpacked

TARGET = Path(__file__).resolve().parents[1] / "d2lbook" / "static" / "fonts"
WEIGHTS = (400, 700)
FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "mkmk", "pnum", "tnum"]
EUROPEAN = {*range(0x0100, 0x0180), *range(0x0218, 0x021C)}  # of the subset "latin-ext"
SUBSETS = ("latin", "latin-ext", "vietnamese")
FONTS = (  # name in npm, version, our name, styles
    ("source-serif-4", "5.3.1", "D2L Serif", ("normal", "italic")),
    ("source-sans-3", "5.3.0", "D2L Sans", ("normal",)),
    ("source-code-pro", "5.3.0", "D2L Mono", ("normal",)),
)
FAMILY, STYLE, UNIQUE, FULL, POSTSCRIPT, TRADEMARK = 1, 2, 3, 4, 6, 7
NAMES = (0, FAMILY, STYLE, UNIQUE, FULL, 5, POSTSCRIPT, 9, 11, 13, 14)  # with whose it is, version, designer, licence


def cut(data: bytes, subset: str, family: str, style: str) -> bytes:
    """A font of one of npm's subsets with less in it, under another name."""
    font = TTFont(io.BytesIO(data), recalcTimestamp=False)
    options = Options(hinting=False, layout_features=FEATURES, name_IDs=list(NAMES), notdef_outline=True)
    cutter = Subsetter(options)
    letters = set(font.getBestCmap())
    cutter.populate(unicodes=letters & EUROPEAN if subset == "latin-ext" else letters)
    cutter.subset(font)
    font = instantiateVariableFont(font, {"wght": WEIGHTS})
    rename(font, family, style)
    font.flavor = "woff2"
    written = io.BytesIO()
    font.save(written, reorderTables=True)
    return written.getvalue()


def rename(font: TTFont, family: str, style: str) -> None:
    shown = "Italic" if style == "italic" else "Regular"
    own = {FAMILY: family, STYLE: shown, FULL: f"{family} {shown}", UNIQUE: f"{family} {shown}, cut for d2lbook"}
    own[POSTSCRIPT] = f"{family.replace(' ', '')}-{shown}"
    table = font["name"]
    table.names = [name for name in table.names if name.nameID in NAMES]
    for number, text in own.items():
        table.setName(text, number, 3, 1, 0x409)
    if "STAT" in font:
        del font["STAT"]  # its names are those of Adobe's styles; browsers take the axis from fvar


def main() -> int:
    sums = []
    TARGET.mkdir(exist_ok=True)
    for name, version, family, styles in FONTS:
        files = {f"files/{name}-{subset}-wght-{style}.woff2": (subset, style) for subset in SUBSETS for style in styles}
        package = Package(f"@fontsource-variable/{name}", version, (*files, "LICENSE"))
        sum_of_package, found = unpacked(package)
        sums.append(sum_of_package)
        own = family.lower().replace(" ", "-")
        made = {
            f"{own}-{subset}-{style}.woff2": cut(found[file], subset, family, style)
            for file, (subset, style) in files.items()
        }
        made[f"{own}-LICENSE.txt"] = found["LICENSE"]
        for place, data in made.items():
            (TARGET / place).write_bytes(data)
            sums.append(checksum(data, place))
    (TARGET / "SHA256").write_text("\n".join(sums) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
