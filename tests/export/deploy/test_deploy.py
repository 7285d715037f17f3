"""The folder of all that is published: what is in it, what it is made from, where it can be put."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from site_book import TINYBOOK, build_site

from d2lbook.book import load_book
from d2lbook.cli import main
from d2lbook.commands.publish import offers
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.deploy.build import deploy_directory, prepare, write
from d2lbook.export.deploy.targets import open_target
from d2lbook.export.offer import Files
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.security.output_directory import locked

ADDRESS = "https://book.example.org/v2"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny book with an address, its site, and stand-ins for the formats that other stages build."""
    root = tmp_path_factory.mktemp("deploy") / "book"
    shutil.copytree(TINYBOOK, root, ignore=shutil.ignore_patterns("_build"))
    config = root / "config.ini"
    config.write_text(config.read_text().replace("lang = en\n", f"lang = en\nbase_url = {ADDRESS}/\n"))
    with locked(root / "_build", root, ("config.ini", 0)):  # as the command line has it
        build_site(root)
    slides = root / "_build" / "slides" / "en"
    for path, content in {
        slides / "index.html": '<a href="plain/chapter_numbers/means.html">x</a>',
        slides / "plain" / "chapter_numbers" / "means.html": "deck",
        slides / "plain" / "chapter_numbers" / "means.pdf": "printed",
        root / "_build" / "pdf" / "en" / "plain.pdf": "%PDF" + "x" * 1_234_567,
        root / "_build" / "epub" / "en" / "whole.epub": "ePub",
        root / "_build" / "pkg" / "en" / "tinybook-notebooks.zip": "zip",
        root / "_build" / "colab" / "en" / "exact" / "chapter_numbers" / "means.ipynb": "{}",
        root / "_build" / "sagemaker" / "en" / "exact" / "chapter_numbers" / "means.ipynb": "{}",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


@pytest.fixture
def root(built: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(built, tmp_path / "book")
    return tmp_path / "book"


def opened(root: Path) -> tuple[Book, Config]:
    config = load(root / "config.ini", Messages())
    return load_book(config, Messages()), config


def prepared(root: Path, *left_out: str) -> Files:
    book, config = opened(root)
    messages = Messages()
    files = prepare([BookContext.of(book, config, book.tabs, messages)], offers(), left_out)
    assert [str(message) for message in messages] == []
    return files


def deployed(root: Path) -> Path:
    return write(prepared(root), opened(root)[1])


def text(files: Files, name: str) -> str:
    content = files[name]
    return content.decode() if isinstance(content, bytes) else content.read_text()


def git(root: Path, *arguments: str) -> str:
    identity = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "A"}
    identity |= {"GIT_COMMITTER_EMAIL": "a@b.c", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00"}
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=root, env=os.environ | identity, check=True, capture_output=True, text=True
    ).stdout


def in_repository(root: Path) -> str:
    """Makes the book a repository with one commit; its hash."""
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A")
    git(root, "config", "user.email", "a@b.c")
    (root / ".gitignore").write_text("/_build/\n")
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "The book")
    return git(root, "rev-parse", "HEAD").strip()


def test_the_folder_has_the_site_and_each_format_that_lies_built(root: Path) -> None:
    folder = deployed(root)
    for name in (
        "index.html",
        "404.html",
        "robots.txt",
        "sitemap.xml",
        ".nojekyll",
        "manifest.json",
        "slides/plain/chapter_numbers/means.html",
        "downloads/tinybook-plain.pdf",
        "downloads/tinybook-whole.epub",
        "downloads/tinybook-notebooks.zip",
        "colab/en/exact/chapter_numbers/means.ipynb",
        "_notebooks/exact/preface.ipynb",
    ):
        assert (folder / name).is_file(), name


def test_the_start_page_lists_what_can_be_downloaded(root: Path) -> None:
    start = text(prepared(root), "index.html")
    listed = re.findall(r"<li>(.*?)</li>", start[start.index('id="downloads"') :].partition("</section>")[0])
    assert listed == [
        'PDF: <a href="downloads/tinybook-plain.pdf">plain</a> (1.2 MB)',
        'ePub: <a href="downloads/tinybook-whole.epub">whole</a> (4 bytes)',
        '<a href="slides/index.html">Slides</a>',
        '<a href="downloads/tinybook-notebooks.zip">Notebooks</a> (3 bytes)',
    ]
    assert 'id="downloads"' not in text(prepared(root), "preface.html")


def test_the_downloads_stand_before_the_works_cited(root: Path) -> None:
    page = root / "_build" / "html" / "index.html"
    works = '<section id="works"><h2>Works</h2><ul class="d2l-bibliography"></ul></section>'
    page.write_text(page.read_text().replace("</article>", f"{works}</article>"))
    start = text(prepared(root), "index.html")
    assert start.index("<h1>") < start.index('id="downloads"') < start.index('id="works"')


