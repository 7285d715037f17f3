"""The commands `html` and `linkcheck`: the site, and the links in it that lead nowhere."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from d2lbook.export.site.assets import check_own_files
from d2lbook.export.site.build import build
from d2lbook.rendering.formulas import Formulas
from d2lbook.rendering.typesetting import typeset
from d2lbook.security.output_directory import is_marked
from d2lbook.session import Session


def build_site(session: Session, every_language: bool = False) -> Path:
    """Build the site in the languages asked for, or in all; its directory."""
    return build(session.context, () if every_language else session.languages, pending_ok=session.messages.draft)


def run(session: Session) -> bool:
    if session.messages.draft:  # shows cells without a result as such, and says which they are
        session.context.results(session.context.pages(session.chosen))
    if session.chosen:
        return _preview(session)
    path = build_site(session)
    if session.config.goes_on or not session.messages.failed:
        session.say(f"the site: {path / 'index.html'}")
    return not session.messages.failed


def _preview(session: Session) -> bool:
    """Write only the pages named on the command line, whatever is wrong with others."""
    from d2lbook.export.site.preview import preview

    for context in session.each_language():
        for path in preview(context, session.chosen):
            session.say(f"the page: {path}")
    return not session.messages.failed


def check(session: Session) -> None:
    """Report formulas that are not TeX, which KaTeX alone can tell, and files of `[html]` that are not there."""
    check_own_files(session.config, session.messages)
    output = session.config.output_dir
    with TemporaryDirectory() as temporary:
        cache = (
            output / ".cache" if is_marked(output) else Path(temporary)
        )  # a directory that is not ours stays as it is
        typeset(session.book.pages, Formulas(cache / "formulas.sqlite"), session.messages)


def check_site_links(session: Session) -> bool:
    from d2lbook.export.site.links import check_links, files_below  # and all that asks other sites

    site = build_site(session, every_language=True)
    if session.messages.failed:
        return False
    count = check_links(
        files_below(site),
        session.config.shown(site),
        session.config.base_url,
        session.messages,
        session.arguments.external,
    )
    session.say(f"looked at {count} links")
    return not session.messages.failed
