"""English."""

from d2lbook.languages._language import Language, listed

LANGUAGE = Language(
    "en",
    "English",
    iso_dates=True,
    plural_endings=("s", "es"),
    index_knows_forms=True,
    stop_words=listed(
        "a an and are be can do does for from get how i in is it my of on one or should the there this to what "
        "when where which why will with you"
    ),
    query_endings=listed("ations ation ings ing ies ed es s y e"),
    latex_default=True,
)
