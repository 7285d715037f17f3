"""Write the manual's reference from the builder's own tables: commands, keys of `config.ini`, codes of messages.

python manual/generate.py            # write manual/reference/*.md
python manual/generate.py --check    # exit with 1 if one of them is out of date; write nothing
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # this repository's builder, wherever the script is called

from d2lbook.codes import codes  # noqa: E402
from d2lbook.commands import COMMANDS, Option  # noqa: E402
from d2lbook.commands.table import COMMON  # noqa: E402
from d2lbook.config.keys import IGNORED, KEYS, Key  # noqa: E402
from d2lbook.files import write_atomic  # noqa: E402

SECTIONS = {  # what each section of config.ini is about
    "project": "What the book is.",
    "build": "Which files are its pages, and how they are built.",
    "html": "The site.",
    "pdf": "The PDF.",
    "bibliography": "Citations.",
    "fences": "Fences that a package draws. Each key is a language.",
    "library": "All libraries.",
    "library-TAB": "The library of one framework. `TAB` is its name, or `default` in a book without frameworks.",
    "colab": "Notebooks for Google Colab.",
    "sagemaker": "Notebooks for SageMaker.",
    "slides": "Slides.",
    "deploy": "What is published.",
}
# The parts of the page of messages: the codes in each, or the first words of codes.
GROUPS = {
    "Configuration and Commands": "clear config lang language output-foreign output-locked output-tracked path port"
    " program stage version",
    "Files and Contents": "file page toc",
    "Prose": "bibliography callout citation control fence figure footnote formula front heading html-image"
    " html-unclosed html-unsafe interactive label link mark math merge nesting role solution style syntax table",
    "Cells and Frameworks": "cell name output tab",
    "Libraries": "alias api d2l-name lib library save",
    "Running": "dask eval result",
    "Translations": "catalog glossary spoken translate translation",
    "Formats and Publishing": "d2l deploy dist hosted html pdf search site slides sphinx xhtml",
}

CONFIGURATION_HEAD = """\
# Configuration
:label:`sec_configuration`

`config.ini` stands in the book's folder. A value may continue on indented lines. Paths are relative to the
file. An unknown key is reported, with the nearest known one.
"""
WITHOUT_EFFECT = """\
## Keys Without Effect

Earlier versions of `d2lbook` had these keys. They are reported where they have a value.
"""
MESSAGES_HEAD = """\
# Messages
:label:`sec_messages`

Everything that the builder finds is one line: the place, whether it is an error or a warning, what is wrong, and a
code.

```text
growth.md:9:17: error: label 'eq_grwth' is not defined; did you mean 'eq_growth'? [label-undefined]
```

A command that finds an error ends with status 1. With `strict = true` in `[build]`, warnings count as errors.
`--format json` prints findings for other programs, `--format github` as annotations of a change on GitHub.
For each code, this page says what is wrong and, behind the arrow, what to do.
"""
COMMANDS_HEAD = """\
# Commands
:label:`sec_commands`

Call a command as `d2lbook COMMAND` in the book's folder. `d2lbook build COMMAND COMMAND` runs several.
`python -m d2lbook` is the same program. Pages are named by their paths, with or without `.md`.

Every command has these options:
"""


def configuration() -> str:
    """Return the page that lists every key of `config.ini`."""
    lines = [CONFIGURATION_HEAD]
    for section in dict.fromkeys(key.section for key in KEYS):
        lines += [f"## `[{section}]`", "", SECTIONS[section], ""]
        lines += [_key(key) for key in KEYS if key.section == section]
        lines.append("")
    lines.append(WITHOUT_EFFECT)
    for section in sorted({section for section, _ in IGNORED}):
        named = ", ".join(f"`{key}`" for owner, key in sorted(IGNORED) if owner == section)
        lines.append(f"- `[{section}]`: {named}.")
    return "\n".join(lines) + "\n"


def _key(key: Key) -> str:
    default = f" Default: `{key.default}`." if key.default else ""
    return f"- `{key.name}`: {key.help}. *Value:* {key.kind.value}.{default}"


def messages() -> str:
    """Return the page that explains every code of a message."""
    lines = [MESSAGES_HEAD]
    groups: dict[str, list[str]] = {title: [] for title in (*GROUPS, "Other")}
    group_of = {word: title for title, words in GROUPS.items() for word in words.split()}
    for name, code in codes().items():
        group = group_of.get(name) or group_of.get(name.split("-")[0], "Other")
        groups[group].append(f"- `{name}`: {code.meaning} → {code.remedy}")
    for title, items in groups.items():
        if items:
            lines += [f"## {title}", "", *items, ""]
    return "\n".join(lines)


def commands() -> str:
    """Return the page that lists every command with its options."""
    lines = [COMMANDS_HEAD, *map(_option, COMMON), ""]
    for row in COMMANDS:
        lines += [f"## `{row.name}`", "", f"{row.help[0].upper()}{row.help[1:]}.", ""]
        lines += ["```bash", f"d2lbook {row.example}", "```", ""]
        if row.pages:
            lines.append(f"- `{row.operand}`: {row.pages}.")
        lines += map(_option, row.options)
        if row.pages or row.options:
            lines.append("")
    return "\n".join(lines)


def _option(option: Option) -> str:
    return f"- `{option.flag}`: {option.help}."


PAGES: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/configuration.md": configuration,
    "reference/messages.md": messages,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with `--check` name those that are out of date."""
    status = 0
    for name, page in PAGES.items():
        path, text = HERE / name, page()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"manual/{name} is out of date; run: python manual/generate.py", file=sys.stderr)
            status = 1
        else:
            write_atomic(path, text)
            print(f"wrote manual/{name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
