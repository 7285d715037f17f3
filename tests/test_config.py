"""config.ini: what it says, and what is said about a bad one."""

import ast
from pathlib import Path

import pytest

import d2lbook
from d2lbook.config import Config, load
from d2lbook.config.keys import IGNORED, KEYS
from d2lbook.diagnostics import BookError, Messages


def read(tmp_path: Path, text: str) -> tuple[Config, list[str]]:
    path = tmp_path / "config.ini"
    path.write_bytes(text.encode())
    messages = Messages()
    config = load(path, messages)
    return config, [str(message) for message in messages]


def test_values_and_defaults(tmp_path: Path) -> None:
    text = "[project]\ntitle = A: B\n[build]\ntabs = PyTorch,\n  jax\nnotebooks = *.md a/*.md\ntime_limit = 7\n"
    config, found = read(tmp_path, text)
    assert found == []
    assert (config.title, config.tabs, config.time_limit) == ("A: B", ("pytorch", "jax"), 7)
    assert config.notebooks == ("*.md", "a/*.md")
    assert config.output_dir == (tmp_path / "_build").resolve()


def test_a_library_section_keeps_its_aliases(tmp_path: Path) -> None:
    text = "[build]\ntabs = jax\n[library-jax]\nlib_file = x.py\nsimple_alias =\n  ones,\n  concat -> concatenate\n"
    config, found = read(tmp_path, text)
    assert found == []
    assert config.libraries["jax"].simple_alias.split() == ["ones,", "concat", "->", "concatenate"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[biuld]\n", "config.ini:1:1: error: unknown section [biuld]; did you mean 'build'? [config-section]"),
        (
            "[build]\n\ntab = jax\n",
            "config.ini:3:1: error: unknown key 'tab' in [build]; did you mean 'tabs'? [config-key]",
        ),
        (
            "[build]\ntime_limit = soon\n",
            "config.ini:2:14: error: time_limit: 'soon' is not a whole number of seconds above zero [config-value]",
        ),
        (
            "[build]\nstrict = perhaps\n",
            "config.ini:2:10: error: strict: 'perhaps' is neither true nor false [config-value]",
        ),
        (
            "[pdf]\nlatex_url = x\n",
            "config.ini:2:1: warning: 'latex_url' has no effect here; remove it [config-ignored]",
        ),
        (
            "[deploy]\ns3_bucket = s3://x\n",
            "config.ini:2:1: warning: 's3_bucket' has no effect here; remove it [config-ignored]",
        ),
        (
            "[translation]\ntranslator = aws\n",
            "config.ini:2:1: warning: 'translator' has no effect here; remove it [config-ignored]",
        ),
        (
            "[build]\ntabs = jax\n[library-jx]\nlib_file = a\n",
            "config.ini:3:1: error: [library-jx]: 'jx' is not a tab of this book; did you mean 'jax'? [tab-unknown]",
        ),
    ],
)
def test_findings(tmp_path: Path, text: str, expected: str) -> None:
    _, found = read(tmp_path, text)
    assert found == [expected]


@pytest.mark.parametrize(("section", "key"), sorted(IGNORED))
def test_a_key_without_effect_is_told_and_an_empty_one_is_not(tmp_path: Path, section: str, key: str) -> None:
    _, found = read(tmp_path, f"[{section}]\n{key} = x\n")
    assert found == [f"config.ini:2:1: warning: '{key}' has no effect here; remove it [config-ignored]"]
    assert read(tmp_path, f"[{section}]\n{key} =\n")[1] == []


def test_every_other_key_is_read_by_somebody() -> None:
    package = Path(d2lbook.__file__).parent
    sources = [path for path in package.rglob("*.py") if path.parent.name != "config"]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    read_at_once = {("build", "warning_is_error"), ("build", "source_dir")}  # by the loader itself
    keys = {key.place for key in KEYS} - read_at_once
    assert [pair for pair in sorted(keys) if pair[1].replace("-", "_") not in names] == []


