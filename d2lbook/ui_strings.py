"""The builder's own words: every phrase that readers of a book meet beside its text.

`WORDS` has the phrases by their English, each with what a translator has to know. Catalogs are made from it, and
`words("Table {number}", number="1.2")` says one in a book's language (`model.Words`). A phrase is whole: what stands in
braces is put in, in whichever place the language wants it. Without a translation the English is shown.
"""

from __future__ import annotations

from d2lbook.frameworks import NAMES

_FRAME = {
    "Skip to main content": "Hidden link at the top of a page, for the keyboard.",
    "Contents of the book": "Name of the book's table of contents; also of the button that opens it on a phone.",
    "On this page": "Heading above the list of a page's sections.",
    "Neighbouring pages": "Name of the area with the links to the previous and the next page.",
    "Previous": "Above the previous page's title.",
    "Next": "Above the next page's title.",
    "Framework": f"Name of the group of buttons {NAMES}.",
    "Notebook": "Link to the page as a Jupyter notebook.",
    "Open in {place}": "Link that opens the notebook on another site. place: Colab, Studio Lab.",
    "Copy link": "Button that copies the page's address.",
    "Edit": "Link to the page's source.",
    "Copy": "Button on a block of code.",
    "Copied": "Replaces the words of the button Copy for a moment.",
    "Not allowed": "The same, where the browser does not allow copying.",
    "Scrolls": "For screen readers: this box is wider than the page and scrolls sideways.",
    "Color mode": "Button that switches between light and dark.",
    "Color mode: {mode}": "Its description. mode: automatic, light or dark, as translated below.",
    "automatic": "Color mode that follows the system.",
    "light": "Color mode.",
    "dark": "Color mode.",
    "Link to this heading": "Description of the sign # beside a heading.",
    "Link to this name": "Description of the sign # beside a function or class.",
    "© Copyright {owner}.": "Below each page.",
}
_SEARCH = {
    "Search": "Button, and name of the search dialog.",
    "Search (/)": "Description of the button; / is the key that does the same.",
    "Search the book": "In the empty search field.",
    "Close": "Button.",
    "{count} section": "How many sections were found: one.",
    "{count} sections": "How many sections were found: several.",
    "No section has all of these words; these have some.": "Above sections that were found.",
    "Nothing found for “{words}”.": "words: what the reader typed.",
    "The search index cannot be loaded.": "",
    "Search needs a web server, or the offline copy: run {command} in this directory.": "command: as typed.",
}
_LANGUAGES = {
    "Language": "Name of the list of languages.",
    "Read this page in {language}": "Offered, in this language, to readers of another edition whose browser is set to"
    " this language. language: what it calls itself.",
    "Not now": "Button that takes the offer away.",
    "Parts of this page are not translated yet and are shown in English.": "At the top of a page with such parts.",
    "This page is not translated yet and is shown in English.": "At the top of a page of which nothing is translated.",
    "To help, edit {file}; {guide} says how.": "After it. file, guide: names of files.",
    "Not translated yet": "Description of the mark at such a part.",
    "There is no edition in “{code}”. The book can be read in:": "When an address asks for an unknown language. code:"
    " as in the address. A list of languages follows.",
}
_TEXT = {
    "Fig. {number}": "Caption of a figure, and reference to it.",
    "Table {number}": "Caption of a table, and reference to it.",
    "Chapter {number}": "Above the title of a chapter, and reference to it.",
    "Appendix {number}": "The same, of an appendix. number: a letter.",
    "Section {number}": "Reference to a section, such as 1.2; words may stand behind it.",
    "Solution": "Heading of the solution of an exercise.",
    "Back to the text": "Link from a footnote to the place that refers to it.",
    "References": "Heading of the list of works that a page or book cites.",
    "Cited in {places}.": "After an entry of the bibliography. places: links, separated by commas.",
    "{author} et al.": "Citation of a work by more than two authors.",
    "{first} and {second}": "Citation of a work by two authors.",
    "{authors} and {last}": "All authors of a work in the bibliography, the last one after and.",
    "pp. {pages}": "In the bibliography. pages: such as 3–12.",
    "Not run yet": "Below code that has no result.",
    "Plot of the cell above": "Alternative text of a plot without one of its own.",
    "CPU, {count} core": "What a result was computed on: one core.",
    "CPU, {count} cores": "The same, several cores.",
    "CPU, {used} of {count} cores": "The same, where the page was given fewer cores than there are.",
    "Device": "Name of the choice between results of several devices, such as CPU and H100.",
    "the code has changed since": "Below a result of a GPU, after its date: it is older than the code above it.",
    "Change the figure": "Name of the group of sliders below an interactive figure.",
    "Note": "Heading of a box.",
    "Tip": "Heading of a box.",
    "Hint": "Heading of a box.",
    "Important": "Heading of a box.",
    "Warning": "Heading of a box.",
    "Caution": "Heading of a box.",
    "Attention": "Heading of a box.",
    "Danger": "Heading of a box.",
    "Error": "Heading of a box.",
}
_REFERENCE = {
    "Name": "Head of a column in the list of the package's aliases.",
    "Stands for": "Head of the other column.",
    "class": "Before the name of a class.",
    "property": "Before the name of a property.",
    "static method": "Before the name of a static method.",
    "class method": "Before the name of a class method.",
    "Extends {classes}": "classes: names of the classes that a class is derived from.",
}
_DEPLOYED = {
    "Other formats": "Menu on each page of what else there is of it.",
    "Slides of this page": "",
    "Slides as PDF": "",
    "Notebook for {platform}": "platform: Google Colab, SageMaker.",
    "The book as PDF": "",
    "The book as ePub": "",
    "Notebooks of all pages": "",
    "The site to read offline": "",
    "All downloads": "",
    "Downloads": "Heading on the start page.",
    "Slides": "In the list of downloads.",
    "Notebooks": "In the list of downloads.",
    "Notebooks without solutions": "In the list of downloads.",
    "This site, to read without a network": "In the list of downloads.",
    "Python package: {files}": "In the list of downloads. files: links.",
    "{count} bytes": "Size of a small file.",
    "No such page: {title}": "Title of the page for an unknown address. title: the book's.",
    "There is no page at this address": "",
    "It may have moved. {book} lists all pages and has a search.": "book: the book's title, a link to its start.",
}
_NOTEBOOKS = {
    "Read this page in {title}": "Alternative text of the sign in hosted notebooks. title: the book's.",
    "read in": "Left half of that sign; the right half is the book's title.",
    "The next cell installs what this page needs and {platform} ({described}) lacks."
    " What is there already stays as it is.": "Above the first cell of a hosted notebook. described: its version.",
    "as of {month}": "Version of Google Colab. month: such as August 2026.",
    "SageMaker Distribution {version}; in Studio Lab, choose the kernel {kernel}": "Version of SageMaker.",
    "The book's package, {file}, is inside it, as text.": "After that sentence. it: the cell. file: its name.",
    "Install what this page needs: {file} is inside ({size})": "Title of that cell. file: of the book's package."
    " size: such as 66 KB.",
    "The package in this cell is damaged: download the notebook again.": "Error of that cell.",
    "Notebooks, a folder for each framework:": "In the README of the archive of notebooks; a list follows.",
    "Start Jupyter in this folder and open a page; figures lie beside the notebooks, below {folder}.": "README.",
    "The pages import the package that the book builds. To install it: {command}.": "README.",
    "{command} in the book's repository": "README, inside the sentence before.",
    "Page": "README: head of a column of titles.",
}
_PRINT = {
    "Contents": "Heading of the table of contents.",
    "Title": "The title page, in the contents of an ePub.",
    "with {framework}": "Below the book's title.",
    "release {release}": "Below the book's title, after other words.",
    "Release {release}": "Below the book's title, alone.",
    "Solutions": "Part at the end of the book.",
    "Solution {number}": "number: of the exercise.",
    "Solution on page {page}": "Below an exercise.",
    "(exercise on page {page})": "After the heading of a solution.",
    "Index of Saved Names": "Part at the end of the book.",
    "Functions, classes and methods of the package {package}, with the page that defines them.": "Above that index.",
}
_SLIDES = {
    "Slides: {title}": "Title of the list of decks.",
    "{title}: slides": "Heading of the list of decks.",
    "Arrow keys or space: next and previous. S: speaker notes. O: overview. F: full screen. ?: all keys.": "",
    "… {count} more lines on the page": "Where a long output is cut on a slide.",
}
# What the scripts of the site say: a page of another language has these with it.
IN_SCRIPTS = (
    "Color mode: {mode}", "automatic", "light", "dark", "Copy", "Copied", "Not allowed", "Scrolls", "Change the figure",
    "There is no edition in “{code}”. The book can be read in:", "{count} section", "{count} sections",
    "No section has all of these words; these have some.", "Nothing found for “{words}”.",
    "The search index cannot be loaded.",
    "Search needs a web server, or the offline copy: run {command} in this directory.",
)  # fmt: skip
WORDS: dict[str, str] = {
    **_FRAME, **_SEARCH, **_LANGUAGES, **_TEXT, **_REFERENCE, **_DEPLOYED, **_NOTEBOOKS, **_PRINT, **_SLIDES,
}  # fmt: skip
