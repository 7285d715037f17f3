"""`[slides] top_left` and `top_right` of `config.ini`: HTML that stands on every slide."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.slides.writer import DeckMedia
from d2lbook.html.markup import attribute, escape
from d2lbook.html.pictures import PICTURES, read_picture
from d2lbook.rendering.figures import BadPicture, finding
from d2lbook.rendering.paths import EXTERNAL
from d2lbook.security.inside import book_file
from d2lbook.security.markup import PatientParser, is_safe_link

_INLINE = {"b", "strong", "i", "em", "sub", "sup", "code", "span", "br"}
_SIDES = (("top_left", "left"), ("top_right", "right"))


def corners(config: Config, media: DeckMedia, messages: Messages) -> str:
    """Both corners; what cannot be shown without a network is reported and left out."""
    found = ""
    for key, side in _SIDES:
        written = config.value("slides", key).strip()
        if written:
            parser = _Corner(config, key, media, messages)
            parser.feed(written)
            parser.close()
            found += f'<div class="corner {side}">{"".join(parser.parts)}</div>\n'
    return found


@dataclass
class _Corner(PatientParser):
    config: Config
    key: str
    media: DeckMedia
    messages: Messages
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        PatientParser.__init__(self, convert_charrefs=True)

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._image(values.get("src", ""), values.get("alt", ""))
        elif tag == "a":
            address = values.get("href", "")
            self.parts.append(f'<a href="{attribute(address)}">' if is_safe_link(address) else "<a>")
        elif tag in _INLINE:
            self.parts.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _INLINE | {"a"} and tag != "br":
            self.parts.append(f"</{tag}>")

    def _image(self, source: str, alt: str) -> None:
        if EXTERNAL.match(source):
            self._warn(f"'{source}' is on another site; keep a copy in the book", "figure-remote")
            return
        suffix = PurePosixPath(source).suffix.lower()
        path = book_file(self.config.root, "", source)
        if suffix not in PICTURES or path is None:
            self._warn(f"there is no picture '{source}' in the book; name an SVG, PNG or JPEG", "figure-missing")
            return
        try:
            content = read_picture(path)
        except (BadPicture, BookError, OSError) as error:
            self._warn(*finding(source, error))
            return
        self.parts.append(f'<img src="{self.media.add(content, suffix)}" alt="{attribute(alt)}"/>')

    def _warn(self, text: str, code: str) -> None:
        line = self.config.line("slides", self.key)
        self.messages.warning(self.config.name_in_messages, line, 1, f"{self.key}: {text}", code)
