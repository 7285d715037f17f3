"""The commands `html` and `linkcheck`: the site, and the links in it that lead nowhere."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from d2lbook.config import Config
from d2lbook.export import html
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.typesetting import typeset
from d2lbook.export.site.links import check_links, files_below
from d2lbook.security.output_directory import is_marked
from d2lbook.session import Session


def build_site(session: Session, every_language: bool = False) -> Path:
    """Build the site in the languages asked for, or in all; its directory."""
    return html.build(
        session.book,
        session.config,
        session.tabs,
        session.messages,
        languages=() if every_language else session.languages,
        translations=session.kept.translations,
    )


def run(session: Session) -> bool:
    if session.chosen:
        return _preview(session)
    path = build_site(session)
    if not session.messages.failed:
        session.say(f"the site: {path / 'index.html'}")
    return not session.messages.failed


def _preview(session: Session) -> bool:
    """Write only the pages named on the command line, whatever is wrong with others."""
    from d2lbook.export.site.preview import preview

    for edition, found in session.each_edition():
        for path in preview(edition, session.tabs, session.chosen, found):
            session.say(f"the page: {path}")
    return not session.messages.failed


def current(config: Config) -> Path | None:
    """The start page of the site, if nothing it is made of has changed since it was built."""
    return html.site_directory(config) / "index.html" if html.is_current(config, config.tabs) else None


def check(session: Session) -> None:
    """Report formulas that are not TeX, which KaTeX alone can tell."""
    documents = [page.document for page in session.book.pages]
    output = session.config.output_dir
    with TemporaryDirectory() as temporary:
        cache = (
            output / ".cache" if is_marked(output) else Path(temporary)
        )  # a directory that is not ours stays as it is
        typeset(documents, Formulas(cache / "formulas.sqlite"), session.messages)


def check_site_links(session: Session) -> bool:
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
