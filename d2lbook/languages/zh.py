"""Chinese: no spaces between words; simplified, unless the variety says otherwise."""

from d2lbook.languages._language import Language

LANGUAGE = Language(
    "zh",
    "Chinese",
    unspaced=True,
    cjk_region="SC",
    cjk_regions={"zh-tw": "TC", "zh-hant": "TC", "zh-hk": "HK"},
)
