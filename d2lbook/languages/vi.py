"""Vietnamese: words are written by syllable, with marks of tone."""

from d2lbook.languages._language import TYPOGRAPHIC, Language, listed

LANGUAGE = Language(
    "vi",
    "Vietnamese",
    plural_forms="nplurals=1; plural=0;",
    number_words={"ngàn": 10**3, "tỉ": 10**9, "nghìn tỉ": 10**12},  # as good as CLDR's, which is the only one there
    punctuation=TYPOGRAPHIC,
    stop_words=listed("tại sao vì làm thế nào để là của và các những một khi có gì tôi bị thì"),
    words_are_syllables=True,
)
