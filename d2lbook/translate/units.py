"""A unit: one stretch of a page that is translated as a whole, and the message that stands for it in a catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass

from d2lbook.frameworks import EVERY_NAME
from d2lbook.parse.inline import without_tokens

CODE_KINDS = ("code comment", "docstring", "string")
PLOT = "plot"

# Ends of lines to editors and to polib, not to Markdown.
_OTHER_BREAK = re.compile(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_NO_WORDS = re.compile(r"<[^>\s]+>|\]\([^)]*\)|https?://\S+|&\w+;")
_WORD = re.compile(
    "[^\\W\\d_]{2,}|[\u3040-\u9fff\uac00-\ud7a3]"
)  # a single letter is a symbol, unless it is a syllable
# Words that are the same in every language: frameworks and units.
_EVERYWHERE = {
    *EVERY_NAME,
    *("NumPy", "Colab", "Jupyter", "GPU", "CPU", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "ms", "ns", "µs"),
    *("MFLOP", "GFLOP", "TFLOP", "PFLOP", "FLOP", "Hz", "MHz", "GHz"),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """One stretch of a document's text. What takes its place is written by `translate.splice`."""

    start: int  # half-open range of the document's text
    end: int
    # "title", "paragraph", "list item", "quotation", "caption", "alternative text", "table cell", "figure text",
    # "interface", "config.ini", PLOT, or one of CODE_KINDS; the names appear in catalogs.
    kind: str
    context: str  # where it stands, for the catalog: no number that an inserted block would change
    msgid: str  # the text, its line breaks taken out
    prefix: str = ""  # what a further line of it starts with: indentation, ">" of a quotation, "#" of a comment
    # How it is written: "text", "cell" of a table, "mark" in backquotes, "comment", "literal", "drawing", "word".
    form: str = "text"
    note: str = ""  # what a translator has to know
    opening: str = ""  # what the literal begins with that it stands in, such as f" or three quotes

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.msgid

    @property
    def is_code(self) -> bool:
        return self.kind in CODE_KINDS

    @property
    def optional(self) -> bool:
        """Whether it is complete without a translation: strings, in plots too, are what a program says."""
        return self.kind in {"string", PLOT}


def one_line(text: str) -> str:
    """A text without the line breaks that wrapping made; a hard break stays, as a backslash before a line's end."""
    lines = [content for line in text.strip().replace("\r\n", "\n").split("\n") if (content := line.lstrip(" \t"))]
    parts = []
    for line in lines[:-1]:
        body = line.rstrip(" \t")
        hard = body.endswith("\\") or line.startswith("  ", len(body))
        parts += [body.removesuffix("\\"), "\\\n" if hard else " "]
    return without_breaks("".join([*parts, *lines[-1:]]))


def without_breaks(text: str) -> str:
    """A text without characters that no line of a catalog can hold."""
    return _OTHER_BREAK.sub(" ", text)


def tidied(unit: Unit, translation: str) -> str:
    """A translation without the line breaks and outer spaces that an editor may have put in."""
    if unit.kind == "string":
        return translation
    if unit.form == "text":
        return one_line(translation)
    if "\n" in unit.msgid:
        return translation.strip()
    return " ".join(translation.split())


def has_words(text: str) -> bool:
    """Whether there is something to translate beside code, math, roles, addresses, numbers and names."""
    words = _WORD.findall(_NO_WORDS.sub(" ", without_tokens(text, " ")))
    return any(word not in _EVERYWHERE for word in words)


def count_words(text: str) -> int:
    return len(text.split())
