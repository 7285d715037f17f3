"""The site in several languages: what each part is made of, what stays when another changes, what pages say."""

from __future__ import annotations

import http.client
import re
import threading
import zipfile
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path

import pytest
from language_book import (
    PAGES,
    TRANSLATIONS,
    build_languages,
    fill,
    open_language_book,
    update_catalogs,
    write_language_book,
)

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.deploy.build import prepare
from d2lbook.export.site.build import build
from d2lbook.export.site.context import native_name
from d2lbook.export.site.current import is_current
from d2lbook.export.site.offline import offline_path, pack
from d2lbook.export.site.word_forms import other_forms
from d2lbook.export.site.work import Work
from d2lbook.library import code_of
from d2lbook.model import UiStrings
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.provenance import date_in, device_in
from d2lbook.serve import Builder
from d2lbook.server import Live, open_server
from d2lbook.translate.unit_cache import TranslationCache
from d2lbook.ui_strings import WORDS

ADDRESS = "https://example.org/book"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book, built; tests that change it make their own."""
    root = write_language_book(tmp_path_factory.mktemp("languages") / "book", ADDRESS)
    _, found = build_languages(root)
    assert found == []
    return root


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return write_language_book(tmp_path / "book")


def page(root: Path, name: str) -> str:
    return (root / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")


def anchors(text: str) -> list[str]:
    return re.findall(r'<(?:section|figure|div class="d2l-table"|figure class="d2l-figure")[^>]* id="([^"]+)"', text)


def content(root: Path) -> dict[str, bytes]:
    site = root / "_build" / "html"
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def test_a_page_is_in_its_language_from_its_title_to_the_words_of_figures(root: Path) -> None:
    text = page(root, "ko/means")

    assert '<html lang="ko"' in text
    assert "<title>1 평균 — 작은 책</title>" in text
    for words in ("그림 1.1.1</a>에 나와", "표 1.1.1</span> 크기 표", ">메모리</text>", "풀이</summary>", ">장치</t"):
        assert words in text
    assert 'aria-label="상자."' in text and 'title="이 제목으로 가는 링크"' in text and "본문으로 건너뛰기" in text
    assert "d2l-foreign" not in text and "d2l-untranslated" not in text


def test_anchors_are_the_same_in_all_languages(root: Path) -> None:
    english = anchors(page(root, "means"))

    assert {"sec-means", "how-it-is-computed", "fig-box", "exercises"} <= set(english)
    assert [anchors(page(root, f"{lang}/means")) for lang in ("ko", "vi", "tr")] == [english] * 3


def test_what_is_not_translated_is_english_marked_and_explained_once(root: Path) -> None:
    part, plain = page(root, "ko/part"), page(root, "ko/plain")

    mark = '<div class="d2l-foreign" lang="en" title="아직 번역되지 않음">\n<p>This sentence waits.</p>\n</div>'
    assert mark in part and part.count("d2l-foreign") == 1
    assert part.count("이 페이지의 일부는 아직 번역되지 않아") == 1 and "locales/ko/part.po" in part
    assert '<article class="bd-article" data-untranslated>' in plain
    assert re.search(r'<h1 class="[^"]*d2l-foreign-title[^"]*" lang="en">', plain)
    assert '<span lang="en">Plain</span>' in part  # in the book's contents
    assert "d2l-foreign" not in page(root, "part")


def test_a_page_whose_only_other_block_is_code_or_a_formula_is_not_translated_at_all(own: Path) -> None:
    """What a page says of itself is the same in every format: a listing has no language, nor has a formula."""
    (own / "plain.md").write_text("# Plain\n\nNothing is translated.\n\n```bash\nls\n```\n\n$x$\n\n* * *\n")
    update_catalogs(own)
    build_languages(own, "ko")

    text = page(own, "ko/plain")
    assert '<article class="bd-article" data-untranslated>' in text
    assert "이 페이지는 아직 번역되지 않아" in text and "이 페이지의 일부는" not in text


def test_an_english_sentence_refers_in_english(own: Path) -> None:
    sentence = next(text for text in TRANSLATIONS["ko"] if text.startswith("Each device"))
    fill(own / "locales" / "ko" / "means.po", {sentence: ""})
    build_languages(own, "ko")
    text = page(own, "ko/means")

    assert 'href="#fig-box">Fig. 1.1.1</a> shows it' in text and 'caption-number">그림 1.1.1</span>' in text


def test_an_english_sentence_cites_in_english(own: Path) -> None:
    text = "@book{li, author = {A. Li and B. Kim and C. Ng}, title = {T}, year = 2014}\n"
    (own / "refs.bib").write_text(text, encoding="utf-8")
    pages = {"means": "# Means\n\nThe gradient :cite:`li`.\n", "part": "# Heat\n\nWarm :cite:`li`.\n"}
    for name, page_text in pages.items():
        (own / f"{name}.md").write_text(page_text, encoding="utf-8")
    (own / "plain.md").write_text("# Plain\n\n:bibliography:`refs.bib`\n", encoding="utf-8")
    update_catalogs(own)
    fill(own / "locales" / "ko" / "interface.po", {"{author} et al.": "{author} 외"})
    fill(own / "locales" / "ko" / "part.po", {"Warm :cite:`li`.": "따뜻합니다 :cite:`li`."})
    build_languages(own, "ko")

    assert ">Li et al., 2014</a>" in page(own, "ko/means") and ">Li 외, 2014</a>" in page(own, "ko/part")


def test_pages_lead_to_their_other_languages_and_tell_search_engines(root: Path) -> None:
    text = page(root, "ko/means")

    assert re.findall(r'<li><a href="([^"]+)" lang="(\w+)"', text) == [
        ("../means.html", "en"),
        ("means.html", "ko"),
        *((f"../{lang}/means.html", lang) for lang in ("vi", "tr")),
    ]
    assert f'<link rel="alternate" hreflang="vi" href="{ADDRESS}/vi/means.html" />' in text
    assert f'<link rel="alternate" hreflang="x-default" href="{ADDRESS}/means.html" />' in text
    assert f'<link rel="canonical" href="{ADDRESS}/ko/means.html" />' in text
    assert 'data-offer="Read this page in English"' in text
    assert 'data-offer="이 페이지를 한국어로 읽기"' in page(root, "vi/means")


def test_languages_share_what_has_none(root: Path) -> None:
    names = content(root).keys()

    assert "_static/d2l/site.css" in names and not any(name.startswith("ko/_static") for name in names)
    assert '"../_static/d2l/site.css' in page(root, "ko/means")
    assert {"ko/_notebooks/jax/means.ipynb", "ko/pagefind/jax/pagefind.js"} <= names


def test_a_sentence_of_one_language_touches_nothing_else(own: Path) -> None:
    build_languages(own)
    before = content(own)
    fill(own / "locales" / "ko" / "plain.po", {"Nobody has translated this page.": "이제 번역되었습니다."})
    _, config = open_language_book(own)

    assert not is_current(config, config.tabs, pending_ok=True)
    assert is_current(config, config.tabs, pending_ok=True, languages=("en", "vi", "tr"))
    _, found = build_languages(own)
    after = content(own)

    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert found == [] and "이제 번역되었습니다." in page(own, "ko/plain")
    assert changed and all(name.startswith(("ko/plain.html", "ko/_notebooks/", "ko/pagefind/")) for name in changed)


def test_one_language_is_built_alone_and_keeps_the_others(own: Path) -> None:
    site, _ = build_languages(own, "ko")
    assert (site / "ko" / "index.html").exists() and (site / "_static" / "d2l" / "site.css").exists()
    assert not (site / "index.html").exists() and not (site / "vi").exists()

    build_languages(own)
    (own / "part.md").write_text("# Heat\n\nChanged.\n", encoding="utf-8")
    build_languages(own, "ko")

    assert "Changed." in page(own, "ko/part") and "speed of light" in page(own, "part")


def test_two_builds_write_the_same_bytes(root: Path, tmp_path: Path) -> None:
    other = write_language_book(tmp_path / "book", ADDRESS)
    for lang in ("tr", "ko", "en", "vi"):  # one after the other comes to the same
        build_languages(other, lang)

    assert content(other) == content(root)


def test_what_a_build_of_all_languages_finds_out_is_kept(own: Path) -> None:
    """They are made side by side, in other processes: the next build must not find everything out again."""
    book, config = open_language_book(own)
    translations = TranslationCache()
    build(BookContext.of(book, config, book.tabs, Messages(), translations), pending_ok=True)
    paths = {page.document.path for page in book.pages}
    assert {lang: translations.pages_of(lang).keys() for lang in config.languages} == dict.fromkeys(
        config.languages, paths
    )
    assert code_of(book).pages.keys() == {page.document.name for page in book.pages}


def test_a_catalog_that_cannot_be_read_is_told_and_its_page_is_english(own: Path) -> None:
    path = own / "locales" / "ko" / "means.po"
    path.write_text(path.read_text(encoding="utf-8") + '\nmsgid "x\n', encoding="utf-8")

    for _ in range(2):  # it is told until it is mended
        _, found = build_languages(own)
        assert any("locales/ko/means.po" in message and "[catalog-syntax]" in message for message in found)
    assert "The gradient of a minibatch" in page(own, "ko/means") and "빛의 속도" in page(own, "ko/part")
    assert "Gradient của minibatch" in page(own, "vi/means")


def test_an_error_in_one_translation_keeps_that_language_alone(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_languages(own)
    build_one = Work.build

    def build_or_fail(work: Work) -> dict[str, Path]:
        if work.config.lang == "ko":
            work.messages.error("part.md", 3, 1, "this cannot be set", "formula-syntax")
            return {}
        return build_one(work)

    monkeypatch.setattr(Work, "build", build_or_fail)
    (own / "part.md").write_text("# Heat\n\nNew.\n", encoding="utf-8")
    _, found = build_languages(own)

    assert "part.md:3:1: error: [ko] this cannot be set [formula-syntax]" in found
    assert "New." in page(own, "part") and "New." in page(own, "vi/part") and "빛의 속도" in page(own, "ko/part")


def test_one_language_is_served_alone_and_follows_its_catalog(own: Path) -> None:
    _, config = open_language_book(own)
    said: list[str] = []
    live = Live()
    builder = Builder(config.path, live, said.append, ("ko",))
    server = open_server(config, 0, live, ("ko",))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert builder.build(())
        connection = http.client.HTTPConnection("127.0.0.1", int(server.server_address[1]), timeout=20)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Location")) == (HTTPStatus.FOUND, "/ko/")
        connection.close()
    finally:
        server.shutdown()
        server.server_close()
    fill(own / "locales" / "ko" / "plain.po", {"Nobody has translated this page.": "이제 번역되었습니다."})
    before = live.state[0]

    assert builder.build({"locales/ko/plain.po"})
    assert live.state[0] != before and said[-1].endswith("after a change of locales/ko/plain.po")
    assert "이제 번역되었습니다." in page(own, "ko/plain")
    assert not (own / "_build" / "html" / "index.html").exists()


def test_the_environment_names_the_language(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOK_LANG", "vi")
    assert main(["html", "--config", str(own / "config.ini")]) == 1  # its one cell has no results

    (own / "config.ini").write_text(
        (own / "config.ini").read_text().replace("[build]", "[build]\neval_notebook = False"), encoding="utf-8"
    )
    assert main(["html", "--config", str(own / "config.ini")]) == 0
    assert (own / "_build" / "html" / "vi" / "index.html").exists()
    assert not (own / "_build" / "html" / "index.html").exists()


def bytes_of(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def test_the_published_folder_has_every_language(root: Path) -> None:
    book, config = open_language_book(root)
    messages = Messages()
    context = BookContext.of(book, config, book.tabs, messages)
    files = prepare([context.in_language(lang) for lang in config.all_languages], {})

    assert [str(message) for message in messages] == []
    sitemap = bytes_of(files["sitemap.xml"]).decode()
    assert f"<loc>{ADDRESS}/ko/means.html</loc>" in sitemap
    assert f'<xhtml:link rel="alternate" hreflang="tr" href="{ADDRESS}/tr/means.html"/>' in sitemap
    missing = bytes_of(files["404.html"]).decode()
    assert '<section lang="ko"' in missing and f'href="{ADDRESS}/ko/index.html"' in missing and "작은 책" in missing
    card = bytes_of(files["ko/means.html"]).decode()
    assert f'<meta property="og:url" content="{ADDRESS}/ko/means.html" />' in card and "미니배치의 기울기" in card
    assert '<meta property="og:locale" content="ko_KR" />' in card


def test_a_copy_to_read_offline_has_one_language(root: Path) -> None:
    book, config = open_language_book(root)
    context = BookContext.of(book, config, book.tabs, Messages()).in_language("ko")
    path = pack(context)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        text = archive.read("small/ko/means.html").decode()

    assert path == offline_path(context.config)
    assert {"small/index.html", "small/ko/_offline/jax.js", "small/_static/d2l/offline.js"} <= names
    assert not any(name.startswith(("small/vi", "small/ko/pagefind", "small/_notebooks")) for name in names)
    assert "d2l-languages" not in text.partition("</head>")[2]


@pytest.mark.parametrize(
    ("lang", "date"),
    [
        ("en", "2026-11-02"),
        ("ko", "2026. 11. 2."),
        ("vi", "2 thg 11, 2026"),
        ("tr", "2 Kas 2026"),
        ("xx", "2026-11-02"),
    ],
)
def test_dates_are_written_as_the_language_does(lang: str, date: str) -> None:
    assert date_in(lang, "2026-11-02") == date


def test_devices_are_told_in_words() -> None:
    words = UiStrings("ko", {"CPU, {used} of {count} cores": "CPU 코어 {count}개 중 {used}개"})

    assert device_in(words, "CPU, 2 of 8 cores") == "CPU 코어 8개 중 2개"
    assert device_in(UiStrings(), "CPU, 1 core") == "CPU, 1 core"
    assert device_in(words, "2 × NVIDIA H200") == "2 × NVIDIA H200"


def test_languages_have_the_names_that_they_give_themselves() -> None:
    assert [native_name(lang) for lang in ("en", "ko", "vi", "tr", "qq")] == [
        "English",
        "한국어",
        "Tiếng Việt",
        "Türkçe",
        "qq",
    ]


def test_words_are_found_in_forms_that_no_text_has() -> None:
    assert other_forms("데이터 병렬화는 분산학습에서", "ko") == ["데이터병렬화", "렬화", "산학습", "이터", "학습"]
    assert other_forms("분산학습은 학습이다", "ko") == ["산학습", "습이다", "이다"]
    assert other_forms("Đồng bộ", "vi") == ["dồng"]
    assert other_forms("Işık hızı", "tr") == ["hizi", "işik"]
    assert other_forms("naïve run", "tr") == []


class _Shown(HTMLParser):
    """What readers see or hear of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.silent = ""  # the element at work whose text is not for readers

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent = tag if tag in {"script", "style"} else ""
        said = {"aria-label", "title", "placeholder", "alt"}
        self.found |= {value.strip() for name, value in attrs if name in said and value}

    def handle_data(self, data: str) -> None:
        if not self.silent and data.strip():
            self.found.add(data.strip())


