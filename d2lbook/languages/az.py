"""Azerbaijani: i and ı are two letters."""

from d2lbook.languages._language import Language

LANGUAGE = Language("az", "Azerbaijani", dotted_i=True)
