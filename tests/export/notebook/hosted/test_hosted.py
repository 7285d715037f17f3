"""Hosted notebooks: what is installed, which machine they ask for, where links lead, figures that they carry."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from books import cell, open_book, write_book
from hosted import install_cell, pip_arguments, read

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.hosted.build import build
from d2lbook.export.notebook.hosted.install import own_words
from d2lbook.export.notebook.hosted.platforms import COLAB, SAGEMAKER, Platform
from d2lbook.export.notebook.hosted.settings import open_links, read_settings
from d2lbook.rendering.book_context import BookContext

WHEEL = "https://books.test/d2l-2.0.0-py3-none-any.whl"
PROJECT = f"[project]\ntitle = Small\nd2l_address = {WHEEL}\n"
CONFIG = f"[build]\ntabs = pytorch, mxnet, jax, tensorflow\n{PROJECT}"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 3H9" stroke="currentColor"/></svg>'
PAGE = """See :numref:`sec_second`, [**:numref:`fig_line`**], [the second](second.md) and [a place](https://a.test).

![A line](../img/line.svg)
:alt:`A line.`
:label:`fig_line`

Inline ![a dot](../img/dot.png).

"""
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
GPU = cell("from d2l import torch as d2l\nd2l.try_gpu()", "pytorch") + "".join(
    cell(f"from d2l import {name} as d2l\nd2l.num_gpus()", name) for name in ("mxnet", "jax", "tensorflow")
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "book"
    plain = cell("# a gpu would not help\n1 + 1", "all")
    write_book(root, {"part/first": PAGE + GPU, "part/second": plain, "words": "Words.\n"}, CONFIG)
    (root / "img").mkdir()
    (root / "img" / "line.svg").write_text(SVG)
    (root / "img" / "dot.png").write_bytes(DOT)
    return root


def configure(root: Path, text: str, project: str = "") -> None:
    (root / "config.ini").write_text(CONFIG + project + text)


def make(root: Path, platform: Platform = COLAB) -> list[str]:
    """Builds; what was said."""
    book, config = open_book(root)
    messages = Messages()
    build(BookContext.of(book, config, book.tabs, messages), platform)
    return [str(message) for message in messages]


def notebook(root: Path, tab: str = "pytorch", page: str = "part/first", platform: Platform = COLAB) -> dict[str, Any]:
    return read(root / "_build" / platform.key / "en" / tab / f"{page}.ipynb")


def text_of(found: dict[str, Any]) -> str:
    return "\n".join("".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "markdown")


def installed(root: Path, tab: str, platform: Platform = COLAB, page: str = "part/first") -> list[list[str]]:
    return pip_arguments(install_cell(notebook(root, tab, page, platform)), platform)


# ---- what is installed -----------------------------------------------------------------------------------------------


def test_what_a_platform_has_is_not_installed(root: Path) -> None:
    assert make(root) == []
    own = ["install", "--quiet", f"d2l @ {WHEEL}"]
    assert [installed(root, tab) for tab in ("pytorch", "jax", "tensorflow")] == [[own]] * 3
    assert installed(root, "mxnet") == [own, ["install", "--quiet", "--no-deps", "mxnet==1.9.1"]]


def test_what_a_platform_lacks_is_installed_beside_its_numpy(root: Path) -> None:
    assert make(root, SAGEMAKER) == []
    own = ["install", "--quiet", f"d2l @ {WHEEL}"]
    assert installed(root, "pytorch", SAGEMAKER) == [own]
    first, second = installed(root, "jax", SAGEMAKER)
    assert (sorted(first[2:]), second) == (["flax<0.12", "jax<0.7.2", "numpy==1.26.4"], own)
    assert "--no-deps" in installed(root, "mxnet", SAGEMAKER)[-1]  # last: pip complains of it from then on


def test_a_book_s_own_package_comes_from_its_address_whatever_its_name(root: Path) -> None:
    own = cell("from signals import torch as signals\nimport torch\nsignals.try_gpu()", "pytorch")
    (root / "part" / "first.md").write_text(f"# First\n:label:`sec_first`\n\n{own}")
    configure(root, "[library-pytorch]\nlib_file = signals/torch.py\n")
    assert make(root) == []
    assert installed(root, "pytorch") == [["install", "--quiet", f"signals @ {WHEEL}"]]


def test_a_package_that_no_library_makes_is_not_looked_up_by_its_name(root: Path) -> None:
    (root / "config.ini").write_text(CONFIG.replace(f"d2l_address = {WHEEL}\n", ""))
    said = make(root)
    assert len(set(said)) == 1 and "[project] has no d2l_address" in said[0] and "to install d2l from" in said[0]


def test_a_page_without_cells_or_without_d2l_installs_nothing(root: Path) -> None:
    assert make(root) == []
    for page in ("words", "part/second"):
        assert installed(root, "pytorch", page=page) == []


def test_the_authors_libraries_go_before_ours(root: Path) -> None:
    configure(root, "[colab]\ngithub_repo = a/b\nlibs = mxnet, mxnet, -U mxnet-cu112==1.9.1\n    d2l, d2l==RELEASE\n")
    config = (root / "config.ini").read_text().replace("[project]\n", "[project]\nrelease = 3.1\n")
    (root / "config.ini").write_text(config)
    assert make(root) == []
    words = [arguments[2:] for arguments in installed(root, "mxnet")]
    assert ["-U", "mxnet-cu112==1.9.1"] in words
    assert any("d2l==3.1" in line for line in words)
    assert not any(WHEEL in word for line in words for word in line)


def test_required_libraries_of_a_page_are_installed(root: Path) -> None:
    live = cell("%load_ext d2lbook.tab\n#required_libs('pandas>=1', 'nowhere-else<2')\ntab.interact_select(['jax'])")
    (root / "words.md").write_text(f"{live}\n# Words\n\n{cell('import sklearn', 'all')}")
    assert make(root) == []
    assert installed(root, "jax", page="words") == [["install", "--quiet", "nowhere-else<2", "numpy==2.1.3"]]
    assert make(root, SAGEMAKER) == []
    words = installed(root, "jax", SAGEMAKER, "words")[0]
    assert {"scikit-learn", "pandas>=1", "nowhere-else<2"} <= set(words)


def test_pip_is_not_asked_for_a_module_that_the_page_writes(root: Path) -> None:
    (root / "words.md").write_text(
        "# Words\n\n" + cell("%%writefile worker.py\nx = 1", "all") + "\n" + cell("import os\nimport worker", "all")
    )
    assert make(root) == []
    assert installed(root, "jax", page="words") == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (WHEEL, f'"d2l @ {WHEEL}"'),
        ("git+https://github.com/a/b@main", '"d2l @ git+https://github.com/a/b@main"'),
        ("https://github.com/a/b", '"d2l @ git+https://github.com/a/b"'),
        ("https://books.test/simple", "--index-url https://books.test/simple d2l"),
        ("--index-url https://books.test/simple", "--index-url https://books.test/simple d2l"),
        (".", ""),
    ],
)
def test_an_address_is_a_wheel_a_repository_or_an_index(address: str, words: str) -> None:
    assert own_words(address) == words


@pytest.mark.parametrize("address", ["", "nowhere"])
def test_an_address_that_leads_nowhere_is_one_message(root: Path, address: str) -> None:
    (root / "config.ini").write_text(CONFIG.replace(WHEEL, address))
    (message,) = make(root)
    assert message.startswith("config.ini:") and message.endswith("[d2l-address]")


# ---- which machine ---------------------------------------------------------------------------------------------------


def test_a_gpu_is_asked_for_where_code_asks_for_one(root: Path) -> None:
    assert make(root) == [] and make(root, SAGEMAKER) == []
    asked = [
        (tab, page)
        for tab in ("pytorch", "mxnet", "jax")
        for page in ("part/first", "part/second", "words")
        if "accelerator" in notebook(root, tab, page)["metadata"]
    ]
    assert asked == [("pytorch", "part/first"), ("jax", "part/first")]  # MXNet's build is for the CPU
    assert "accelerator" not in notebook(root, platform=SAGEMAKER)["metadata"]


def test_the_authors_pattern_decides(root: Path) -> None:
    configure(root, "[colab]\ngithub_repo = a/b\ngpu_pattern = 1 \\+ 1\n")
    assert make(root) == []
    assert "accelerator" not in notebook(root)["metadata"]
    assert notebook(root, page="part/second")["metadata"]["accelerator"] == "GPU"


def test_kernels_by_framework(root: Path) -> None:
    configure(root, "[sagemaker]\ngithub_repo = a/b\nkernel = jax, conda_jax\n    pytorch, conda_torch\n")
    assert make(root, SAGEMAKER) == []
    names = [notebook(root, tab, platform=SAGEMAKER)["metadata"]["kernelspec"]["name"] for tab in ("pytorch", "mxnet")]
    assert names == ["conda_torch", "python3"]


# ---- links and figures -----------------------------------------------------------------------------------------------


def test_links_lead_to_the_site_in_the_same_framework(root: Path) -> None:
    configure(root, "", "base_url = https://books.test/deep/\n")
    assert make(root) == []
    text = text_of(notebook(root, "jax"))
    assert "[Section 2](https://books.test/deep/part/second.html?fw=jax#sec-second)" in text
    assert "[the second](https://books.test/deep/part/second.html?fw=jax)" in text
    assert '<a href="https://books.test/deep/part/first.html?fw=jax"><img ' in text  # the badge


def test_links_lead_to_the_repository_without_a_site(root: Path) -> None:
    configure(root, "[colab]\ngithub_repo = a/b\nexclusions = words\n")
    assert make(root) == []
    assert "[Section 2](https://github.com/a/b/blob/main/en/jax/part/second.ipynb#sec-second)" in text_of(
        notebook(root, "jax")
    )
    assert not (root / "_build" / "colab" / "en" / "jax" / "words.ipynb").exists()


def test_without_either_words_stay_and_nothing_leads_nowhere(root: Path) -> None:
    assert make(root) == []
    text = text_of(notebook(root))
    assert re.search(r"See Section 2, \[Fig\. 1\.1\]\(#[^)]+\), the second and \[a place\]\(https://a\.test\)\.", text)
    assert re.findall(r"\]\((?!https?://|#)[^)]*\)", text) == []


def test_links_within_a_notebook_name_a_cell_in_colab_and_an_element_in_jupyter(root: Path) -> None:
    assert make(root) == [] and make(root, SAGEMAKER) == []
    assert "[Fig. 1.1](#fig-line)" in text_of(notebook(root, platform=SAGEMAKER))
    found = notebook(root)
    (place,) = re.findall(r"\[Fig\. 1\.1\]\(#scrollTo=([^)]+)\)", text_of(found))
    (named,) = [cell for cell in found["cells"] if cell["metadata"].get("id") == place]
    assert named["id"] == place and '<a id="fig-line"></a>' in "".join(named["source"])


def test_no_raw_mark_is_left_and_notebooks_are_valid(root: Path) -> None:
    assert make(root) == []
    for path in (root / "_build" / "colab").rglob("*.ipynb"):
        nbformat.validate(nbformat.read(path, as_version=4))
        assert not re.search(r":(?:numref|label|ref|eqref|cite|alt|width):`|\[\*\*|\*\*\]", text_of(read(path)))


def test_figures_are_inside_as_bitmaps(root: Path) -> None:
    assert make(root) == []
    found = notebook(root)
    tags = re.findall(r'<img src="data:image/png;base64,([^"]+)" alt="([^"]*)"(?: width="(\d+)")?>', text_of(found))
    assert [(alt, width) for _, alt, width in tags] == [("A line.", "90"), ("a dot", "")]
    drawn, dot = (base64.b64decode(data) for data, _, _ in tags)
    assert (int.from_bytes(drawn[16:20], "big"), dot) == (180, DOT)  # twice as sharp as it is wide
    assert "svg" not in text_of(found) and not any("attachments" in cell for cell in found["cells"])


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("line.svg", b"<svg", "this drawing is not well-formed SVG"),
        ("line.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "rsvg-convert cannot read this drawing"),
        ("dot.png", b"0" * 50_000_000, "a bitmap of 50 MB; reduce it"),
    ],
)
def test_a_bad_figure_is_one_message_and_other_pages_go_on(root: Path, name: str, content: bytes, what: str) -> None:
    (root / "img" / name).write_bytes(content)
    messages = make(root)
    assert (
        len(messages) == 1
        and f"figure 'img/{name}': {what}" in messages[0]
        and messages[0].startswith("part/first.md:")
    )
    built = {path.stem for path in (root / "_build" / "colab" / "en" / "jax").rglob("*.ipynb")}
    assert built == {"index", "second", "words"}


def test_without_rsvg_convert_the_message_says_how_to_get_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    assert "apt-get install librsvg2-bin" in make(root)[0]


# ---- settings and builds ---------------------------------------------------------------------------------------------


def test_a_section_without_repository_is_one_message_and_other_formats_go_on(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(root, "[colab]\nlibs_header = Hello\n")
    monkeypatch.chdir(root)
    assert main(["build", "colab", "sagemaker"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "[colab] no github_repo" in lines[0] and "[hosted-repository]" in lines[0]
    assert not (root / "_build" / "colab").exists()
    assert (root / "_build" / "sagemaker" / "en" / "jax" / "words.ipynb").exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("github_repo = not a repository", "config-value"),
        ("github_repo = jux, a/b", "tab-unknown"),
        ("github_repo = a/b\ngpu_pattern = (", "config-value"),
        ("github_repo = a/b\nlibs = one", "config-value"),
    ],
)
def test_bad_settings_are_told_with_their_line(root: Path, line: str, code: str) -> None:
    configure(root, f"[colab]\n{line}\n")
    (message,) = make(root)
    assert re.match(r"config\.ini:\d+:1: error: \[colab\] ", message) and message.endswith(f"[{code}]")


def test_the_site_opens_notebooks_where_there_is_a_repository(root: Path) -> None:
    repositories = "jax, a/j\n    pytorch, https://github.com/a/p@stable"
    configure(root, f"[colab]\ngithub_repo = a/b\nexclusions = words\n[sagemaker]\ngithub_repo = {repositories}\n")
    _, config = open_book(root)
    colab, lab = "https://colab.research.google.com/github/", "https://studiolab.sagemaker.aws/import/github/"
    assert open_links(config, "jax", "part/first") == [
        ("colab", f"{colab}a/b/blob/main/en/jax/part/first.ipynb"),
        ("sagemaker", f"{lab}a/j/blob/main/part/first.ipynb"),
    ]
    assert open_links(config, "pytorch", "words") == [("sagemaker", f"{lab}a/p/blob/stable/words.ipynb")]
    assert open_links(config, "mxnet", "words") == []


def test_the_header_is_the_authors(root: Path) -> None:
    configure(root, "[colab]\ngithub_repo = a/b\nlibs_header = Wait a minute.\n")
    assert make(root) == []
    assert "Wait a minute." in text_of(notebook(root))
    assert read_settings(open_book(root)[1], COLAB, Messages()).header == "Wait a minute."


def times_of_results(root: Path) -> dict[Path, int]:
    """When each file was written that is no part of the cache, which may learn from a second build."""
    paths = [path for path in (root / "_build").rglob("*") if path.is_file() and ".cache" not in path.parts]
    return {path: path.stat().st_mtime_ns for path in paths}


def test_a_second_build_changes_nothing_and_a_removed_page_goes(root: Path) -> None:
    assert make(root) == []
    before = times_of_results(root)
    assert make(root) == []
    assert before == times_of_results(root)
    (root / "index.md").write_text((root / "index.md").read_text().replace("\nwords", ""))
    (root / "words.md").unlink()
    assert make(root) == []
    assert not list((root / "_build" / "colab").rglob("words.ipynb"))


def test_what_is_up_to_date_is_not_made_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make(root) == []
    with monkeypatch.context() as patched:
        patched.setattr("d2lbook.export.notebook.hosted.build.NotebookMaker", None)
        assert make(root) == []
        with pytest.raises(TypeError):
            make(root, SAGEMAKER)
    path = root / "_build" / "colab" / "en" / "jax" / "words.ipynb"
    path.unlink()
    assert make(root) == [] and path.exists()
    (root / "words.md").write_text("# Other\n")
    assert make(root) == [] and "Other" in path.read_text()


def test_each_platforms_list_tells_its_python_and_versions() -> None:
    assert (COLAB.python, SAGEMAKER.python) == ((3, 13), (3, 12))
    assert (COLAB.packages["numpy"], SAGEMAKER.packages["numpy"]) == ("2.1.3", "1.26.4")
    assert COLAB.packages["jax"] and "jax" not in SAGEMAKER.packages and "mxnet" not in COLAB.packages
