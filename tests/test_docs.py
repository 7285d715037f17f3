"""The examples in README and CONTRIBUTING do what the text says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from library_fixtures import library_text

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.commands.arguments import read_arguments
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.make import TARGETS

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md")


def fences(text: str, info: str) -> list[str]:
    return [match[2] for match in re.finditer(rf"^(`{{3,}}){info}\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)]


@pytest.mark.frameworks
def test_readme_code_prints_what_its_comments_say() -> None:
    (program,) = fences((ROOT / "README.md").read_text(), "python")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    promised = re.search(r"print\(.*\)\s+# (.*)", program)
    assert promised is not None
    assert done.stdout.strip() == promised[1]


def test_example_pages_pass_the_check(tmp_path: Path) -> None:
    pages = fences((ROOT / "README.md").read_text(), "markdown")
    assert pages, "README shows no example page"
    for number, page in enumerate(pages):
        book_root = tmp_path / str(number)
        (book_root / "d2l").mkdir(parents=True)
        (book_root / "page.md").write_text(page)
        (book_root / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\npage\n```\n")
        (book_root / "config.ini").write_text(
            "[build]\nindex = index\nstrict = true\ntabs = pytorch, mxnet, jax, tensorflow\n"
            "[library-pytorch]\nlib_file = d2l/torch.py\n[library-jax]\nlib_file = d2l/jax.py\n"
        )
        messages = Messages()
        config = load(book_root / "config.ini", messages)
        book = load_book(config, messages)
        check_book(book, config, messages)
        assert [str(message) for message in messages] == []
        library = library_text(book, config, "pytorch", messages)
        for name in re.findall(r"^def (\w+)\(.*#@save$", page, re.MULTILINE):
            assert f"def {name}(" in library


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_make_target_named_in_the_documents_exists(name: str) -> None:
    text = (ROOT / name).read_text()
    listings = re.findall(r"\bmake ([a-z][a-z-]*)\b(?=[`\s,.;]|$)", "\n".join(fences(text, "bash")))
    inline = re.findall(r"`make ([a-z][a-z-]*)\b[^`]*`", text)
    assert listings and inline, f"{name} names no target"
    assert {*listings, *inline} <= set(TARGETS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_and_their_options_exist(name: str) -> None:
    for line in "\n".join(fences((ROOT / name).read_text(), "bash")).splitlines():
        words = shlex.split(line, comments=True)
        if "d2lbook" in words:
            read_arguments(words[words.index("d2lbook") + 1 :])  # exits on what it does not know


def test_links_to_files_lead_to_files() -> None:
    for name in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text()):
            assert (ROOT / target).exists(), f"{name}: {target}"
