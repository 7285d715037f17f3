"""Every command of `d2lbook`, one row each. A new format is a package below `export` and a row here."""

from __future__ import annotations

from d2lbook.commands.command import Command, Option, one_of, port, positive
from d2lbook.frameworks import TABS

CONFIG = Option("--config", "the book's configuration (default: config.ini)", "config.ini")
TAB = Option("--tab", "only these frameworks, comma-separated")
LANG = Option("--lang", "only these languages, comma-separated (default: $BOOK_LANG, else all)")
SOLUTIONS = Option("--without-solutions", "leave solutions out", False, bool)
FORMAT = Option(
    "--format",
    "findings as text, json or github (annotations); default: text",
    "text",
    one_of("text", "json", "github"),
)
TRUST = Option("--trust", "run the book's own programs: [pdf] post_latex, its package's build, [fences]", False, bool)
HANDLERS = Option("--trust", "run what draws fences ([fences]) even if it lies in the book", False, bool)
NO_FAULTS = Option(
    "--no-faults", "build nothing of a book with errors, instead of showing them on its pages", False, bool
)
DRAFT = Option(
    "--draft", "missing results and undefined labels are warnings: part of a book can be built alone", False, bool
)
QUIET = Option("--quiet", "print findings only", False, bool)
COMMON = (CONFIG, FORMAT, QUIET)  # options that every command has

_EDITION = (TAB, LANG)
_FORMAT = (*_EDITION, NO_FAULTS, DRAFT, HANDLERS)
_TRUSTED = (*_EDITION, NO_FAULTS, DRAFT, TRUST)
_CHOSEN = "only these pages"

