"""The site's fonts: what a visit loads of them, and that they have the letters of the book."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path

from d2lbook.export.site.assets import STATIC
from d2lbook.export.site.frame import FONTS

ROOT = Path(__file__).resolve().parents[3]
RULE = re.compile(
    r'@font-face \{ font-family: "([^"]+)"; font-style: (\w+);.*?url\("([^"]+)"\).*?unicode-range: ([^;]+);'
)
LETTERS = re.compile(r"[^\W\d_]")
LATIN = (*range(0x41, 0x250), *range(0x1E00, 0x1F00))


def rules() -> list[tuple[str, str, str, set[int]]]:
    """Family, style, file and characters of each font."""
    text = (STATIC / "fonts.css").read_text(encoding="utf-8")
    return [(family, style, url, set(characters(written))) for family, style, url, written in RULE.findall(text)]


def characters(written: str) -> Iterator[int]:
    for part in written.replace("U+", "").split(", "):
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def by_family() -> list[list[set[int]]]:
    key = itemgetter(0, 1)
    return [[letters for *_, letters in group] for _, group in groupby(sorted(rules(), key=key), key)]


def test_every_font_is_there_and_checked_and_none_is_left_over() -> None:
    listed = dict(reversed(line.split("  ")) for line in (STATIC / "fonts/SHA256").read_text().splitlines())
    named = {url.removeprefix("fonts/") for *_, url, _ in rules()}
    there = {path.name for path in (STATIC / "fonts").iterdir()} - {"SHA256"}
    assert named == {name for name in there if name.endswith(".woff2")} and len(named) == 12
    assert there == {name for name in listed if not name.endswith("(npm package)")}
    for name in there:
        assert hashlib.sha256((STATIC / "fonts" / name).read_bytes()).hexdigest() == listed[name]


def test_an_ascii_page_loads_at_most_a_hundred_kilobytes_of_fonts_and_says_early_which() -> None:
    plain = [url for *_, url, letters in rules() if ord("a") in letters and "italic" not in url]
    assert set(FONTS) < set(plain) and len(plain) == 3
    assert sum((STATIC / url).stat().st_size for url in plain) < 100_000


def test_a_letter_loads_one_font_of_its_family() -> None:
    for fonts in by_family():
        for one, other in combinations(fonts, 2):
            common = {letter for letter in one & other if LETTERS.match(chr(letter))}
            assert not common, sorted(map(chr, common))


def test_the_fonts_have_the_latin_letters_of_the_book_in_all_its_languages() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("chapter_*/*.md"), *ROOT.glob("locales/*/**/*.po"), ROOT / "references.bib"]
    used = {letter for page in pages for letter in set(page.read_text(encoding="utf-8")) if LETTERS.match(letter)}
    wanted = {ord(letter) for letter in used if ord(letter) in LATIN} | {
        ord(letter) for letter in "ŁłçğışőűřščžąęÖøåŒß"
    }
    for fonts in by_family():
        missing = wanted - set().union(*fonts)
        assert not missing, sorted(map(chr, missing))
