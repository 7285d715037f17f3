"""The interactive figures of the book: what they say against closed forms, the keyboard, print, no JavaScript."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from barriers import find_barriers
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect
from static_host import served

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.build import build
from d2lbook.rendering.book_context import BookContext

IMG = Path(__file__).parents[2] / "img"
FIGURES = ("pipeline", "planner", "ring", "step-cost")
INDEX = "# Figures\n\n" + "".join(
    f"![The caption of {name}.](img/{name}.svg)\n:alt:`The still of {name}.`\n:interactive:`img/{name}.js`\n\n"
    for name in FIGURES
)


@pytest.fixture(scope="module")
def figures_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("figures")
    (root / "img").mkdir()
    for name in FIGURES:
        for suffix in ("svg", "js"):
            shutil.copy(IMG / f"{name}.{suffix}", root / "img")
    (root / "img" / "broken.js").write_text("export const words = { en: {} };\n")
    (root / "index.md").write_text(f"{INDEX}```toc\nplain\nbroken\n```\n")
    (root / "plain.md").write_text("# Plain\n\n![No more than a picture.](img/ring.svg)\n:alt:`A ring.`\n")
    (root / "broken.md").write_text("# Broken\n\n![](img/ring.svg)\n:alt:`A ring.`\n:interactive:`img/broken.js`\n")
    (root / "config.ini").write_text("[project]\ntitle = Figures\n\n[build]\nstrict = true\nnotebooks = *.md\n")
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    site = build(BookContext.of(book, config, book.tabs, messages))
    assert [str(message) for message in messages] == []
    return site


@pytest.fixture(scope="module")
def address(figures_site: Path) -> Iterator[str]:
    with served(figures_site) as found:
        yield found


@pytest.fixture
def open_page(reader: Callable[..., BrowserContext]) -> Callable[..., Page]:
    def make(path: str = "/index.html", **settings: object) -> Page:
        page = reader(**settings).new_page()
        page.goto(path)
        return page

    return make


def test_pages_of_the_book_show_every_script() -> None:
    assert sorted(path.stem for path in IMG.glob("*.js")) == sorted(FIGURES)
    pages = "".join(path.read_text(encoding="utf-8") for path in IMG.parent.glob("chapter_*/*.md"))
    assert [name for name in FIGURES if f":interactive:`../img/{name}.js`" not in pages] == []


def figure(page: Page, name: str) -> Locator:
    found = page.locator("figure", has=page.locator(f'[data-module*="{name}.js"]'))
    expect(found).to_have_class(re.compile("d2l-live"))
    return found


def put(found: Locator, label: str, index: int) -> None:
    """Moves a slider to one of its values, as a reader does."""
    slider = found.get_by_role("slider", name=label)
    slider.focus()
    slider.press("Home")
    for _ in range(index):
        slider.press("ArrowRight")


def sentence(found: Locator) -> str:
    return found.get_by_role("status").inner_text().replace("\u00a0", " ")


def drawing(found: Locator) -> Locator:
    return found.locator(".d2l-interactive svg")


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_caption_follows_the_slider_and_is_the_page_s_own_at_first(open_page: Callable[..., Page]) -> None:
    found = figure(open_page(), "ring")
    caption = found.locator("figcaption")
    own = caption.inner_text()
    put(found, "Devices k", 3)  # 5
    expect(caption).to_contain_text("The ring for 5 devices.")
    expect(caption).to_contain_text("8 steps; 5 is complete.")
    put(found, "Devices k", 2)
    expect(caption).to_have_text(own)


@pytest.mark.parametrize(("p", "m"), [(1, 1), (4, 4), (4, 16), (8, 32), (3, 1)])
def test_the_pipeline_has_the_bubble_of_its_formula(open_page: Callable[..., Page], p: int, m: int) -> None:
    found = figure(open_page(), "pipeline")
    put(found, "Stages p", p - 1)
    put(found, "Micro-batches m", m - 1)
    bubble = (p - 1) / (m + p - 1)
    said = re.search(r"of (\d+) units .* idle for (\d+)\. .* = (\d+)/(\d+) = ([\d.]+) % of the step", sentence(found))
    assert said is not None
    assert int(said[1]) == 3 * (m + p - 1) and int(said[2]) == 3 * (p - 1)
    assert int(said[3]) / int(said[4]) == pytest.approx(bubble)
    assert float(said[5]) == pytest.approx(100 * bubble, abs=0.0501)
    # What is drawn: each device has m passes of either kind, none at the same time; the rest of its row is the bubble.
    boxes = (
        drawing(found)
        .locator("rect[class]")
        .evaluate_all(
            "all => all.map(b => [b.getAttribute('class'), ...['x', 'y', 'width'].map(n => Number(b.getAttribute(n)))])"
        )
    )
    rows = {y: sorted((left, width, kind) for kind, left, at, width in boxes if at == y) for _, _, y, _ in boxes}
    assert len(rows) == p
    for row in rows.values():
        kinds = [kind for _, _, kind in row]
        assert kinds.count("forward") == kinds.count("backward") == m
        assert sum(width for _, width, kind in row if kind == "idle") / 320 == pytest.approx(bubble, abs=0.001)
        assert all(right[0] >= left[0] + left[1] - 0.03 for left, right in pairwise(row))
        assert row[0][0] >= 34 - 0.02 and row[-1][0] + row[-1][1] <= 354 + 0.02


def test_the_example_of_the_book_is_15_8_percent(open_page: Callable[..., Page]) -> None:
    found = figure(open_page(), "pipeline")
    put(found, "Micro-batches m", 15)
    assert sentence(found) == (
        "p = 4, m = 16: of 57 units of time each device is idle for 9."
        " The bubble is (p − 1)/(m + p − 1) = 3/19 = 15.8 % of the step."
    )


@pytest.mark.parametrize("k", [2, 3, 4, 6, 8])
def test_the_ring_sends_what_its_formula_says(open_page: Callable[..., Page], k: int) -> None:
    found = figure(open_page(), "ring")
    put(found, "Devices k", k - 2)
    pattern = r"= (\d+) steps .* = ([\d.]+) times its n bytes; .* that is ([\d.]+) MB\. .* carry (\d+) times"
    said = re.search(pattern, sentence(found))
    assert said is not None
    assert int(said[1]) == int(said[4]) == 2 * (k - 1)
    assert float(said[2]) == pytest.approx(2 * (k - 1) / k, abs=0.00051)
    assert float(said[3]) == pytest.approx(2 * (k - 1) / k * 44.7, rel=0.006)
    assert drawing(found).locator("circle").count() == k  # the devices' numbers
    # Grids for the start and each step. After s steps of the first half a device holds s + 1 summands at most; each
    # step of the second half completes one more piece on every device.
    complete = drawing(found).locator("rect.complete").count()
    partial = drawing(found).locator("rect.partial").count()
    assert complete + partial == (2 * (k - 1) + 1) * k * k
    assert complete == sum(k * done for done in range(1, k + 1))


@pytest.mark.parametrize(("b", "k"), [(8, 1), (256, 8), (2048, 64), (32, 64), (2048, 2)])
def test_the_step_costs_what_its_formula_says(open_page: Callable[..., Page], b: int, k: int) -> None:
    found = figure(open_page(), "step-cost")
    put(found, "Batch size b", (b // 8).bit_length() - 1)
    put(found, "Devices k", k.bit_length() - 1)

    def seconds(devices: int) -> tuple[float, float]:
        return (
            b * 3 * 0.91e9 / (devices * 10e12),
            2 * (devices - 1) / devices * 44.7e6 / 50e9 + 2 * (devices - 1) * 10e-6,
        )

    said = [
        number(n) * {"m": 1e-3, "µ": 1e-6, "": 1}[unit]
        for n, unit in re.findall(r"([\d.,]+) ([mµ]?)s\b", sentence(found))
    ]
    arithmetic, allreduce = seconds(k)
    if k == 1:
        assert said == [pytest.approx(arithmetic, rel=0.005)]
        return
    assert said == [pytest.approx(value, rel=0.005) for value in (arithmetic, allreduce, arithmetic + allreduce)]
    faster = sum(seconds(1)) / sum(seconds(k))
    speedup = re.search(r"That is ([\d.]+) times as fast as one device, ([\d.]+) % of the ideal", sentence(found))
    assert speedup is not None
    assert float(speedup[1]) == pytest.approx(faster, rel=0.006)
    assert float(speedup[2]) == pytest.approx(100 * faster / k, abs=0.051)


def library(*names: str) -> SimpleNamespace:
    """Functions of the book's library that need no framework."""
    tree = ast.parse((IMG.parent / "d2l" / "torch.py").read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    d2l = SimpleNamespace()
    scope: dict[str, object] = {"d2l": d2l}
    exec(compile(tree, "d2l", "exec"), scope)
    d2l.__dict__.update({name: scope[name] for name in names})
    return d2l


LLAMA = {"vocabulary": 128256, "sequence": 8192, "sequences": 512}
SHAPES = (
    {"layers": 32, "width": 4096, "hidden": 14336, "kv_share": 1 / 4},
    {"layers": 80, "width": 8192, "hidden": 28672, "kv_share": 1 / 8},
    {"layers": 126, "width": 16384, "hidden": 53248, "kv_share": 1 / 16},
)
CHOICES = {
    "model": (0, 1, 2),
    "devices": (8, 64, 256, 512, 1024, 4096, 8192),
    "network": (6, 48, 192),
    "tensor": (1, 2, 4, 8, 16),
    "context": (1, 2, 4, 8),
    "pipeline": (1, 2, 4, 16),
    "chunks": (1, 2, 4, 5),
    "microbatch": (1, 2, 4),
    "stage": (0, 1, 2, 3),
    "efficiency": (0.3, 0.6, 0.8),
    "exposed": (0, 0.25, 1),
}


def test_the_planner_says_what_plan_mesh_says(open_page: Callable[..., Page]) -> None:
    page = open_page()
    module = figure(page, "planner").locator("[data-module]").get_attribute("data-module")
    d2l = library(
        "memory_ledger",
        "llama_sizes",
        "mesh_memory",
        "mesh_traffic",
        "mesh_carriers",
        "mesh_seconds",
        "check_plan",
        "plan_mesh",
    )
    random = Random(0)
    settings = [{name: random.choice(values) for name, values in CHOICES.items()} for _ in range(1000)]
    import_plan = "([path, all]) => import(new URL(path, document.baseURI)).then((module) => all.map(module.plan))"
    planned = refused = 0
    bounds = set()
    for setting, said in zip(settings, page.evaluate(import_plan, [module, settings]), strict=True):
        axes = {name: setting[name] for name in ("tensor", "context", "pipeline", "chunks", "microbatch", "stage")}
        assumed = {name: setting[name] for name in ("efficiency", "exposed")}
        data = setting["devices"] // (setting["tensor"] * setting["context"] * setting["pipeline"])
        shape = SHAPES[int(setting["model"])]
        try:
            plan = d2l.plan_mesh(**shape, **LLAMA, **axes, **assumed, data=data, network=1e9 * setting["network"])
        except ValueError:
            assert said["refused"]
            refused += 1
            continue
        assert said["refused"] == ""
        planned += 1
        bounds.add(plan["bound"])
        seconds = plan["seconds"]
        assert {**said["memory"], "total": said["total"]} == pytest.approx(plan["memory"])
        assert said["sent"] == pytest.approx(plan["sent"]) and said["carrier"] == plan["carrier"]
        assert said["parts"] == pytest.approx({name: seconds[name] for name in said["parts"]})
        assert (said["bounds"]["link"], said["bounds"]["network"]) == pytest.approx(
            (seconds["link"], seconds["network"])
        )
        assert (said["fits"], said["bound"]) == (plan["fits"], plan["bound"])
        assert (said["step"], said["mfu"], said["devices"], said["m"], said["parameters"]) == pytest.approx(
            (seconds["step"], plan["mfu"], plan["devices"], plan["microbatches"], plan["parameters"])
        )
    assert planned > 100 and refused > 100 and bounds >= {"devices", "network"}


def test_the_planner_says_what_fits_and_why_it_is_slow(open_page: Callable[..., Page]) -> None:
    found = figure(open_page(), "planner")
    assert sentence(found) == (
        "tensor 8 × context 1 × pipeline 4 × data 16, 32 micro-batches. It fits: 37.4 GB of 80 GB."
        " A step takes at least 7.79 s: devices 7.79 s, link 2.09 s, network 281 ms. The MFU is at most 45 %."
        " The devices are the bound, but exposed exchanges inside layers are 10.7 % of the step."
    )
    put(found, "Pipeline axis", 0)
    assert "It fits: 77.1 GB of 80 GB." in sentence(found)
    put(found, "ZeRO stage", 3)
    assert "The network is the bound; most of its bytes are of the data axis." in sentence(found)
    put(found, "Devices", 2)  # 32, too few for a model that is not sharded
    put(found, "ZeRO stage", 0)
    assert "It does not fit: 181 GB, of 80 GB; the largest part is optimizer." in sentence(found)
    put(found, "Devices", 0)
    put(found, "Context axis", 1)
    assert sentence(found) == "tensor 8 × context 2 × pipeline 1 needs more than 8 devices."


def test_the_planner_s_still_is_its_first_drawing(open_page: Callable[..., Page]) -> None:
    found = figure(open_page(), "planner")
    read = "svg => [...svg.querySelectorAll('text')].map(t => t.textContent).sort()"
    assert drawing(found).evaluate(read) == found.locator("> .d2l-svg svg").evaluate(read)


@pytest.mark.parametrize("name", FIGURES)
def test_sliders_change_drawing_and_sentence_and_say_their_value(open_page: Callable[..., Page], name: str) -> None:
    found = figure(open_page(), name)
    for slider in found.get_by_role("slider").all():
        before = drawing(found).inner_html(), sentence(found), slider.get_attribute("aria-valuetext")
        slider.focus()
        slider.press("ArrowRight")
        expect(slider).to_be_focused()
        assert drawing(found).inner_html() != before[0]
        assert sentence(found) != before[1]
        label = slider.locator("xpath=..").locator("span").inner_text()
        assert slider.get_attribute("aria-valuetext") == label != before[2]
    assert drawing(found).get_attribute("aria-label")


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("end", ["Home", "End"])
def test_text_stays_large_enough_and_inside_at_both_ends(open_page: Callable[..., Page], name: str, end: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    found = figure(page, name)
    for slider in found.get_by_role("slider").all():
        slider.press(end)
    assert page.locator("html").evaluate("html => html.scrollWidth") == 360
    expect_inside(found)


def expect_inside(found: Locator) -> None:
    """The texts of a drawing can be read, and none is cut off."""
    view = drawing(found).evaluate("svg => { const v = svg.viewBox.baseVal; return [v.width, v.height]; }")
    texts = (
        drawing(found)
        .locator("text")
        .evaluate_all(
            "all => all.map(t => { const b = t.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height,"
            " parseFloat(getComputedStyle(t).fontSize)]; })"
        )
    )
    for left, top, right, bottom, size in texts:
        assert size >= 11
        assert left >= -0.5 and top >= -1 and right <= view[0] + 0.5 and bottom <= view[1] + 1


@pytest.mark.parametrize("lang", ["ko", "vi", "tr"])
def test_other_languages_have_every_text_and_it_fits(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})

    def in_language(route: Route) -> None:
        text = route.fetch().text()
        route.fulfill(body=text.replace('<html lang="en"', f'<html lang="{lang}"', 1), content_type="text/html")

    page.route("**/index.html*", in_language)
    page.reload()
    for name in FIGURES:
        found = figure(page, name)
        for end in ("Home", "End"):
            for slider in found.get_by_role("slider").all():
                slider.press(end)
            expect_inside(found)
            assert "undefined" not in found.inner_text() and "steps" not in sentence(found)
            # As in the text around it: a decimal point, and 2048 in languages that read a comma as the point.
            wrong = r"\d,\d(?!\d\d\b)" if lang == "ko" else r"\d,\d|\d\.\d{3}\b"
            assert re.search(wrong, f"{sentence(found)} {found.inner_text()}") is None
        expect(found.locator(".d2l-interactive")).to_have_attribute("lang", lang)
    assert page.locator("html").evaluate("html => html.scrollWidth") == 360


def test_the_slider_stays_in_its_place_when_the_drawing_grows(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 700})
    slider = figure(page, "ring").get_by_role("slider", name="Devices k")
    slider.focus()
    before = slider.bounding_box()
    height = drawing(figure(page, "ring")).bounding_box()
    slider.press("End")
    after = slider.bounding_box()
    grown = drawing(figure(page, "ring")).bounding_box()
    assert before is not None and after is not None and height is not None and grown is not None
    assert grown["height"] > height["height"] + 50
    assert after["y"] == pytest.approx(before["y"], abs=2)


