"""The command `deploy`: all that was built in one folder, which can be put where a host serves it."""

from __future__ import annotations

from d2lbook.editions import editions
from d2lbook.export import html
from d2lbook.export.deploy.build import changes, deploy_directory, prepare, write
from d2lbook.export.deploy.contents import Offers
from d2lbook.export.deploy.targets import Directory, open_target
from d2lbook.export.site.command import build_site
from d2lbook.session import Session


def deploy(session: Session, offers: Offers) -> bool:
    arguments, config, messages = session.arguments, session.config, session.messages
    target = open_target(arguments.target, config) if arguments.target else None
    if not arguments.dry_run:
        build_site(session, every_language=True)
    others = editions(session.book, config, config.languages, messages, session.kept.translations)
    if messages.failed:
        return False
    files = prepare(session.book, config, session.tabs, messages, offers, session.failed, others)
    if messages.failed:
        return False
    if arguments.dry_run:
        if not html.is_current(config, session.tabs):
            session.say("the site is out of date and would be built first; this is what the last one would change")
        place = target or Directory(deploy_directory(config))
        lines = list(changes(files, place.known))
        session.say("\n".join([*lines, f"{len(lines)} of {len(files)} files would change; nothing was written"]))
        return True
    session.say(f"{len(files)} files to publish: {write(files, config)}")
    if target is not None:
        session.say(target.put(files))
    return True
