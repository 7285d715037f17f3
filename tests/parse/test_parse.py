"""What holds for every page, whatever its text: nothing is lost, places are right, time grows with length."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Document, Prose, Solution, TabProse
from d2lbook.parse import parse_document
from d2lbook.parse.markdown_blocks import split_markdown

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("chapter_*/*.md"), *ROOT.glob("tests/tinybook/**/*.md")])
PARTS = [
    "```{.python .input}\n#@tab all\nx = 1\n```",
    "```{.python .input}",
    "```",
    "```toc\na\n```",
    "````md\n```\n````",
    ":begin_tab:`a`",
    ":end_tab:",
    ":begin_solution:",
    ":end_solution:",
    "# Title",
    ":label:`x`",
    ":eqlabel:`e`",
    ":width:`1px`",
    "$$a$$",
    "$$",
    "$$\na\n$$",
    "(**$$a$$**)",
    "![c](f.svg)",
    ": caption",
    "| a |\n|---|\n| b |",
    "* item",
    "  more",
    "text",
    "[**a",
    "b**] c",
    "(~~d~~)",
    ":numref:`x` and :foo:`y`",
    "`code",
    "<!-- a",
    "-->",
    "a\tb $c\td$",
    "",
    "",
    "    indented",
    "> quote",
    "===",
    "---",
    "한국어 *말(word)*은",
    "\x0c",
    "\x85",
    "\u2028",
    "a\rb",
    "~~~",
    "1. one",
    "```eval_rst\n.. x::\n```",
    "```{.json .output}\n1\n```",
    "    ```",
    "\\",
]


def parse(text: str) -> Document:
    return parse_document(text, "page.md", Messages())


def joined(document: Document) -> str:
    """The text written back from the blocks and what stands between them."""
    parts: list[str] = []
    position = 0
    for block in document.blocks:
        parts += [document.text[position : block.span.start], document.source(block)]
        position = block.span.end
    return "".join([*parts, document.text[position:]])


def gaps(document: Document) -> str:
    """What belongs to no block."""
    position, between = 0, ""
    for block in document.blocks:
        between += document.text[position : block.span.start]
        position = block.span.end
    return between + document.text[position:]


def check_places(document: Document, blocks: tuple[Block, ...], start: int, end: int) -> None:
    """Blocks follow each other inside their container, and say the line and column where they start."""
    for block in blocks:
        assert start <= block.span.start <= block.span.end <= end
        before = document.text[: block.span.start].removeprefix("\ufeff")
        assert block.span.line == before.count("\n") + 1
        assert block.span.column == len(before) - before.rfind("\n")
        if isinstance(block, TabProse | Solution):
            check_places(document, block.blocks, block.span.start, block.span.end)
        start = block.span.end


def check(text: str) -> None:
    document = parse(text)
    assert joined(document) == text
    assert gaps(document).removeprefix("\ufeff").strip() == ""
    check_places(document, document.blocks, 0, len(text))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_are_written_back_byte_for_byte(path: Path) -> None:
    text = path.read_bytes().decode()
    for version in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        check(version)


@pytest.mark.parametrize("seed", range(150))
def test_arbitrary_pages_are_written_back_byte_for_byte(seed: int) -> None:
    dice = random.Random(seed)
    lines = [dice.choice(PARTS) for _ in range(dice.randrange(40))]
    check(dice.choice(["", "\ufeff"]) + dice.choice(["\n", "\r\n", "\n\n"]).join(lines) + dice.choice(["", "\n"]))


def test_replacing_a_block_touches_nothing_else() -> None:
    text = "# A\r\n\r\nOne.\r\n\r\n:begin_tab:`x`\r\nTwo.\r\n:end_tab:\r\n"
    document = parse(text)
    two = next(block for block in document.walk() if document.source(block) == "Two.")
    changed = text[: two.span.start] + "Zwei." + text[two.span.end :]
    assert changed == text.replace("Two.", "Zwei.")


@pytest.mark.parametrize("seed", range(60))
def test_plain_paragraphs_come_to_what_markdown_it_says(seed: int) -> None:
    """The quick way for plain paragraphs agrees with markdown-it alone; HTML in front makes it read everything."""
    dice = random.Random(seed)
    lines = [
        "word",
        "more words",
        "",
        "",
        "* item",
        "  more",
        "한국어",
        "# Title",
        "| a |",
        "|---|",
        "1. one",
        "> q",
        "    code",
        "Ünï",
    ]
    text = "\n".join(dice.choice(lines) for _ in range(dice.randrange(1, 25)))
    quick = [(block.kind, block.first, block.stop) for block in split_markdown(text)]
    whole = [(block.kind, block.first - 3, block.stop - 3) for block in split_markdown("<!-- -->\n\n\n" + text)][1:]
    assert _without_blank_ends(quick, text) == _without_blank_ends(whole, text)


def _without_blank_ends(blocks: list[tuple[str, int, int]], text: str) -> list[tuple[str, int, int]]:
    lines = text.split("\n")
    trimmed = []
    for kind, first, stop in blocks:
        while stop > first + 1 and not lines[stop - 1].strip():
            stop -= 1
        trimmed.append((kind, first, stop))
    return trimmed


@pytest.mark.parametrize(
    "part",
    [
        "word word\n",
        "words of a paragraph without an end ",
        "A paragraph.\n\n",
        "`" * 9 + " ` ",
        "$ a $b ",
        "[**a (** ",
        "[",
        "![a](",
        ":numref:`",
        "* a\n* b\n\n",
        "```{.python .input}\nx\n```\n",
    ],
)
@pytest.mark.slow
def test_a_page_of_ten_megabytes_is_parsed(part: str) -> None:
    """Ends in seconds; work that grows with the square of the length would take hours."""
    size = 10_000_000 if part.startswith("word") else 300_000
    text = part * (size // len(part))
    assert joined(parse(text)) == text


def test_links_are_defined_anywhere_on_the_page() -> None:
    document = parse("See [the page][p].\n\n:begin_tab:`a`\n[p]: https://example.org/\n:end_tab:\n")
    (prose, _) = document.blocks
    assert isinstance(prose, Prose)
    assert prose.text == "See [the page](https://example.org/)."


@pytest.mark.parametrize(
    ("character", "escape"), [("\x07", "a"), ("\x08", "b"), ("\x0b", "v"), ("\x0c", "f"), ("\r", "r")]
)
def test_control_characters_name_the_escape_they_come_from(character: str, escape: str) -> None:
    messages = Messages()
    parse_document(f"# T\n\nA ${character}x$ here.\n", "page.md", messages)
    assert [str(message) for message in messages] == [
        f"page.md:3:4: warning: control character U+{ord(character):04X}; perhaps '\\{escape}'"
        " whose backslash was lost; write it anew [control-character]"
    ]
