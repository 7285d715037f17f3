"""`python -m benchmarks.reading [SITE]`: the weight of a first visit to each page of a site, and how soon it works.

Packed bytes are those of gzip at level 6, as a static host sends them. Layout shift is the browser's own measure, on a
desktop and on a phone. A page is interactive when it has painted and its last long task is over, on a slow phone: a
processor four times slower, 1.6 Mbit/s, 150 ms. Exits with 1 when a goal is missed. SITE is `_build/html` by default.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from d2lbook.system_packages import BROWSERS

PHONE = {"width": 390, "height": 800}
DESKTOP = {"width": 1366, "height": 900}
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
SLOWDOWN = 4
START, LONG = "index.html", "chapter_computation/model-parallel.html"
MOST_KB = {START: 150, LONG: 330}
MOST_SHIFT, MOST_SECONDS = 0.05, 3.0
SETTLE = 2500  # ms after the load event, in which late shifts and tasks show
WATCH = """
window.seen = { shift: 0, tasks: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.seen.tasks.push([entry.startTime, entry.duration]);
}).observe({ type: "longtask", buffered: true });
"""
READ = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
  const loaded = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
  const last = Math.max(0, ...window.seen.tasks.map(([start, time]) => start + time));
  return { shift: window.seen.shift, interactive: Math.max(paint, loaded, last) / 1000 };
}"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A first visit to a page."""

    page: str
    kilobytes: float
    requests: int
    shift: float
    interactive: float  # seconds, on the slow phone; 0 where it was not asked for


class Packed(http.server.SimpleHTTPRequestHandler):
    """Serves files packed, as hosts do. Without a log."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes() if path.suffix == ".woff2" else gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path.name))
        if path.suffix != ".woff2":
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(Packed, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def visit(browser: Browser, address: str, page: str, size: dict[str, int], slow: bool) -> Visit:
    """Opens a page with an empty cache and reads what the browser measured."""
    context = browser.new_context(viewport={"width": size["width"], "height": size["height"]})
    tab = context.new_page()
    tab.add_init_script(WATCH)
    wire = context.new_cdp_session(tab)
    weights: list[float] = []
    wire.on("Network.loadingFinished", lambda event: weights.append(event["encodedDataLength"]))
    wire.send("Network.enable")
    if slow:
        wire.send("Network.emulateNetworkConditions", SLOW)
        wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    tab.goto(f"{address}/{page}", wait_until="load", timeout=60_000)
    tab.wait_for_timeout(SETTLE)
    seen = tab.evaluate(READ)
    context.close()
    return Visit(page, sum(weights) / 1000, len(weights), seen["shift"], seen["interactive"] if slow else 0)


def measure(site: Path) -> list[tuple[Visit, Visit]]:
    """Every English page on a desktop; on a phone, the two pages of the goals as the slow one."""
    names = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    pages = [name for name in names if name.count("/") < 2 and not name.startswith(("ko/", "vi/", "tr/", "_"))]
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = [
            (visit(browser, address, name, DESKTOP, False), visit(browser, address, name, PHONE, name in MOST_KB))
            for name in pages
        ]
        browser.close()
    return found


def missed(wide: Visit, narrow: Visit) -> list[str]:
    """The goals that a page misses."""
    weight = max(wide.kilobytes, narrow.kilobytes)
    wrong = [f"{weight:.0f} KB > {MOST_KB[wide.page]}"] if weight > MOST_KB.get(wide.page, weight) else []
    shift = max(wide.shift, narrow.shift)
    wrong += [f"shift {shift:.3f} > {MOST_SHIFT}"] if shift > MOST_SHIFT else []
    late = narrow.interactive > MOST_SECONDS
    return wrong + ([f"interactive {narrow.interactive:.1f} s > {MOST_SECONDS}"] if late else [])


def main(arguments: list[str]) -> int:
    print("| page | KB packed | requests | shift, desktop | shift, phone | interactive, slow phone |")
    print("|:--|--:|--:|--:|--:|--:|")
    wrong = []
    for wide, narrow in measure(Path(arguments[0] if arguments else "_build/html")):
        time = f"{narrow.interactive:.1f} s" if narrow.interactive else ""
        weight = max(wide.kilobytes, narrow.kilobytes)
        print(f"| {wide.page} | {weight:.0f} | {wide.requests} | {wide.shift:.3f} | {narrow.shift:.3f} | {time} |")
        wrong += [f"{wide.page}: {goal}" for goal in missed(wide, narrow)]
    print("\n".join(["", *wrong]) if wrong else "\nevery goal is met")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
