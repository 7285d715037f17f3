// Which sections of the book answer a query, best first: the same on a server and in the copy to read without one.
// Pure; needs `find.js`. A page is { url, title, parts }, a part { anchor, title, text }; the first part is the page's own.
(() => {
  "use strict";
  const LATER = /^(?:exercises|summary|references|d2l-references)$/; // they have a bit of everything; same in all languages
  const API = /^api-/; // entries of the reference, whose name alone is their heading
  const PER_PAGE = 3;
  const HEADING = 6, TITLE = 2, TEXT = 3, ROW = 4; // what a word is worth where it stands; the words in a row
  const IN_HEADING = 3, IN_SECTION = 2, SOME = 1; // all terms in the heading, in the section, only some
  const LEAST = 0.5; // of what the terms weigh, for a section that lacks some

  const often = (count) => count / (count + 2);

  function read(page, terms) {
    const patterns = terms.map(({ found }) => found);
    const { countOf } = window.d2lFind;
    const above = patterns.map((found) => countOf(page.title, [found]));
    return page.parts.map((part) => ({
      page, part, above,
      heading: patterns.map((found) => countOf(part.title, [found])),
      text: patterns.map((found) => countOf(part.text, [found])),
    }));
  }

  // A term that stands in few sections says more than one that stands in many.
  function weigh(sections, terms) {
    return terms.map(({ dull }, number) => {
      const count = sections.filter(({ heading, text }) => heading[number] || text[number]).length;
      return dull || !count ? 0 : 1 / Math.log2(2 + count);
    });
  }

  function rowsOf({ part, heading, text }, patterns) {
    const { countOf, phraseOf } = window.d2lFind;
    const all = (counts) => counts.every(Boolean);
    const row = phraseOf(patterns);
    return (all(heading) ? ROW * countOf(part.title, row) : 0) + (all(text) ? ROW * often(countOf(part.text, row)) : 0);
  }

  // How much of a heading the words are: "Bus Bandwidth" rather than "Bandwidth of a Bus with Many Stops".
  function shareOf(part, patterns) {
    const found = patterns.reduce((sum, each) => sum + [...part.title.matchAll(each)].join("").length, 0);
    return part.title ? Math.min(1, found / part.title.replace(/\s/g, "").length) : 0;
  }

  function judge(section, terms, weights) {
    const { heading, text, above, part } = section;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const needed = terms.map((term, number) => number).filter((number) => !terms[number].dull);
    const has = (number) => heading[number] || text[number];
    const own = needed.reduce((sum, number) => sum + (has(number) ? weights[number] : 0), 0) / (total || 1);
    const patterns = needed.map((number) => terms[number].found);
    let level = SOME;
    if (needed.every((number) => heading[number])) level = IN_HEADING;
    else if (needed.some(has) && needed.every((number) => has(number) || above[number])) level = IN_SECTION;
    const worth = needed.reduce((sum, number) => {
      const most = HEADING * Math.min(heading[number], 1) + TITLE * Math.min(above[number], 1) + TEXT * often(text[number]);
      return sum + (weights[number] / (total || 1)) * most;
    }, 0);
    const full = worth + rowsOf(section, patterns) + 2 * shareOf(part, patterns);
    const behind = LATER.test(part.anchor) ? 0.5 : API.test(part.anchor) ? 0.25 : 0;
    return { ...section, level, own, rank: level - behind, worth: full };
  }

  // A section counts that has all terms; where none has, those with most of what the terms weigh.
  function fitting(judged, strict) {
    const full = judged.filter(({ level }) => level > SOME);
    if (full.length || strict) return full;
    return judged.filter(({ own }) => own >= LEAST);
  }

  // Sections of pages, best first: { page, part, whole }; `whole` says whether all terms are there.
  function sections(pages, terms) {
    const every = pages.flatMap((page) => read(page, terms));
    const weights = weigh(every, terms);
    const unknown = terms.some(({ dull }, number) => !dull && !weights[number]);
    // Where a word is a syllable, as in Vietnamese, one alone is another word.
    const strict = unknown && window.d2lLanguage?.wordsAreSyllables;
    const judged = every.map((section) => judge(section, terms, weights)).filter(({ own }) => own > 0);
    const order = (one, other) => other.rank - one.rank || (one.level === SOME ? other.own - one.own : 0) || other.worth - one.worth;
    const shown = new Map();
    return fitting(judged, strict).sort(order).filter(({ page }) => {
      shown.set(page, (shown.get(page) ?? 0) + 1);
      return shown.get(page) <= PER_PAGE;
    }).map(({ page, part, level }) => ({ page, part, whole: level > SOME }));
  }

  window.d2lRank = { sections };
})();