COMMANDS = (
    Command(
        "new",
        "d2lbook.commands.new:run",
        "begin a book: three pages, ready to build in every format",
        f"new my-book --frameworks {TABS[0]}",
        (
            Option("--frameworks", "the book's frameworks, comma-separated (default: none, plain Python)", ""),
            Option("--languages", "languages that the book will be translated into, comma-separated", ""),
        ),
        "the folder, new or empty",
        operand="DIR",
        opens_book=False,
        checks_first=False,
    ),
    Command(
        "check",
        "d2lbook.commands.checking:check",
        "report everything wrong that can be known without running code",
        "check --lang ko",
        (LANG, DRAFT, HANDLERS),
        _CHOSEN,
        checks_first=False,
        environment="html",
    ),
    Command(
        "lib",
        "d2lbook.commands.results:write_libraries",
        "write the libraries from the cells marked #@save",
        f"lib --tab {TABS[0]}",
        (TAB, Option("--no-import", "write them without trying whether each can be imported", False, bool)),
        in_all=True,
        checks_first=False,  # what is wrong with pages keeps no name out of a library
        environment="html",
    ),
    Command(
        "eval",
        "d2lbook.commands.results:evaluate",
        "run the pages whose frozen results are stale or missing",
        f"eval chapter_computation/zero.md --tab {TABS[0]} --force",
        (
            *_EDITION,
            Option("--force", "run pages whose results are fresh, too", False, bool),
            Option("--jobs", "kernels at a time (default: 2)", 2, positive),
            Option("--dry-run", "freeze nothing", False, bool),
            Option("--dask", "run the pages on the Dask cluster at this address, such as tcp://10.0.0.5:8786"),
            Option(
                "--dask-local", "run the pages on a Dask cluster of so many workers on this machine", None, positive
            ),
            Option("--bundle", "run nothing; pack the pages into this file, for another machine to run"),
            Option("--size", "MiB that a bundle may have (default: 48)", 48, positive),
            Option("--wheels", "folder of wheels to pack into the bundle, too"),
            Option("--take", "run nothing; freeze the results that another machine has packed into this file"),
        ),
        _CHOSEN,
        environment="test",
        needs=("eval",),
    ),
    Command(
        "status",
        "d2lbook.commands.results:show_status",
        "list which frozen results are fresh, stale, missing",
        f"status --tab {TABS[0]}",
        _EDITION,
        _CHOSEN,
        checks_first=False,
        environment="test",
    ),
    Command(
        "words",
        "d2lbook.commands.words:show_words",
        "count the words of prose of pages, in each framework",
        "words chapter_computation/zero.md",
        (TAB,),
        _CHOSEN,
        checks_first=False,
    ),
    Command(
        "html",
        "d2lbook.export.site.command:run",
        "build the website from the frozen results",
        "html chapter_computation/zero.md --lang en",
        _FORMAT,
        "only these pages, as a quick preview: other pages stay as they are, whatever is wrong with them",
        is_format=True,
        typesets=True,
        in_all=True,
        current="d2lbook.export.site.current:current",
        check="d2lbook.export.site.command:check",
        environment="html",
    ),
    Command(
        "ipynb",
        "d2lbook.export.notebook.command:run",
        "write a notebook per page and framework, with and without outputs",
        f"ipynb --tab {TABS[0]} --without-solutions",
        (*_FORMAT, SOLUTIONS),
        _CHOSEN,
        is_format=True,
        in_all=True,
        environment="html",
    ),
    Command(
        "pdf",
        "d2lbook.export.pdf.command:run",
        "build a PDF per framework from the frozen results",
        f"pdf --tab {TABS[0]} --lang en",
        _TRUSTED,
        is_format=True,
        offer="d2lbook.export.pdf.command:offer",
        environment="html",
        needs=("pdf",),
    ),
    Command(
        "epub",
        "d2lbook.export.epub.command:run",
        "build an ePub per framework from the frozen results",
        f"epub --tab {TABS[0]}",
        _FORMAT,
        is_format=True,
        typesets=True,
        offer="d2lbook.export.epub.command:offer",
        environment="html",
    ),
    Command(
        "slides",
        "d2lbook.export.slides.command:run",
        "build a deck of slides per marked page and framework from the frozen results",
        "slides chapter_computation/zero.md --pdf",
        (*_FORMAT, Option("--pdf", "print the slides as PDF, too (needs Chromium)", False, bool)),
        _CHOSEN,
        is_format=True,
        typesets=True,
        offer="d2lbook.export.slides.command:offer",
        environment="html",
    ),
    Command(
        "pkg",
        "d2lbook.export.notebook.archive:run",
        "pack the notebooks of all frameworks into one archive",
        "pkg --without-solutions",
        (*_FORMAT, SOLUTIONS),
        _CHOSEN,
        is_format=True,
        offer="d2lbook.export.notebook.archive:offer",
        environment="html",
    ),
    Command(
        "offline",
        "d2lbook.export.site.offline:run",
        "pack the site so that it reads from files, search included",
        "offline --lang vi",
        _FORMAT,
        is_format=True,
        typesets=True,
        offer="d2lbook.export.site.offline:offer",
        environment="html",
    ),
    Command(
        "colab",
        "d2lbook.export.notebook.hosted.command:run_colab",
        "write notebooks for Google Colab, which install what they need",
        f"colab --tab {TABS[0]}",
        _TRUSTED,
        _CHOSEN,
        is_format=True,
        offer="d2lbook.export.notebook.hosted.command:offer_colab",
        check="d2lbook.export.notebook.hosted.command:check_colab",
        environment="html",
        needs=("hosted",),
    ),
    Command(
        "sagemaker",
        "d2lbook.export.notebook.hosted.command:run_sagemaker",
        "write notebooks for SageMaker, which install what they need",
        f"sagemaker --tab {TABS[0]}",
        _TRUSTED,
        _CHOSEN,
        is_format=True,
        offer="d2lbook.export.notebook.hosted.command:offer_sagemaker",
        check="d2lbook.export.notebook.hosted.command:check_sagemaker",
        environment="html",
        needs=("hosted",),
    ),
    Command(
        "dist",
        "d2lbook.export.package.build:run",
        "build the wheel and the source archive of the book's package",
        "dist --trust",
        (TRUST,),
        is_format=True,
        offer="d2lbook.export.package.build:offer",
        environment="html",
    ),
    Command(
        "linkcheck",
        "d2lbook.export.site.command:check_site_links",
        "build the site and report links in it that lead nowhere",
        "linkcheck --external",
        (TAB, HANDLERS, Option("--external", "ask other servers for their links, too", False, bool)),
        after_formats=True,
        typesets=True,
        environment="html",
    ),
    Command(
        "deploy",
        "d2lbook.commands.publish:deploy",
        "put the site and the formats that lie built into one folder to publish",
        "deploy --target branch:gh-pages --dry-run",
        (
            TAB,
            Option("--dry-run", "write nothing, say what would change", False, bool),
            Option("--target", "a directory, or branch:NAME of the book's repository", ""),
        ),
        after_formats=True,
    ),
    Command(
        "serve",
        "d2lbook.commands.publish:serve",
        "serve the site, rebuild what changes, reload the browser",
        "serve --lang ko --port 8001",
        (
            LANG,
            DRAFT,
            HANDLERS,
            Option("--port", "where to serve (default: 8000)", 8000, port),
            Option("--eval", "run a page that is saved where its results are stale, and show its faults", False, bool),
        ),
        endless=True,
        checks_first=False,
        environment="html",
    ),
    Command(
        "tabcheck",
        "d2lbook.commands.checking:check_tabs",
        "report unknown framework tabs",
        "tabcheck",
        checks_first=False,
    ),
    Command(
        "outputcheck",
        "d2lbook.commands.checking:check_outputs",
        "report outputs stored in the pages",
        "outputcheck",
        checks_first=False,
    ),
    Command(
        "translate",
        "d2lbook.commands.translations:run",
        "update, check, status, extract: the catalogs of the book's translations; add LANGUAGE",
        "translate update",
        (LANG,),
        "what to do, then pages",
        checks_first=False,
    ),
    Command(
        "activate",
        "d2lbook.commands.tidy:activate_cells",
        "switch cells of one tab on and others off in pages' sources",
        f"activate {TABS[0]} chapter_computation/zero.md",
        (TAB,),
        "the tab, then pages",
        checks_first=False,
    ),
    Command("clear", "d2lbook.commands.tidy:clear", "remove what was built", "clear", checks_first=False),
)
BY_NAME = {row.name: row for row in COMMANDS}
ON_BOOKS = {row.name: row for row in COMMANDS if row.opens_book}  # what `build` takes
ALL = tuple(row.name for row in COMMANDS if row.in_all)  # `build all`: what exists, from frozen results