def menu(files: Files, name: str) -> list[str]:
    """The rows of a page's menu of formats."""
    page = text(files, name)
    return re.findall(r"<li.*?</li>", page[page.index('class="d2l-formats"') :].partition("</details>")[0])


def test_each_page_leads_to_its_other_formats(root: Path) -> None:
    files = prepared(root)
    slides = "../slides/plain/chapter_numbers/means"
    colab = 'href="../colab/en/exact/chapter_numbers/means.ipynb" download="means-exact-colab.ipynb"'
    sagemaker = 'href="../sagemaker/en/exact/chapter_numbers/means.ipynb" download="means-exact-sagemaker.ipynb"'
    of_all = [
        '<li><a href="../downloads/tinybook-notebooks.zip">Notebooks of all pages</a> (3 bytes)</li>',
        '<li><a href="../index.html#downloads">All downloads</a></li>',
    ]
    pdf = '<li data-for="plain"><a href="../downloads/tinybook-plain.pdf">The book as PDF · plain</a> (1.2 MB)</li>'
    epub = '<li data-for="whole"><a href="../downloads/tinybook-whole.epub">The book as ePub · whole</a> (4 bytes)</li>'
    assert menu(files, "chapter_numbers/means.html") == [
        f'<li data-for="plain"><a href="{slides}.html">Slides of this page · plain</a></li>',
        f'<li data-for="plain"><a href="{slides}.pdf">Slides as PDF · plain</a></li>',
        pdf,
        f'<li data-for="exact"><a {colab}>Notebook for Google Colab · exact</a></li>',
        f'<li data-for="exact"><a {sagemaker}>Notebook for SageMaker · exact</a></li>',
        epub,
        *of_all,
    ]
    assert menu(files, "chapter_numbers/library.html") == [pdf, epub, *of_all]
    assert menu(files, "index.html")[-1] == '<li><a href="index.html#downloads">All downloads</a></li>'


def test_a_notebook_is_offered_with_and_without_an_address_of_the_package(root: Path) -> None:
    assert any("SageMaker" in row for row in menu(prepared(root), "chapter_numbers/means.html"))
    config = root / "config.ini"
    text = config.read_text().replace("[project]\n", "[project]\nd2l_address = https://book.example.org/d2l.whl\n")
    config.write_text(text)
    assert any("SageMaker" in row for row in menu(prepared(root), "chapter_numbers/means.html"))


def test_a_notebook_that_opens_on_its_platform_is_no_download(root: Path) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text() + "\n[colab]\ngithub_repo = someone/book\n")
    assert not any("Colab" in row for row in menu(prepared(root), "chapter_numbers/means.html"))


def test_a_site_on_its_own_has_no_menu_of_formats(root: Path) -> None:
    files = prepared(root, "pdf", "epub", "slides", "pkg", "colab", "sagemaker")
    page = text(files, "chapter_numbers/means.html")
    assert "d2l-formats" not in page and "other formats" not in page
    assert "d2l-formats" not in (root / "_build" / "html" / "chapter_numbers" / "means.html").read_text()


def test_a_format_that_failed_is_left_out_with_its_link(root: Path) -> None:
    files = prepared(root, "pdf", "slides", "colab")
    assert not any("PDF" in row or "Slides" in row for row in menu(files, "chapter_numbers/means.html"))
    assert not any(name.startswith(("slides/", "colab/")) or name.endswith(".pdf") for name in files)
    assert "PDF" not in text(files, "index.html").partition('id="downloads"')[2]


def test_the_manifest_names_commit_builder_and_every_file(root: Path) -> None:
    commit = in_repository(root)
    folder = deployed(root)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["commit"], manifest["date"], manifest["modified"]) == (commit, "2026-01-02T03:04:05+00:00", False)
    assert manifest["builder"].startswith("d2lbook 2.")
    there = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    del there["manifest.json"]
    assert manifest["files"] == {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)} for name, content in there.items()
    }
    (root / "preface.md").write_text((root / "preface.md").read_text() + "\nMore.\n")
    assert json.loads(text(prepared(root), "manifest.json"))["modified"] is True


def test_the_same_sources_give_the_same_bytes_elsewhere(root: Path, built: Path) -> None:
    assert prepared(root)["manifest.json"] == prepared(built)["manifest.json"]


