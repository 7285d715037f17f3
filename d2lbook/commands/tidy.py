"""The commands `activate` and `clear`."""

from __future__ import annotations

from d2lbook.activate import activate
from d2lbook.diagnostics import error_at
from d2lbook.security.output_directory import locked, remove
from d2lbook.session import Session


def activate_cells(session: Session) -> bool:
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


def clear(session: Session) -> bool:
    config = session.config
    output = config.output_dir
    sources = [config.path.name, *(page.document.path for page in session.book.pages), *config.resources]
    sources += [library.lib_file for library in config.libraries.values() if library.lib_file]
    held = next((name for name in sources if (config.root / name).resolve().is_relative_to(output.resolve())), "")
    if held:
        place = config.name_in_messages, config.line("build", "output_dir"), 1
        what = f"output_dir is {output}, which holds {held} of the book; name a directory of its own"
        session.messages.error(*place, what, "clear-refused")
        return False
    if output.exists():
        with locked(output, config.root, (config.name_in_messages, config.line("build", "output_dir"))):
            remove(output)
        session.say(f"removed {output}")
    return True
