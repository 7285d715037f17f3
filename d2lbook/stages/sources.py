"""What commands do with the sources of a book, its libraries, results and catalogs."""

from __future__ import annotations

from d2lbook.diagnostics import error_at
from d2lbook.stages.session import Session

TRANSLATE = ("extract", "update", "status", "check", "add")


def stage_check(session: Session) -> bool:
    from d2lbook.check import check_book

    check_book(session.book, session.config, session.messages, session.kept.checked, session.kept.code)
    if not session.arguments.pages:
        return not session.messages.failed
    # An author at work on one page is not held up by another's: its findings are reported all the same.
    others = {page.document.path for page in session.book.pages if page.document.name not in session.pages}
    return not any(message.level == "error" and message.path not in others for message in session.messages)


def stage_check_all(session: Session) -> bool:
    """The check by itself looks at the translations, too; before a build they hold nothing up."""
    from d2lbook.translate.edition import check_translations

    succeeded = stage_check(session)
    check_translations(session.book, session.config, session.translations, session.messages, session.kept.translations)
    return succeeded and (bool(session.arguments.pages) or not session.messages.failed)


def stage_tabcheck(session: Session) -> bool:
    from d2lbook.check import tabcheck

    tabcheck(session.book, session.config, session.messages)
    return not session.messages.failed


def stage_outputcheck(session: Session) -> bool:
    from d2lbook.check import outputcheck

    outputcheck(session.book, session.config, session.messages)
    return not session.messages.failed


def stage_lib(session: Session) -> bool:
    from d2lbook.library import write_libraries

    for path in write_libraries(session.book, session.config, session.tabs, session.messages):
        session.say(f"wrote {path}")
    return not session.messages.failed


def stage_eval(session: Session) -> bool:
    known = set(session.messages.found)  # other pages' findings, when only some pages are asked for
    stage_lib(session)
    if any(message.level == "error" for message in session.messages.found - known):
        return False
    from d2lbook.execute import evaluate

    arguments = session.arguments
    # English, and the pages of other languages whose printed strings are translated.
    every = [session.to_run(lang) if lang in session.translations else None for lang in session.languages]
    done = [
        evaluate(
            session.book, session.config, session.tabs, session.pages, arguments.force, arguments.jobs,
            session.messages, session.say, store=not arguments.dry_run, documents=documents,
        )
        for documents in every
        if documents is None or documents
    ]  # fmt: skip
    return all(done)


def stage_status(session: Session) -> bool:
    from d2lbook.execute import status

    documents = [document for lang in session.translations for document in session.to_run(lang)]
    shown = {*session.pages, *(document.result_name for document in documents if document.name in session.pages)}
    rows = [row for row in status(session.book, session.config, session.tabs, documents) if row[0] in shown]
    width = max((len(page) for page, _, _ in rows), default=0)
    for page, tab, state in rows:
        session.say(f"{page:<{width}}  {tab:<12}{state}")
    counts = {state: sum(row[2] == state for row in rows) for state in ("fresh", "stale", "missing")}
    session.say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["stale"] + counts["missing"] == 0


def stage_activate(session: Session) -> bool:
    from d2lbook.activate import activate

    arguments, messages = session.arguments, session.messages
    messages.found.clear()  # what is wrong with other pages does not matter here
    if not arguments.tab and arguments.pages:  # d2lbook 1.0.3: activate TAB PAGE
        arguments.tab = arguments.pages.pop(0)
    if not arguments.pages:
        raise error_at(
            "activate", 0, 0, "name a tab, default or all, and pages: d2lbook activate TAB PAGE", "page-unknown"
        )
    for name in session.pages:
        if activate(f"{name}.md", arguments.tab, session.config, messages):
            session.say(f"changed {name}.md")
    return not messages.failed


def stage_translate(session: Session) -> bool:
    from d2lbook.translate import commands
    from d2lbook.translate.sources import sources

    arguments, config, messages = session.arguments, session.config, session.messages
    action = arguments.pages.pop(0) if arguments.pages else ""
    if action not in TRANSLATE:
        from d2lbook.config import nearest

        known = list(TRANSLATE)
        what = f"unknown '{action}'{nearest(action, known)}" if action else f"say what: {', '.join(known)}"
        raise error_at("translate", 0, 0, what, "translate-action")
    messages.found.clear()  # what is wrong with the pages is the check's to say
    if action == "add":
        from d2lbook.translate.add import begin, check_language

        languages: tuple[str, ...] = (check_language(config, arguments.pages),)
        arguments.pages.clear()
        begin(config, languages[0], session.say)
    else:
        languages = session.translations if arguments.lang else commands.languages_of(config)
        if arguments.lang and not languages:
            what = f"'{arguments.lang}' is the language of the pages; name one that they are translated into"
            raise error_at(arguments.lang_named_by, 0, 0, what, "lang-unknown")
    documents = commands.documents_of(session.book, session.pages)
    found = sources(documents, config, session.kept.translations, whole=not arguments.pages)
    if action == "extract":
        commands.extract(found, config, session.say)
    elif action in {"update", "add"}:
        commands.update(found, config, languages, messages, session.say, session.kept.translations)
    elif action == "status":
        commands.status(found, config, languages, messages, session.say)
    else:
        from d2lbook.translate.edition import check_translations

        check_translations(session.book, config, languages, messages, session.kept.translations)
    return not messages.failed


def stage_clear(session: Session) -> bool:
    import shutil

    config = session.config
    output = config.output_dir
    sources = [config.path.name, *(page.document.path for page in session.book.pages), *config.resources]
    sources += [library.lib_file for library in config.libraries.values() if library.lib_file]
    held = next((name for name in sources if (config.root / name).resolve().is_relative_to(output.resolve())), "")
    if held:
        session.messages.error(
            config.name_in_messages, config.line("build", "output_dir"), 1,
            f"output_dir is {output}, which holds {held} of the book; name a directory of its own", "clear-refused",
        )  # fmt: skip
        return False
    if output.exists():
        shutil.rmtree(output)
        session.say(f"removed {output}")
    return True
