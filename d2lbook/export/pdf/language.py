"""What a language needs in print: fonts, hyphenation, line breaking, and the builder's words inside commands.

Latin scripts go through babel, which knows each language's hyphenation and font features from its own files. Korean,
Chinese and Japanese text stands in `\\cjk`, in fonts of theirs; XeTeX breaks it where Unicode's rules allow, and keeps
the spaces between words. Korean lines break between syllables as Korean publishers set them, but rather between words.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from d2lbook.export.pdf.escape import escape
from d2lbook.languages import cjk, cjk_region, language_of
from d2lbook.system_packages import known_patterns, patterns_package

ARGUMENT = "\ue000"  # stands in a phrase for a command's argument
_KEY = re.compile(r"^(?P<key>[\w.]+) *= *(?P<value>.*?) *$", re.MULTILINE)
# Emphasised Hangul is upright: another face, as in Korean books, where Latin has italics.
_CJK = r"""\newfontfamily\cjkserif{Noto Serif CJK REGION}[
  ItalicFont={Noto Sans CJK REGION},BoldItalicFont={Noto Sans CJK REGION Bold}]
\newfontfamily\cjksans{Noto Sans CJK REGION}
\newfontfamily\cjkmono{Noto Sans Mono CJK REGION}[Scale=0.86]
\makeatletter
\DeclareRobustCommand\cjk[1]{{\edef\cjk@here{\f@family}\edef\cjk@sans{\sfdefault}\edef\cjk@mono{\ttdefault}%
  \ifx\cjk@here\cjk@mono\cjkmono\else\ifx\cjk@here\cjk@sans\cjksans\else\cjkserif\fi
  \XeTeXlinebreaklocale"LOCALE"\XeTeXlinebreakskip=0pt\XeTeXlinebreakpenalty=PENALTY\relax\fi #1}}
\makeatother
\pdfstringdefDisableCommands{\def\cjk#1{#1}}
"""


@dataclass(frozen=True, slots=True)
class Locale:
    """What babel's file knows of a language; empty where it has none."""

    code: str  # as babel's file is called: "tr"
    name: str = ""  # babel's: "turkish"
    patterns: str = ""  # of hyphenation; empty for a language that is not hyphenated


def locale_of(lang: str) -> Locale:
    """Of the language, else of the one that it is a variety of: of `tr` for `tr-TR`."""
    for code in dict.fromkeys((lang, lang.partition("-")[0])):
        path = _found(f"babel-{code}.ini")
        if path:
            values = dict(reversed(_KEY.findall(Path(path).read_text(encoding="utf-8"))))
            name = (values.get("name.babel") or values.get("name.english", code).lower()).split()[0]
            return Locale(code, name, values.get("hyphenrules", "").split(" ")[0])
    return Locale(lang)


def is_cjk(lang: str) -> bool:
    return bool(language_of(lang).cjk_region)


def _has_babel(lang: str) -> bool:
    return not (language_of(lang).latex_default or is_cjk(lang))


def cjk_fonts(lang: str) -> tuple[str, ...]:
    region = cjk_region(lang)
    return tuple(f"{name} CJK {region}" for name in ("Noto Serif", "Noto Sans", "Noto Sans Mono"))


def missing_patterns(lang: str) -> list[tuple[str, str]]:
    """Hyphenation patterns that the language needs and XeLaTeX lacks, with their package."""
    patterns = locale_of(lang).patterns if _has_babel(lang) else ""
    if not patterns or patterns in known_patterns():
        return []
    return [(f"hyphenation of {patterns}", patterns_package(patterns))]


def preamble(lang: str, source: str, fonts: dict[str, str], with_cjk: bool) -> str:
    """Fonts and language of an edition. `source`: the language of what is not translated; `fonts`: main, sans, mono."""
    other = "" if lang == source else lang
    by_babel = _babel(locale_of(lang), locale_of(source), fonts) if _has_babel(lang) else ""
    parts = [by_babel or _plain_fonts(fonts) + _marked(""), _cjk(lang) if with_cjk else ""]
    if is_cjk(lang):
        # TeX's first try would find breaks inside words good enough; spaces that are a little wider are better.
        parts.append("\\linespread{1.3}\\pretolerance=-1 \\tolerance=1000\n")
    parts.append(f"\\hypersetup{{pdflang={lang}}}\n\\AtBeginDocument{{\\frenchspacing}}\n" if other else "")
    return "".join(parts)


def phrase(words: str, *arguments: str) -> str:
    """A phrase as LaTeX; each `ARGUMENT` in it is the next of the arguments, which are LaTeX already."""
    first, *rest = escape(words).split(ARGUMENT)
    return first + "".join(argument + part for argument, part in zip(arguments, rest, strict=True))


def _plain_fonts(fonts: dict[str, str]) -> str:
    return (
        f"\\setmainfont{{{fonts['main_font']}}}[Ligatures=TeX]\n\\setsansfont{{{fonts['sans_font']}}}[Ligatures=TeX]\n"
        f"\\setmonofont{{{fonts['mono_font']}}}[Scale=0.86]\n"
    )


def _babel(locale: Locale, source: Locale, fonts: dict[str, str]) -> str:
    if not locale.name:  # a language that babel does not know is not hyphenated
        none = "\\makeatletter\\language\\l@nohyphenation\\makeatother\n"
        return _plain_fonts(fonts) + none + _marked("\\language0\\relax")
    other = f"\\babelprovide[import={source.code}]{{{source.name}}}\n" if source.name else ""
    return (
        f"\\usepackage{{babel}}\n\\babelprovide[import={locale.code},main]{{{locale.name}}}\n{other}"
        f"\\babelfont{{rm}}[Ligatures=TeX]{{{fonts['main_font']}}}\n"
        f"\\babelfont{{sf}}[Ligatures=TeX]{{{fonts['sans_font']}}}\n"
        f"\\babelfont{{tt}}[Scale=0.86]{{{fonts['mono_font']}}}\n"
    ) + (_marked(f"\\begin{{otherlanguage*}}{{{source.name}}}", "\\end{otherlanguage*}") if other else _marked(""))


def _marked(begin: str, end: str = "") -> str:
    """The environment of what is in the source's language."""
    return f"\\newenvironment{{untranslated}}{{\\par{begin}}}{{\\par{end}}}\n"


def _cjk(lang: str) -> str:
    language = cjk(lang)
    found = _CJK.replace("REGION", cjk_region(lang)).replace("LOCALE", language.code)
    return found.replace("PENALTY", str(language.break_penalty))


def _found(name: str) -> str:
    return subprocess.run(["kpsewhich", name], capture_output=True, text=True, check=False).stdout.strip()
