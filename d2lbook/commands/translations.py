"""The command `translate`: the catalogs of the book's translations."""

from __future__ import annotations

from d2lbook.config.keys import nearest
from d2lbook.diagnostics import error_at
from d2lbook.execute.plots import plots_of
from d2lbook.session import Session
from d2lbook.translate import commands
from d2lbook.translate.add import begin, check_language
from d2lbook.translate.edition import check_translations
from d2lbook.translate.sources import sources

ACTIONS = ("extract", "update", "status", "check", "add")


def run(session: Session) -> bool:
    arguments, config, messages = session.arguments, session.config, session.messages
    action = arguments.pages.pop(0) if arguments.pages else ""
    if action not in ACTIONS:
        known = list(ACTIONS)
        what = f"unknown '{action}'{nearest(action, known)}" if action else f"say what: {', '.join(known)}"
        raise error_at("translate", 0, 0, what, "translate-action")
    messages.found.clear()  # what is wrong with the pages is the check's to say
    if action == "add":
        languages: tuple[str, ...] = (check_language(config, arguments.pages),)
        arguments.pages.clear()
        begin(config, languages[0], session.say)
    else:
        languages = session.translations if arguments.lang else commands.languages_of(config)
        if arguments.lang and not languages:
            what = f"'{arguments.lang}' is the language of the pages; name one that they are translated into"
            raise error_at(arguments.lang_named_by, 0, 0, what, "lang-unknown")
    documents = commands.documents_of(session.book, session.pages)
    plots = None if arguments.pages else plots_of(session.book, config)
    found = sources(documents, config, session.kept.translations, plots)
    if action == "extract":
        commands.extract(found, config, session.say)
    elif action in {"update", "add"}:
        commands.update(found, config, languages, messages, session.say, session.kept.translations)
    elif action == "status":
        commands.status(found, config, languages, messages, session.say)
    else:
        check_translations(session.book, config, languages, messages, session.kept.translations)
    return not messages.failed
