"""Korean: particles behind nouns, compounds in one word or two, lines that break between words."""

import re

from d2lbook.languages._language import Language, Rule, listed

LANGUAGE = Language(
    "ko",
    "Korean",
    plural_forms="nplurals=1; plural=0;",
    punctuation=(
        Rule(
            re.compile("[，。！？：；（）、［］｛｝～]"),
            "'{found}' is full-width; Korean is set with , . ( ) and the like",
            in_code=True,
        ),
        # Particles that nothing but a noun before them can explain; with a space they would begin a word.
        Rule(
            re.compile("[`$)\ufffc*]+ +(?P<found>은|는|을|를|와|과|에서|으로)(?=[\\s,.)])"),
            "a space before the particle '{found}'; it follows its noun directly",
            in_code=True,
        ),
    ),
    unspaced=True,
    stop_words=listed("왜 어떻게 무엇 무엇을 내 그 이 것 수 때 및 또는"),
    particles=listed(
        "에서 에게 으로 까지 부터 처럼 보다 마다 이나 이란 라는 들 은 는 이 가 을 를 의 에 와 과 도 만 로 나 란"
    ),
    # What nouns take on, where hardly a noun ends so: what begins with the noun is found by it anyway.
    endings=listed("입니다 합니다 됩니다 습니다 에서는 에서도 에서 으로 까지 부터 마다 를 을 는 은 에"),
    not_in_compounds=tuple("은는이가을를의에와과도로고며서다"),
    fonts={
        "serif": ("Noto Serif KR", "Apple SD Gothic Neo", "Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic"),
        "sans": ("Apple SD Gothic Neo", "Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic"),
        "mono": ("D2Coding", "Noto Sans Mono CJK KR"),
    },
    line_height="1.75",  # lines that break between words are uneven and need more room between them
    breaks_in_words=False,
    has_italics=False,
    gap_around_code="0.15em",
    slides_in_sans=True,
    cjk_region="KR",
    break_penalty=500,  # publishers break between syllables, but rather between words
)
