"""Turkish: i and ı are two letters."""

from d2lbook.languages._language import TYPOGRAPHIC, Language, listed

LANGUAGE = Language(
    "tr",
    "Turkish",
    dotted_i=True,
    punctuation=TYPOGRAPHIC,
    stop_words=listed("neden niçin nasıl ne nedir ve veya bir bu benim için ile mi mı mu mü da de"),
    hyphenation="turkish",
)