def test_style_sheets_and_scripts_are_named_after_their_content(root: Path) -> None:
    folder = deployed(root)
    page = (folder / "chapter_numbers" / "means.html").read_text()
    used = re.findall(r'(?:href|src)="([^"?]+\.(?:css|js))(\?[^"]*)?"', page)
    assert {"site", "search", "katex.min"} <= {Path(name).name.rsplit(".", 2)[0] for name, _ in used}
    for name, query in used:
        path = folder / "chapter_numbers" / name
        assert query == ""
        assert hashlib.sha256(path.read_bytes()).hexdigest()[:10] == path.suffixes[-2][1:]
    assert (folder / "_static" / "d2l" / "offline.js").is_file()  # search.js asks for it by this name


def test_pages_say_where_they_live_and_what_networks_show(root: Path) -> None:
    files = prepared(root)
    page = text(files, "preface.html")
    assert page.count(f'<link rel="canonical" href="{ADDRESS}/preface.html" />') == 1
    facts = dict(re.findall(r'<meta property="(og:[a-z_]+)" content="([^"]*)" />', page))
    assert facts["og:url"] == f"{ADDRESS}/preface.html"
    assert facts["og:type"] == "article" and facts["og:site_name"] == "A Tiny Book"
    assert 20 < len(facts["og:description"]) <= 203
    places = [place.text for place in ET.fromstring(text(files, "sitemap.xml")).iter() if place.tag.endswith("loc")]
    assert places[0] == f"{ADDRESS}/index.html" and f"{ADDRESS}/chapter_numbers/means.html" in places
    assert f"Sitemap: {ADDRESS}/sitemap.xml" in text(files, "robots.txt")
    assert f'href="{ADDRESS}/index.html"' in text(files, "404.html")


def test_the_card_is_a_picture_of_the_book(root: Path) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text() + "\n[deploy]\nsocial_card = img/card.png\n")
    with pytest.raises(BookError, match=r"config\.ini:50:1: error: social_card: there is no file 'img/card\.png'"):
        prepared(root)
    (root / "img" / "card.png").write_bytes(b"PNG")
    files = prepared(root)
    assert files["_static/card.png"] == root / "img" / "card.png"
    assert f'<meta property="og:image" content="{ADDRESS}/_static/card.png" />' in text(files, "preface.html")


def test_without_an_address_nothing_claims_one(root: Path) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text().replace(f"base_url = {ADDRESS}/\n", ""))
    build_site(root)
    files = prepared(root)
    assert "sitemap.xml" not in files and "Sitemap" not in text(files, "robots.txt")
    assert "canonical" not in text(files, "preface.html") and "og:url" not in text(files, "preface.html")
    assert 'href="index.html" data-seek' in text(files, "404.html")


def test_a_broken_link_is_reported_and_the_last_folder_stays(root: Path) -> None:
    folder = deployed(root)
    before = (folder / "manifest.json").read_bytes()
    page = root / "_build" / "html" / "preface.html"
    page.write_text(page.read_text().replace("</article>", '<a href="gone.html">x</a></article>'))
    book, config = opened(root)
    messages = Messages()
    prepare([BookContext.of(book, config, book.tabs, messages)], offers())
    (message,) = messages
    assert message.path == "_build/deploy/preface.html" and message.code == "link-file"
    assert (folder / "manifest.json").read_bytes() == before


def test_without_a_site_it_says_what_builds_one(root: Path) -> None:
    shutil.rmtree(root / "_build" / "html")
    with pytest.raises(BookError, match=r"there is no site yet; run: d2lbook html \[deploy-site\]"):
        prepared(root)


# ---- targets ---------------------------------------------------------------------------------------------------------


def test_a_directory_gets_the_files_and_keeps_what_is_not_ours(root: Path, tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    (host / "CNAME").write_text("book.example.org")
    config = opened(root)[1]
    open_target(str(host), config).put(prepared(root))
    assert (host / "downloads" / "tinybook-plain.pdf").is_file()
    open_target(str(host), config).put(prepared(root, "pdf", "epub", "pkg"))
    assert not (host / "downloads").exists()
    assert (host / "CNAME").read_text() == "book.example.org"


def test_a_branch_gets_the_files_and_nothing_else_changes(root: Path) -> None:
    commit = in_repository(root)
    config, files = opened(root)[1], prepared(root)
    said = open_target("branch:pages", config).put(files)
    assert "git push REMOTE pages" in said
    assert git(root, "ls-tree", "-r", "--name-only", "-z", "pages").split("\0")[:-1] == sorted(files)
    assert git(root, "show", "pages:preface.html") == text(files, "preface.html")
    assert git(root, "log", "--format=%s", "pages") == f"Publish {commit[:12]}\n"
    assert git(root, "status", "--porcelain") == "" and git(root, "rev-parse", "HEAD").strip() == commit
    assert "holds that already" in open_target("branch:pages", config).put(files)
    open_target("branch:pages", config).put(prepared(root, "pdf"))
    assert git(root, "rev-list", "--count", "pages") == "2\n"
    assert "downloads/tinybook-plain.pdf" not in git(root, "ls-tree", "-r", "--name-only", "pages")


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("nowhere", "is not a directory that is there; create it"),
        ("s3://bucket/book", "is not a directory that is there"),
        (".", "holds the book itself"),
        ("_build", "holds the book itself"),
        ("img", "holds other files, as 'line.js'"),
        ("branch:main", "is checked out"),
        ("branch:no..name", "that is no name for a branch"),
        ("branch:other", "holds other files and no manifest.json"),
    ],
)
def test_a_target_that_is_none_is_one_message(
    root: Path, monkeypatch: pytest.MonkeyPatch, target: str, why: str
) -> None:
    in_repository(root)
    git(root, "branch", "other")
    monkeypatch.chdir(root)
    with pytest.raises(BookError) as caught:
        open_target(target, opened(root)[1])
    (message,) = caught.value.messages
    assert message.path == "--target" and message.code == "deploy-target"
    assert f"'{target}'" in message.text and why in message.text


