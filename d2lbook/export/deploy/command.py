"""The command `deploy`: all that was built in one folder, which can be put where a host serves it."""

from __future__ import annotations

from collections.abc import Collection

from d2lbook.cache import Cache
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.export.deploy.build import changes, deploy_directory, prepare, write
from d2lbook.export.deploy.contents import Offers
from d2lbook.export.deploy.targets import Directory, open_target
from d2lbook.export.site.command import build_site
from d2lbook.export.site.current import is_current
from d2lbook.session import Session


def deploy(session: Session, offers: Offers) -> bool:
    arguments, config, messages = session.arguments, session.config, session.messages
    target = open_target(arguments.target, config) if arguments.target else None
    if not arguments.dry_run:
        build_site(session, every_language=True)
    contexts = [session.context.in_language(lang) for lang in config.all_languages]
    _refuse_faults(config, offers, session.failed, messages)
    if messages.failed:
        return False
    files = prepare(contexts, offers, session.failed)
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


def _refuse_faults(config: Config, offers: Collection[str], left_out: Collection[str], messages: Messages) -> None:
    """Reports formats that would be published as they were last built: with faults on their pages."""
    cache = Cache(config.output_dir)
    for name in offers:
        if name not in left_out and cache.outputs(f"faults-{name}", "") is not None:
            what = f"the format {name} was last built with faults, or as a draft; run: d2lbook {name}"
            messages.error("deploy", 0, 0, what, "deploy-faults")
