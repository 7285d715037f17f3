"""Pictures on a page: drawings inlined, so that they follow its colours, with the scripts that redraw them."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

from d2lbook.book.unsafe import WIDTH
from d2lbook.diagnostics import BookError
from d2lbook.export.site.assets import STATIC, assets_version
from d2lbook.export.site.context import IMAGES, SCRIPTS, SiteContext
from d2lbook.files import is_file
from d2lbook.html.markup import attribute
from d2lbook.model import Figure
from d2lbook.rendering.figures import BadPicture, finding, inline_svg, labelled, read_drawing
from d2lbook.rendering.paths import EXTERNAL, beside, picture_path
from d2lbook.security.inside import book_file


class Pictures:
    """Writes the pictures of one page."""

    def __init__(self, context: SiteContext) -> None:
        self.context, self.site = context, context.site
        self.count = 0

    def picture(self, target: str, alt: str, width: str) -> str:
        """The markup of a picture: of a drawing the SVG itself, else an image."""
        style = f' style="max-width:{attribute(width)}"' if WIDTH.fullmatch(width) else ""
        if EXTERNAL.match(target):
            return self.context.remote(target, alt)
        place = beside(self.context.name, target)
        try:
            path = picture_path(self.site.config.root, self.context.name, target)
        except BadPicture as error:
            self.context.error(*finding(place, error))
            return ""
        self.count += 1
        if path.suffix.lower() != ".svg":
            if not is_file(path):
                self.context.error(f"there is no figure '{place}'", "figure-missing")
            source = attribute(self.site.shared(self.context.name, f"{IMAGES}/{quote(place)}"))
            return f'<img class="d2l-image"{style} src="{source}" alt="{attribute(alt)}" loading="lazy">'
        try:
            svg = read_drawing(path, self.site.book.drawings)
            drawing = labelled(self.context.values.of(inline_svg, svg, f"fig{self.count}"), alt)
        except (BadPicture, BookError, ValueError) as error:
            self.context.error(*finding(place, error))
            return ""
        return f'<div class="d2l-svg"{style}>{drawing}</div>'

    def interactive(self, block: Figure) -> str:
        """Where the site's script puts a drawing that follows its controls, in place of the still, and the script."""
        place = beside(self.context.name, block.interactive)
        path = book_file(self.site.config.root, self.context.name, block.interactive)
        if not block.interactive or path is None:
            return ""
        version = hashlib.sha256(path.read_bytes()).hexdigest()[:10]
        module = attribute(f"{self.site.shared(self.context.name, f'{SCRIPTS}/{place}')}?v={version}")
        runner = self.site.shared(self.context.name, f"_static/d2l/interactive.js?v={assets_version(STATIC)}")
        return (
            f'<div class="d2l-interactive d-print-none" data-module="{module}" hidden></div>'
            f'<script type="module" src="{runner}"></script>'
        )
