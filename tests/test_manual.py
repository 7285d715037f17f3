"""The manual: its reference follows the builder's tables, and its examples do what the text says."""

import importlib.util
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest
from library_fixtures import library_text

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.cli import main
from d2lbook.commands.arguments import read_arguments
from d2lbook.config import Config, load
from d2lbook.diagnostics import Message, Messages
from d2lbook.model import Book

MANUAL = Path(__file__).parent.parent / "manual"
PAGES = sorted(path.relative_to(MANUAL).as_posix() for path in MANUAL.rglob("*.md"))


def text_of(name: str) -> str:
    return (MANUAL / name).read_text(encoding="utf-8")


def fences(text: str, info: str) -> list[tuple[str, str]]:
    """The listings in a language: the text before each, and what is in it."""
    found = re.finditer(rf"^(`{{3,}}){info}\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start()], match[2]) for match in found]


def checked(root: Path) -> tuple[Book, Config, list[str]]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    check_book(book, config, messages)
    return book, config, [str(message) for message in messages]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    specification = importlib.util.spec_from_file_location("manual_generate", MANUAL / "generate.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_tables_say(generate: ModuleType) -> None:
    for name, page in generate.PAGES.items():
        assert text_of(name) == page(), f"manual/{name} is out of date; run: python manual/generate.py"


def test_a_reference_that_is_out_of_date_is_named_and_written(
    generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "PAGES", {"reference/a.md": lambda: "new"})
    monkeypatch.setattr(generate, "HERE", tmp_path)
    assert generate.main(["--check"]) == 1
    assert "reference/a.md" in capsys.readouterr().err
    assert not (tmp_path / "reference").exists()
    assert generate.main([]) == 0
    assert (tmp_path / "reference" / "a.md").read_text() == "new"
    assert generate.main(["--check"]) == 0


def test_the_manual_has_no_faults_and_fresh_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(MANUAL)[2] == []
    assert main(["status", "--config", str(MANUAL / "config.ini")]) == 0, capsys.readouterr()


@pytest.mark.parametrize("name", ["dialect.md", "interactive.md"])
def test_each_source_is_followed_by_its_result(name: str) -> None:
    page = text_of(name)
    examples = fences(page, "markdown")
    assert examples
    for before, example in examples:
        rest = page[len(before) + len(example) :]
        assert f"\n\n{example.strip()}\n" in rest, example


def test_the_script_that_the_manual_shows_is_the_one_that_runs() -> None:
    ((_, shown),) = fences(text_of("interactive.md"), "js")
    assert shown == text_of("img/rabbits.js")


def write_first_book(root: Path) -> None:
    page = text_of("first-book.md")
    for info in ("ini", "markdown"):
        for before, content in fences(page, info):
            (root / re.findall(r"`([\w.]+)`", before)[-1]).write_text(content)


def test_the_first_book_builds_as_the_manual_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_first_book(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"config.ini", "index.md", "growth.md"}
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 0
    assert main(["eval"]) == 0
    (result,) = (tmp_path / "outputs").rglob("*.json")
    assert "233" not in result.read_text()
    assert json.loads(result.read_text())["cells"][0]["outputs"][0]["data"]["text/plain"].endswith(" 144]")


def test_a_fault_is_shown_as_the_page_of_messages_shows_it(tmp_path: Path) -> None:
    write_first_book(tmp_path)
    page = tmp_path / "growth.md"
    page.write_text(page.read_text().replace(":eqref:`eq_growth`", ":eqref:`eq_grwth`"))
    ((_, shown),) = fences(text_of("reference/messages.md"), "text")
    assert checked(tmp_path)[2] == [shown.strip()]


@pytest.mark.parametrize(
    ("name", "tab", "configuration"),
    [
        ("frameworks.md", "jax", "[build]\ntabs = pytorch, jax\n"),
        ("library.md", "default", "[library-default]\nlib_file = rabbits/growth.py\n"),
    ],
)
def test_pages_that_the_manual_only_shows_pass_the_check(
    name: str, tab: str, configuration: str, tmp_path: Path
) -> None:
    examples = [example for _, example in fences(text_of(name), "markdown")]
    (tmp_path / "config.ini").write_text(f"[project]\nname = x\n{configuration}")
    pages = "\n".join(f"page{number}" for number in range(len(examples)))
    (tmp_path / "index.md").write_text(f"# Book\n\n```toc\n{pages}\n```\n")
    for number, example in enumerate(examples):
        (tmp_path / f"page{number}.md").write_text(example)
    book, config, found = checked(tmp_path)
    assert found == []
    if tab in config.libraries:
        library = library_text(book, config, tab, Messages())
        for saved in re.findall(r"^def (\w+)\(.*#@save$", "\n".join(examples), re.MULTILINE):
            assert f"def {saved}(" in library


@pytest.mark.parametrize("name", PAGES)
def test_configurations_have_known_keys(name: str, tmp_path: Path) -> None:
    for number, (_, snippet) in enumerate(fences(text_of(name), "ini")):
        path = tmp_path / f"{number}.ini"
        tabs = "" if "[build]" in snippet or "library-default" in snippet else "[build]\ntabs = pytorch, jax\n"
        path.write_text(f"{tabs}{snippet}")
        messages = Messages()
        load(path, messages)
        assert [str(message) for message in messages] == []


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_their_options_exist(name: str) -> None:
    listings = [content for _, content in fences(text_of(name), "bash")]
    inline = re.findall(r"(?<!`)`(d2lbook [a-z][^`]*)`(?!`)", text_of(name))
    for line in "\n".join([*listings, *inline]).splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["d2lbook"] and words[1:] and words[1].islower():
            read_arguments(words[1:])  # exits on what it does not know


def test_the_draft_of_the_manual_is_built_with_warnings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = text_of("running.md").partition(":label:`sec_drafts`")[2]
    ((text, example), *_) = fences(before, "markdown")
    name = re.findall(r"`([\w.]+)`", text)[-1]
    (tmp_path / "config.ini").write_text("[project]\nname = x\n")
    (tmp_path / "index.md").write_text(f"# Book\n\n```toc\n{Path(name).stem}\n```\n")
    (tmp_path / name).write_text(example)
    monkeypatch.chdir(tmp_path)
    (_, listing) = fences(before, "bash")[0]
    for line in listing.splitlines():
        assert main(shlex.split(line, comments=True)[1:]) == 0, line
        assert "warning: label 'sec_rounding' is not defined" in capsys.readouterr().err
    page = (tmp_path / "_build/html" / Path(name).with_suffix(".html")).read_text()
    assert "<code>sec_rounding</code>" in page and "Not run yet" in page


def test_the_problem_matcher_reads_what_check_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.ini").write_text("[project]\nname = x\n")
    (tmp_path / "index.md").write_text("# Book\n\nSee :numref:`sec_nowhere`.\n\n![](x.svg)\n")
    (tmp_path / "x.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    no_column = Message("chapter/page.md", 7, 0, "warning", "no column, and a [word]: in it", "result-stale")
    no_line = Message("config.ini", 0, 0, "error", "about 1:2: the file", "config-missing")
    lines += [str(no_column), str(no_line), "built 3 pages: done [1]"]
    assert [matched(line) for line in lines] == [
        {"file": "index.md", "line": "3", "column": "5", "severity": "error", "code": "label-undefined"},
        {"file": "index.md", "line": "5", "column": "1", "severity": "warning", "code": "figure-alt"},
        {"file": "chapter/page.md", "line": "7", "column": None, "severity": "warning", "code": "result-stale"},
        {"file": "config.ini", "severity": "error", "code": "config-missing"},
        {},
    ]


def matched(line: str) -> dict[str, str | None]:
    """What the manual's task for VS Code reads from a line, the message aside."""
    ((_, shown),) = fences(text_of("running.md"), "json")
    (task,) = json.loads(shown)["tasks"]
    read: list[dict[str, str | None]] = []
    for pattern in (matcher["pattern"] for matcher in task["problemMatcher"]):
        if found := re.search(pattern["regexp"], line):
            names = [name for name in ("file", "line", "column", "severity", "code") if name in pattern]
            assert found[pattern["message"]] in line
            read.append({name: found[pattern[name]] for name in names})
    assert len(read) <= 1, "two matchers take the same line"
    return read[0] if read else {}


def test_the_task_runs_commands_that_there_are() -> None:
    ((_, shown),) = fences(text_of("running.md"), "json")
    (choice,) = json.loads(shown)["inputs"]
    for command in choice["options"]:
        assert read_arguments([command])


def test_the_handler_that_the_manual_shows_draws_its_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, packages, root = text_of("diagrams.md"), tmp_path / "packages", tmp_path / "book"
    packages.mkdir()
    root.mkdir()
    ((_, module),) = fences(page, "python")
    (packages / "flowcharts.py").write_text(module)
    (root / "config.ini").write_text(fences(page, "ini")[0][1])
    ((_, example),) = fences(page, "markdown")
    (root / "index.md").write_text(example)
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.chdir(root)
    assert main(["html"]) == 0
    site = (root / "_build" / "html" / "index.html").read_text()
    assert all(f">{word}</text>" in site for word in ("read", "run", "show"))
    assert site.count("<rect") == 3 and 'aria-label="Three boxes: read leads to run, and run to show."' in site


def test_the_script_for_mermaid_finds_the_diagrams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for Mermaid's own script, which this repository has no copy of."""
    from py_mini_racer import MiniRacer

    ((_, html),) = fences(text_of("diagrams.md"), "html")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mermaid.html").write_text(html)
    (tmp_path / "own" / "mermaid.min.js").write_text("var mermaid = {};\n")
    (tmp_path / "config.ini").write_text(fences(text_of("diagrams.md"), "ini")[1][1])
    (tmp_path / "index.md").write_text("# Book\n\n```text\nflowchart LR\n  A --> B\n```\n\n```text\nplain\n```\n")
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 0
    site = (tmp_path / "_build" / "html" / "index.html").read_text()
    assert "_static/own/own/mermaid.min.js" in site
    shown = re.findall(r'class="highlight highlight-text"[^>]*><pre>(.*?)</pre>', site, re.DOTALL)
    texts = [re.sub("<[^>]*>", "", text) for text in shown]
    (script,) = re.findall(r"<script type=\"module\">(.*?)</script>", html, re.DOTALL)
    page = MiniRacer()
    page.eval(
        f"const document = {{ querySelectorAll: () => {json.dumps([{'textContent': text} for text in texts])} }};"
    )
    page.eval("let drawn = []; const mermaid = { initialize() {}, run({ nodes }) { drawn = nodes; } };")
    page.eval(script)
    assert json.loads(page.eval("JSON.stringify(drawn.map((node) => node.textContent.trim()))")) == [
        "flowchart LR\n  A --&gt; B"
    ]
