"""What commands do to build a book's formats, to show and to publish them."""

from __future__ import annotations

from pathlib import Path

from d2lbook.stages.session import Session


def _build_site(session: Session) -> Path:
    from d2lbook.export.html import build

    return build(
        session.book, session.config, session.tabs, session.messages, kept=session.kept.code,
        languages=session.languages, translations=session.kept.translations,
    )  # fmt: skip


def stage_html(session: Session) -> bool:
    path = _build_site(session)
    if not session.messages.failed:
        session.say(f"the site: {path / 'index.html'}")
    return not session.messages.failed


def stage_ipynb(session: Session) -> bool:
    from d2lbook.export.notebook.build import build

    solutions = not session.arguments.without_solutions
    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        for with_outputs in (False, True):
            paths = build(
                edition.book, edition.config, session.tabs, found, with_outputs, solutions=solutions,
                pages=pages,
            )  # fmt: skip
            if paths:
                kind = "with" if with_outputs else "without"
                session.say(f"{len(paths)} notebooks {kind} outputs in {paths[0].parent}")
    return not session.messages.failed


def stage_pdf(session: Session) -> bool:
    from d2lbook.export.pdf.build import build

    for edition, found in session.each_edition():
        for path in build(edition.book, edition.config, session.tabs, found):
            session.say(f"the PDF: {path}")
    return not session.messages.failed


def stage_epub(session: Session) -> bool:
    from d2lbook.export.epub.build import build

    for edition, found in session.each_edition():
        for path in build(edition.book, edition.config, session.tabs, found):
            session.say(f"the ePub: {path}")
    return not session.messages.failed


def stage_slides(session: Session) -> bool:
    from d2lbook.export.slides.build import build, slides_directory

    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        paths = build(edition.book, edition.config, session.tabs, found, pages)
        if paths:
            session.say(f"{len(paths)} decks of slides: {slides_directory(edition.config) / 'index.html'}")
        if session.arguments.pdf and paths:
            from d2lbook.export.slides.build import print_pdfs

            for path in print_pdfs(edition.book, edition.config, paths, found):
                session.say(f"the slides as PDF: {path}")
    return not session.messages.failed


def stage_pkg(session: Session) -> bool:
    from d2lbook.export.notebook.archive import build

    solutions = not session.arguments.without_solutions
    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        path = build(edition.book, edition.config, session.tabs, found, solutions, pages)
        if path is not None:
            session.say(f"the notebooks: {path}")
    return not session.messages.failed


def stage_offline(session: Session) -> bool:
    from d2lbook.export.site.offline import pack

    _build_site(session)
    if not session.messages.failed:
        for edition in session.editions:
            path = pack(edition.book, edition.config, session.tabs)
            session.say(f"the site to read without a server: {path}")
    return not session.messages.failed


def _hosted(session: Session, key: str) -> bool:
    from d2lbook.export.notebook.hosted.build import build
    from d2lbook.export.notebook.hosted.platforms import PLATFORMS

    pages = session.pages if session.arguments.pages else ()
    platform = PLATFORMS[key]
    for edition, found in session.each_edition():
        paths = build(edition.book, edition.config, session.tabs, platform, found, pages)
        if paths:
            session.say(
                f"{len(paths)} notebooks for {platform.name} in {session.config.output_dir / key / edition.lang}"
            )
    return not session.messages.failed


def stage_colab(session: Session) -> bool:
    return _hosted(session, "colab")


def stage_sagemaker(session: Session) -> bool:
    return _hosted(session, "sagemaker")


def stage_dist(session: Session) -> bool:
    from d2lbook.export.package.build import build

    for path in build(session.config, session.messages):
        session.say(f"the package: {path}")
    return not session.messages.failed


def stage_linkcheck(session: Session) -> bool:
    from d2lbook.export.html import build
    from d2lbook.export.site.links import check_links, files_below

    site = build(
        session.book, session.config, session.tabs, session.messages, kept=session.kept.code,
        translations=session.kept.translations,
    )  # fmt: skip
    if session.messages.failed:
        return False
    count = check_links(
        files_below(site), session.config.shown(site), session.config.base_url, session.messages,
        session.arguments.external,
    )  # fmt: skip
    session.say(f"looked at {count} links")
    return not session.messages.failed


def stage_deploy(session: Session) -> bool:
    from d2lbook.editions import editions
    from d2lbook.export.deploy.build import changes, deploy_directory, prepare, write
    from d2lbook.export.deploy.targets import Directory, open_target
    from d2lbook.export.html import build, is_current

    arguments, config, messages = session.arguments, session.config, session.messages
    target = open_target(arguments.target, config) if arguments.target else None
    if not arguments.dry_run:
        build(
            session.book, config, session.tabs, messages, kept=session.kept.code,
            translations=session.kept.translations,
        )  # fmt: skip
    others = editions(session.book, config, config.languages, messages, session.kept.translations)
    files = prepare(session.book, config, session.tabs, messages, session.failed, others) if not messages.failed else {}
    if messages.failed:
        return False
    if arguments.dry_run:
        if not is_current(config, session.tabs):
            session.say("the site is out of date and would be built first; this is what the last one would change")
        place = target or Directory(deploy_directory(config))
        lines = list(changes(files, place.known))
        session.say("\n".join([*lines, f"{len(lines)} of {len(files)} files would change; nothing was written"]))
        return True
    session.say(f"{len(files)} files to publish: {write(files, config)}")
    if target is not None:
        session.say(target.put(files))
    return True


def stage_serve(session: Session) -> bool:
    from d2lbook.serve import serve

    session.messages.found.clear()  # `serve` reports them itself, each time it builds
    serve(session.config, session.arguments.port, session.say, session.languages)
    return True