def test_a_dry_run_says_what_would_change_and_writes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["deploy", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("the site is out of date and would be built first;")  # its cells were not run
    assert "add downloads/tinybook-plain.pdf (1234571 bytes)\n" in said and "nothing was written" in said
    folder = deploy_directory(opened(root)[1])
    assert not folder.exists()
    deployed(root)
    (root / "_build" / "pdf" / "en" / "plain.pdf").unlink()
    (root / "_build" / "epub" / "en" / "whole.epub").write_text("new")
    shutil.copy(root / "preface.md", root / "chapter_numbers" / "new.md")
    index = root / "chapter_numbers" / "index.md"
    index.write_text(index.read_text().replace("means\n", "means\nnew\n", 1))
    (root / "chapter_numbers" / "new.md").write_text("# New\n\nA page that the site does not have yet.\n")
    assert main(["deploy", "--dry-run"]) == 0
    pages = {
        path.relative_to(root / "_build" / "html").as_posix() for path in (root / "_build" / "html").rglob("*.html")
    }
    assert {line.split(" (")[0] for line in capsys.readouterr().out.splitlines()[1:-1]} == {
        "remove downloads/tinybook-plain.pdf",
        "change downloads/tinybook-whole.epub",
        "change sitemap.xml",
        *(f"change {name}" for name in pages),  # each names the formats
    }
    assert main(["deploy", "--target", "nowhere"]) == 1
    assert "deploy-target" in capsys.readouterr().err


def test_one_command_builds_and_puts_and_leaves_out_what_failed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    config = root / "config.ini"
    config.write_text(config.read_text().replace("[build]\n", "[build]\neval_notebook = False\n"))
    (tmp_path / "host").mkdir()
    assert main(["deploy", "--target", str(tmp_path / "host")]) == 0
    host, folder = tmp_path / "host", deploy_directory(opened(root)[1])
    assert (host / "manifest.json").read_bytes() == (folder / "manifest.json").read_bytes()
    assert (host / "colab" / "en" / "exact" / "chapter_numbers" / "means.ipynb").is_file()
    said = capsys.readouterr()
    assert str(folder) in said.out and str(host) in said.out and said.err == ""
    config.write_text(config.read_text() + "\n[colab]\ngpu_pattern = x\n")  # a section without github_repo
    assert main(["build", "colab", "deploy"]) == 1
    assert "[hosted-repository]" in capsys.readouterr().err
    assert (folder / "index.html").is_file() and not (folder / "colab").exists()


def with_sites_beside(root: Path, *lines: str) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text() + "\n[deploy]\nbeside =\n" + "".join(f"    {line}\n" for line in lines))


def test_another_site_is_published_beside_the_book_where_it_is_built(root: Path) -> None:
    (root / "_build" / "manual" / "html").mkdir(parents=True)
    (root / "_build" / "manual" / "html" / "index.html").write_text("<title>x</title>")
    with_sites_beside(root, "manual, _build/manual/html, The manual", "notes, _build/notes, Notes")
    files = prepared(root)
    assert files["manual/index.html"] == root / "_build" / "manual" / "html" / "index.html"
    assert '<a href="manual/index.html">The manual</a>' in text(files, "index.html")
    assert not [name for name in files if name.startswith("notes/")]
    assert "Notes" not in text(files, "index.html")


@pytest.mark.parametrize("line", ["manual, _build/manual", "../x, _build/html, X", "chapter_numbers, _build/html, X"])
def test_a_site_beside_the_book_that_has_no_place_is_an_error(root: Path, line: str) -> None:
    with_sites_beside(root, line)
    with pytest.raises(BookError) as raised:
        prepared(root)
    assert [message.code for message in raised.value.messages] == ["config-value"]