def test_nothing_of_the_builder_or_the_theme_stays_english(own: Path) -> None:
    fill(own / "locales" / "vi" / "interface.po", {phrase: f"«{phrase}»" for phrase in WORDS})
    config = own / "config.ini"
    config.write_text(config.read_text().replace("[project]", "[project]\ncopyright = 2026 Vi Hoa", 1))
    _, found = build_languages(own, "vi")
    reader = _Shown()
    reader.feed(page(own, "vi/means") + page(own, "vi/index") + page(own, "vi/plain"))

    assert found == [] and "«Note»" in reader.found
    assert "«© Copyright 2026 Vi Hoa.»" in reader.found
    files = ["CONTRIBUTING.md", "locales/vi/means.po", "locales/vi/plain.po"]
    of_the_book = " ".join([*TRANSLATIONS["vi"].values(), *PAGES.values(), *files])
    names = {"PyTorch", "JAX", "English", "한국어", "Tiếng Việt", "Türkçe", "#"}
    names |= {"Fig. 1.1.1", "Table 1.1.1"}  # in sentences that are not translated
    parts = {part for text in reader.found for part in re.sub(r"^[\d.]+ ", "", text).split(" — ")}
    left = {part for part in parts if "«" not in part and "»" not in part and part not in names}
    assert {part for part in left if not re.fullmatch(r"[\d.]+", part) and part not in of_the_book} == set()