@pytest.mark.parametrize("name", FIGURES)
def test_the_first_drawing_is_the_still(open_page: Callable[..., Page], name: str) -> None:
    found = figure(open_page(), name)
    read = "svg => [...svg.querySelectorAll('text')].map(t => t.textContent).filter(t => /^\\d+$/.test(t)).sort()"
    live = drawing(found).evaluate(read)
    still = found.locator("> .d2l-svg svg").evaluate(read)
    assert live == still if name == "pipeline" else set(still) <= set(live)


def test_without_javascript_and_in_print_the_still_is_shown(open_page: Callable[..., Page]) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("figure > .d2l-svg svg:visible").count() == len(FIGURES)
    assert page.locator("input:visible, .d2l-interactive:visible").count() == 0
    page = open_page()
    for name in FIGURES:
        expect(figure(page, name).locator("> .d2l-svg")).to_be_hidden()
    page.emulate_media(media="print")
    assert page.locator("figure > .d2l-svg svg:visible").count() == len(FIGURES)
    assert page.locator("figure input:visible, .d2l-interactive:visible").count() == 0


def test_a_script_is_loaded_only_where_it_is_used_and_nothing_from_elsewhere(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page("/plain.html")
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.reload()
    assert not any("interactive.js" in url or "_scripts" in url for url in requests)
    requests.clear()
    page.goto("/index.html")
    for name in FIGURES:
        figure(page, name)
    loaded = [url for url in requests if "_scripts" in url or "interactive.js" in url]
    assert len(loaded) == 1 + len(FIGURES)
    assert all(re.search(r"\?v=[0-9a-f]{10}$", url) for url in loaded)
    assert all(url.startswith(address) or url.startswith("data:") for url in requests)
    assert wrong == []


def test_a_script_that_fails_leaves_the_still(open_page: Callable[..., Page]) -> None:
    page = open_page("/plain.html")
    with page.expect_console_message(lambda message: "broken.js" in message.text):
        page.goto("/broken.html")
    assert page.locator("figure > .d2l-svg svg").is_visible()
    assert page.locator("input[type=range]").count() == 0


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_no_barrier(open_page: Callable[..., Page], mode: str) -> None:
    page = open_page(color_scheme=mode)
    for name in FIGURES:
        figure(page, name)
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()


def test_the_drawing_follows_the_colour_mode(open_page: Callable[..., Page]) -> None:
    colours = []
    for mode in ("light", "dark"):
        found = figure(open_page(color_scheme=mode), "ring")
        text = drawing(found).locator("text").first
        colours.append(text.evaluate("text => getComputedStyle(text).fill"))
    assert colours[0] != colours[1]
