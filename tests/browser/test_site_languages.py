"""Reading in several languages: changing them, being offered one, searching as one types in each."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from barriers import find_barriers
from language_book import build_languages, open_language_book, write_language_book
from playwright.sync_api import BrowserContext, Page, expect
from static_host import hosted

from d2lbook.commands.publish import offers
from d2lbook.diagnostics import Messages
from d2lbook.export.deploy.build import prepare, write
from d2lbook.export.site.offline import pack
from d2lbook.rendering.book_context import BookContext

BELOW = "shelf/small"
Reader = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_language_book(tmp_path_factory.mktemp("languages") / "served" / "book")
    _, found = build_languages(root)
    assert found == []
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    """The address of the published book."""
    book, config = open_language_book(root)
    messages = Messages()
    context = BookContext.of(book, config, book.tabs, messages)
    folder = write(prepare([context.in_language(lang) for lang in config.all_languages], offers()), config)
    assert [str(message) for message in messages] == []
    with hosted(folder, root.parent / "host", BELOW) as found:
        yield found


def switch(page: Page, name: str) -> None:
    page.locator(".d2l-languages summary").click()
    page.locator(".d2l-languages").get_by_role("link", name=name, exact=True).click()


def test_a_change_of_language_keeps_page_framework_and_place(page: Page) -> None:
    page.goto("means.html?fw=jax#how-it-is-computed")
    switch(page, "한국어")

    page.wait_for_url("**/ko/means.html?fw=jax#how-it-is-computed")
    expect(page.locator("h1")).to_contain_text("평균")
    assert page.locator("html").get_attribute("data-fw") == "jax"
    switch(page, "English")
    page.wait_for_url("**/small/means.html?fw=jax#how-it-is-computed")


def test_the_place_is_the_heading_above_the_reader(reader: Reader) -> None:
    page = reader(viewport={"width": 390, "height": 300}).new_page()
    page.goto("means.html")
    page.locator("#fig-box").evaluate("element => element.scrollIntoView()")
    switch(page, "Türkçe")

    page.wait_for_url("**/tr/means.html?fw=pytorch#how-it-is-computed")


def put_at(page: Page, place: str, top: float) -> None:
    page.locator(place).evaluate("(element, top) => scrollBy(0, element.getBoundingClientRect().top - top)", top)


def switch_where_it_is(page: Page, lang: str) -> None:
    """Changes the language without the mouse, for which Playwright may scroll."""
    page.locator(f".d2l-languages a[hreflang={lang}]").evaluate("link => link.click()")
    page.wait_for_url(f"**/{lang}/**")
    page.wait_for_load_state("load")


@pytest.mark.parametrize(("place", "lang"), [("#fig-box", "ko"), ("#tab-sizes", "tr"), ("#tab-sizes", "vi")])
def test_the_block_that_is_read_stays_where_it_was(reader: Reader, place: str, lang: str) -> None:
    page = reader(viewport={"width": 390, "height": 300}).new_page()
    page.goto("means.html?fw=jax")
    put_at(page, place, 100)
    switch_where_it_is(page, lang)

    assert page.locator(place).evaluate("element => element.getBoundingClientRect().top") == pytest.approx(100, abs=12)


def test_a_place_in_the_address_that_was_left_is_not_gone_back_to(reader: Reader) -> None:
    page = reader(viewport={"width": 390, "height": 300}).new_page()
    page.goto("means.html?fw=jax#how-it-is-computed")
    put_at(page, "#exercises", 60)
    switch_where_it_is(page, "ko")

    assert page.url.endswith("/ko/means.html?fw=jax#exercises")


def test_the_list_opens_with_keys_and_closes_with_escape(page: Page) -> None:
    page.goto("ko/means.html")
    summary = page.locator(".d2l-languages summary")
    expect(summary).to_have_attribute("aria-label", "언어: 한국어")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".d2l-languages li a")).to_have_count(4)
    expect(page.locator(".d2l-languages a[aria-current]")).to_have_text("한국어")
    page.keyboard.press("Escape")
    expect(page.locator(".d2l-languages")).not_to_have_attribute("open", "")
    assert summary.evaluate("element => element === document.activeElement")


def test_without_javascript_languages_are_plain_links(reader: Reader) -> None:
    page = reader(java_script_enabled=False).new_page()
    page.goto("means.html")
    switch(page, "Tiếng Việt")

    page.wait_for_url("**/vi/means.html")


def test_the_language_of_the_browser_is_offered_in_it_and_not_forced(reader: Reader) -> None:
    page = reader("ko-KR").new_page()
    page.goto("means.html?fw=jax")
    offer = page.locator(".d2l-offer")
    expect(offer).to_have_attribute("lang", "ko")
    expect(offer.get_by_role("link", name="이 페이지를 한국어로 읽기")).to_be_visible()
    offer.get_by_role("button", name="나중에").click()
    expect(offer).to_have_count(0)

    page.goto("part.html")  # it was declined
    expect(page.locator(".d2l-search-open")).to_be_visible()
    expect(page.locator(".d2l-offer")).to_have_count(0)


def test_an_offer_leads_there_and_the_choice_is_remembered(reader: Reader) -> None:
    page = reader("tr").new_page()
    page.goto("means.html?fw=jax")
    page.get_by_role("link", name="Bu sayfayı Türkçe okuyun").click()
    page.wait_for_url("**/tr/means.html?fw=jax")
    expect(page.locator(".d2l-offer")).to_have_count(0)

    page.goto("part.html")
    expect(page.get_by_role("link", name="Bu sayfayı Türkçe okuyun")).to_be_visible()


def test_whoever_comes_back_to_the_book_gets_the_language_chosen(page: Page, address: str) -> None:
    page.goto("means.html")
    switch(page, "한국어")
    page.wait_for_url("**/ko/means.html*")
    page.goto(address)
    page.wait_for_url("**/ko/index.html?fw=pytorch")
    switch(page, "English")

    page.wait_for_url("**/small/index.html*")
    page.goto(address)
    expect(page.locator("h1")).to_contain_text("A Small Book")
    expect(page.locator(".d2l-offer")).to_have_count(0)


def test_nothing_is_offered_to_whom_the_page_suits(page: Page) -> None:
    page.goto("means.html")
    expect(page.locator(".d2l-copy").first).to_be_attached()
    expect(page.locator(".d2l-offer")).to_have_count(0)


def test_a_language_in_the_address_is_gone_to_or_said_to_be_none(page: Page) -> None:
    page.goto("means.html?lang=vi")
    page.wait_for_url("**/vi/means.html?fw=pytorch")
    page.goto("means.html?lang=xx&fw=jax")

    said = page.locator(".d2l-offer")
    expect(said).to_contain_text(
        "There is no edition in “xx”. The book can be read in: English, 한국어, Tiếng Việt, Türkçe"
    )
    expect(page.locator("h1")).to_contain_text("Means")
    assert page.url.endswith("means.html?fw=jax")


def test_an_unknown_language_gets_the_known_ones_of_the_same_page(page: Page, address: str) -> None:
    answer = page.goto("xx/means.html?fw=jax")
    assert answer is not None and answer.status == HTTPStatus.NOT_FOUND
    expect(page.locator("#unknown")).to_contain_text(
        "There is no edition in “xx”. The book can be read in: English, 한국어"
    )
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.locator("#unknown").get_by_role("link", name="한국어").click()
    page.wait_for_url(f"{address}ko/means.html?fw=jax")


def test_a_missing_page_of_a_language_is_told_in_it(page: Page, address: str) -> None:
    page.goto("ko/gone.html")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    page.get_by_role("link", name="작은 책").click()
    page.wait_for_url(f"{address}ko/**")


def found(page: Page, address: str, words: str) -> list[str]:
    """The pages that a search names, after it said how many there are."""
    page.goto(address)
    page.keyboard.press("/")
    page.locator(".d2l-search input").fill(words)
    expect(page.locator(".d2l-search-state")).not_to_be_empty()
    links = page.locator(".d2l-search-results a")
    return [str(link.get_attribute("href")).rpartition("/")[2].partition(".html")[0] for link in links.all()]


SEARCHES = [
    ("ko", "기울기", "means"),
    ("ko", "기울기를", "means"),
    ("ko", "배치", "means"),
    ("ko", "학습", "means"),
    ("ko", "데이터병렬화", "means"),
    ("ko", "분산 학습", "means"),
    ("ko", "메모리", "means"),
    ("ko", "빛의", "part"),
    ("vi", "bộ nhớ", "means"),
    ("vi", "bo nho", "means"),
    ("vi", "dem", "means"),
    ("vi", "hòa bình", "means"),
    ("vi", "anh sang", "part"),
    ("vi", "ánh sáng", "part"),
    ("tr", "ışık", "part"),
    ("tr", "isik", "part"),
    ("tr", "IŞIK", "part"),
    ("tr", "öğrenme", "part"),
    ("tr", "islemci", "means"),
    ("tr", "İŞLEMCİ", "means"),
    ("tr", "gradyan", "means"),
    ("tr", "init", "means"),
    ("tr", "minigrup", "means"),
    ("ko", "기울기에는", "means"),
    ("ko", "장치들의", "means"),
    ("vi", "mini-batch", "means"),
    ("tr", "GPU’lar", "means"),
]


@pytest.mark.parametrize(("lang", "words", "where"), SEARCHES)
def test_search_finds_what_natives_type(page: Page, lang: str, words: str, where: str) -> None:
    assert where in found(page, f"{lang}/index.html", words)
    first = page.locator(".d2l-search-results li p").first
    expect(first.locator("mark").first).to_be_visible()
    assert "d2l-also" not in first.inner_text()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("d2l.try_gpu", "Call d2l.try_gpu first"),
        ("allreduce", "an all-reduce"),
        ("all-reduce", "an allreduce"),
        ("all reduce", "an all reduce"),
        ("resnet18", "of ResNet-18"),
        ("micro-batch", "a micro‑batch"),
    ],
)
def test_names_are_found_however_they_are_joined(page: Page, query: str, text: str) -> None:
    page.goto("vi/index.html")
    excerpt = page.evaluate(
        """async ([query, text]) => {
        await window.d2lLoad.ofLanguage("_search/spoken.js");
        await window.d2lLoad.own("find.js");
        return window.d2lFind.excerpt(text, window.d2lFind.terms(query).map(term => term.found));
    }""",
        [query, text],
    )
    assert excerpt.count("<mark>") == 1


def test_a_name_with_digits_is_no_other(page: Page) -> None:
    page.goto("tr/index.html")
    page.evaluate("window.d2lLoad.own('find.js')")
    assert page.evaluate("window.d2lFind.terms('float16').map(({ found }) => found.test('float32'))") == [False]


def test_words_in_a_row_are_marked_as_one(page: Page) -> None:
    assert found(page, "vi/index.html", "bo nho")[0] == "means"
    expect(page.locator(".d2l-search-results mark")).to_have_text("bộ nhớ")


@pytest.mark.parametrize(
    ("lang", "words"),
    [("ko", "없는말"), ("vi", "bó nhớ"), ("vi", "đo"), ("tr", "yoktur"), ("ko", "xylophone")],
)
def test_search_does_not_find_what_is_not_there(page: Page, lang: str, words: str) -> None:
    assert found(page, f"{lang}/index.html", words) == []


@pytest.fixture(scope="module")
def copies(root: Path) -> dict[str, Path]:
    """Copies to read offline, unpacked."""
    book, config = open_language_book(root)
    places = {}
    for lang in config.languages:
        place = root.parent / f"offline-{lang}"
        context = BookContext.of(book, config, book.tabs, Messages()).in_language(lang)
        with zipfile.ZipFile(pack(context)) as archive:
            archive.extractall(place)
        places[lang] = place / "small"
    return places


@pytest.mark.parametrize(("lang", "words", "where"), SEARCHES)
def test_a_copy_without_a_server_finds_the_same(
    reader: Reader, copies: dict[str, Path], lang: str, words: str, where: str
) -> None:
    page = reader().new_page()
    assert where in found(page, (copies[lang] / lang / "index.html").as_uri(), words)


def test_a_copy_begins_at_its_language(reader: Reader, copies: dict[str, Path]) -> None:
    page = reader().new_page()
    page.goto((copies["ko"] / "index.html").as_uri())
    page.wait_for_url("**/ko/index.html*")
    expect(page.locator("h1")).to_contain_text("작은 책")
    expect(page.locator(".d2l-languages")).to_have_count(0)


@pytest.mark.parametrize("lang", ["ko", "vi", "tr"])
@pytest.mark.parametrize("name", ["index", "means", "part", "plain"])
def test_no_page_is_wider_than_a_phone(reader: Reader, lang: str, name: str) -> None:
    page = reader(viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{lang}/{name}.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".d2l-languages summary").click()
    box = page.locator(".d2l-languages ul").bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("path", ["ko/part.html", "vi/means.html", "tr/plain.html", "means.html?lang=xx"])
def test_no_barrier_that_axe_knows(reader: Reader, path: str, mode: str) -> None:
    page = reader("ko-KR", color_scheme=mode).new_page()
    page.goto(path)
    for details in page.locator("details").all():
        details.evaluate("element => element.open = true")
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()


def test_korean_breaks_lines_between_words(page: Page) -> None:
    page.goto("ko/means.html")
    text = page.locator(".bd-article p").first
    assert text.evaluate("element => getComputedStyle(element).wordBreak") == "keep-all"
    assert page.locator("body").evaluate(
        "body => parseFloat(getComputedStyle(body).lineHeight) / parseFloat(getComputedStyle(body).fontSize)"
    ) == pytest.approx(1.75)
