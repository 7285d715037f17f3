"""What Sphinx and its theme say, in the book's words: their own catalogs lack much, of Vietnamese nearly all."""

from __future__ import annotations

import gettext
import importlib.util

from markupsafe import escape
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.jinja2glue import BuiltinTemplateLoader

from d2lbook.languages import DEFAULT
from d2lbook.model import UiStrings

_CATALOG = ("general", "sphinx")


class _Escaped(gettext.NullTranslations):
    """What templates print of a catalog: text, whatever a translator wrote."""

    def __init__(self, plain: gettext.NullTranslations) -> None:
        super().__init__()
        self.plain = plain

    def gettext(self, message: str) -> str:
        return escape(self.plain.gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return escape(self.plain.ngettext(msgid1, msgid2, n))


class _Translations(gettext.NullTranslations):
    """A catalog in which the book's words go before another's."""

    def __init__(self, words: UiStrings, then: gettext.NullTranslations) -> None:
        super().__init__()
        self.words, self.then = words, then

    def gettext(self, message: str) -> str:
        return self.words.known.get(message) or self.then.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.words.known.get(msgid1) or self.then.ngettext(msgid1, msgid2, n)


def forget_languages() -> None:
    """Makes Sphinx forget the catalogs of an earlier build, which it would ask where this one's lack a phrase."""
    locale.translators.clear()


def install(app: Sphinx, words: UiStrings) -> None:
    """Has all that Sphinx writes of its own said in the book's words."""
    if importlib.util.find_spec(f"docutils.languages.{words.lang.replace('-', '_').lower()}") is None:
        app.env.settings["language_code"] = DEFAULT  # docutils warns of one it lacks; all that it could say we say
    translations = _Translations(words, locale.translators[_CATALOG])
    locale.translators[_CATALOG] = translations
    loader = getattr(app.builder, "templates", None)
    if isinstance(loader, BuiltinTemplateLoader):
        loader.environment.install_gettext_translations(_Escaped(translations))  # type: ignore[attr-defined]
