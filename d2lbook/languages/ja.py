"""Japanese: no spaces between words."""

from d2lbook.languages._language import Language

LANGUAGE = Language("ja", "Japanese", plural_forms="nplurals=1; plural=0;", unspaced=True, cjk_region="JP")