def test_strict_makes_warnings_errors(tmp_path: Path) -> None:
    _, found = read(tmp_path, "[build]\nstrict = true\n[pdf]\nlatex_url = x\n")
    assert [line.split(": ")[1] for line in found] == ["error"]


def test_all_findings_come_in_one_run(tmp_path: Path) -> None:
    _, found = read(tmp_path, "[build]\nfoo = 1\nbar = 2\n[nonsense]\n")
    assert len(found) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[build]\ntabs = a\ntabs = b\n", "config.ini:3:1: error: option 'tabs'"),
        ("tabs = a\n", "config.ini:1:1: error:"),
        ("[build]\nnonsense\n", "config.ini:2:1: error: not `key = value`"),
    ],
)
def test_unreadable_files_say_where(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(BookError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(expected)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="config-missing"):
        load(tmp_path / "config.ini", Messages())


def test_windows_line_ends_and_byte_order_mark_are_no_faults(tmp_path: Path) -> None:
    config, found = read(tmp_path, "\ufeff[build]\r\ntabs = jax\r\n")
    assert (config.tabs, found) == (("jax",), [])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("[project]\nname = ../../x\nlang = ../../x\n", ["2:8", "3:8"]),
        ("[project]\nlanguages = ko, ../x,\n  tr, vi vi\n", ["2:17"]),
        ("[project]\nlanguages = ko,\n  tr,  ko\n", ["2:13"]),
        ("[project]\nbase_url = javascript:alert(1)\nedit_url = //x\n", ["2:12", "3:12"]),
        ("[build]\ntabs = a,\n  ../b\n", ["3:3"]),
        ("[build]\noutput_dir = .\n", ["2:14"]),
        ("[build]\noutput_dir = a/../..\n", ["2:14"]),
        ("[build]\noutput_dir = /\n", ["2:14"]),
        ("[build]\nsource_dir = book\noutput_dir = book\n", ["3:14"]),
        ("[html]\ncontent_sources = https://a.example:8443 https://*.b.example, wss://c\n", []),
        ("[html]\ncontent_sources = * https://a.example; 'unsafe-inline'\n", ["2:19", "2:21", "2:40"]),
        ("[build]\ntabs = a\n[library-a]\nlib_name = a ->b\n", ["4:12"]),
        ("[html]\ncontent_sources = http://a.example https://a.example/x\n", ["2:19", "2:36"]),
    ],
)
def test_values_are_refused_where_they_stand(tmp_path: Path, text: str, places: list[str]) -> None:
    config, found = read(tmp_path, text)
    assert [line.removeprefix("config.ini:").partition(": error: ")[0] for line in found] == places
    assert all(line.endswith("[config-value]") for line in found)
    assert config.output_dir == (tmp_path / "_build").resolve()  # what was refused is not used
    assert (config.name, config.lang) == ("book", "en")


def test_a_section_of_any_name_is_told_where_it_stands(tmp_path: Path) -> None:
    for name in ("a]b", "a\u2028b"):
        assert [found.partition(" error")[0] for found in read(tmp_path, f"\n[{name}]\nx = 1\n")[1]] == [
            "config.ini:2:1:"
        ]


def test_what_is_right_in_a_list_is_kept(tmp_path: Path) -> None:
    config, _ = read(tmp_path, "[project]\nlanguages = ko, ../x, tr, ko\n[build]\ntabs = a, b/c, d\n")
    assert config.languages == ("ko", "tr") and config.tabs == ("a", "d")


def test_an_output_directory_elsewhere_is_no_fault(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    config, found = read(book, "[build]\noutput_dir = ../out\n")
    assert found == [] and config.output_dir == (tmp_path / "out").resolve()


def test_no_key_both_means_something_and_is_ignored() -> None:
    assert not {key.place for key in KEYS} & IGNORED
