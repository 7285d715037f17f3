"""Puts all that is published into `_build/deploy`: files for readers, for search engines, for hosts, and a manifest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.editions import Edition
from d2lbook.export.deploy import pages
from d2lbook.export.deploy.assets import content_of, hashed_names, with_names
from d2lbook.export.deploy.contents import Offers, collect, site_files, sites_beside
from d2lbook.export.deploy.formats import with_formats
from d2lbook.export.deploy.manifest import NAME, listed_files, manifest
from d2lbook.export.offer import Files, Offer
from d2lbook.export.site.context import prefix_of
from d2lbook.export.site.current import start_page
from d2lbook.export.site.links import check_links
from d2lbook.export.site.publish import publish, recover
from d2lbook.files import remove_others, write_atomic
from d2lbook.rendering.book_context import BookContext


def deploy_directory(config: Config) -> Path:
    return config.output_dir / "deploy"


def prepare(contexts: Sequence[BookContext], offers: Offers, left_out: Collection[str] = ()) -> Files:
    """What the folder holds, manifest included; nothing is written. Broken links go to `messages`.

    `contexts`: the book in its own language, then in others; their part of the folder is named after their language.
    `offers`: the formats that may go in beside the site. `left_out`: those of them that are not to go in, though
    something lies built. Raises BookError without a site.
    """
    config, tabs, editions = contexts[0].config, contexts[0].tabs, [context.edition for context in contexts]
    if not start_page(config, config.source_lang).is_file():
        raise error_at("deploy", 0, 0, "there is no site yet; run: d2lbook html", "deploy-site")
    files = site_files(config)
    names = hashed_names(files)
    for old, new in names.items():
        files[new] = files.pop(old)
    card = ""
    if source := pages.card_source(config):
        card = f"_static/card{source.suffix}"
        files[card] = source
    for edition in editions:
        contents = collect(offers, edition.config, tabs, left_out, edition.book.words)
        if edition.is_source:
            contents.extend(sites_beside(config, (*files, *contents.files)))
        files |= {f"{prefix_of(edition.config)}{name}": path for name, path in contents.files.items()}
        _finish_pages(files, contents, edition, tabs, names, card)
    files |= {"404.html": pages.not_found(editions).encode(), "robots.txt": pages.robots(config).encode()}
    files[".nojekyll"] = b""  # GitHub Pages would leave out folders that begin with an underscore
    if config.base_url:
        files["sitemap.xml"] = pages.sitemap(editions).encode()
    check_links(files, config.shown(deploy_directory(config)), config.base_url, contexts[0].messages)
    files[NAME] = manifest(files, config.root)
    return files


def _finish_pages(
    files: Files, contents: Offer, edition: Edition, tabs: Collection[str], names: Mapping[str, str], card: str
) -> None:
    """Completes the pages of an edition among the folder's files; `contents` has what else there is of it."""
    book, config = edition.book, edition.config
    for page in book.pages:
        name = f"{prefix_of(config)}{page.document.name}.html"
        if name not in files:  # a dry run beside a site that is older than the page
            continue
        text = with_names(name, content_of(files[name]).decode("utf-8"), names)
        text = pages.with_card(text, page, edition, card)
        text = with_formats(text, page.document.name, edition, tabs, contents)
        if page.document.name == config.index:
            text = pages.with_downloads(text, contents.downloads, book.words)
        files[name] = text.encode("utf-8")


def write(files: Files, config: Config) -> Path:
    """Replaces `_build/deploy` by exactly `files`, atomically."""
    target = deploy_directory(config)
    work = config.output_dir / ".cache" / "deploy"
    paths: dict[str, Path] = {}
    for name, content in files.items():
        if isinstance(content, bytes):
            paths[name] = work / name
            write_atomic(work / name, content, durable=False)
        else:
            paths[name] = content
    remove_others(work, {path for name, path in paths.items() if isinstance(files[name], bytes)})
    recover(target)
    publish(paths, target)
    return target


def changes(files: Files, there: Mapping[str, str]) -> Iterator[str]:
    """A line for each file that would be added, changed or removed where files with the checksums `there` are."""
    wanted = listed_files(content_of(files[NAME]))
    for name in sorted(wanted.keys() | there.keys()):
        size = f" ({len(content_of(files[name]))} bytes)" if name in files else ""
        if name not in there:
            yield f"add {name}{size}"
        elif name not in wanted:
            yield f"remove {name}"
        elif wanted[name] != there[name]:
            yield f"change {name}{size}"
