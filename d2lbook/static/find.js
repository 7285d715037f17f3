// How words are found in a language: the terms of a query, what of a text matches them, what is shown of it. Pure; knows
// of the page only its language, `html[lang]`. Loaded when a reader searches; `rank.js` puts in order what is found.
(() => {
  "use strict";
  // What d2lbook/languages knows of the page's language: words of a question that name nothing, endings, particles.
  const known = window.d2lLanguage ?? {};
  const DULL = new Set(known.stopWords);
  const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const UNSPACED = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u; // words hold others
  const endingOf = (list) => (list?.length ? new RegExp(`(?:${list.map(literal).join("|")})$`, "iu") : /$^/);
  const PARTICLE = endingOf(known.particles); // behind a noun; several may follow one another
  const ENDING = endingOf(known.queryEndings);
  // Letters that a reader may type without their marks, each with what it stands for in a text.
  const VARIANTS = (() => {
    const found = new Map([["i", new Set("ıİ")], ["d", new Set("đ")]]);
    for (let code = 0xc0; code <= 0x1ef9; code = code === 0x24f ? 0x1e00 : code + 1) {
      const letter = String.fromCodePoint(code).toLowerCase();
      const base = letter.normalize("NFD")[0];
      if (base !== letter[0] && /[a-z]/.test(base)) found.set(base, (found.get(base) ?? new Set()).add(letter));
    }
    return found;
  })();

  const GAP = String.raw`[\s"“”.,;:!?()]+`; // between words, also those of a name such as d2l.try_gpu
  const HYPHEN = "[-\u2010\u2011]"; // some write all-reduce, others allreduce

  const words = (query) => query.normalize("NFC").replace(/’/g, "'").split(new RegExp(GAP)).filter(Boolean);
  const lower = (text) => text.toLocaleLowerCase(known.dottedI ? "tr" : "en");

  // Without marks: as words are typed on a keyboard that lacks them.
  function folded(text) {
    return lower(text).normalize("NFD").replace(/\p{M}/gu, "").replace(/ı/g, "i").replace(/đ/g, "d").normalize("NFC");
  }

  // A noun without its particles; what is too short to have one stays.
  function bare(word) {
    if (!known.particles || !UNSPACED.test(word)) return word;
    const rest = word.replace(PARTICLE, "");
    return rest.length >= 2 && rest.length < word.length ? bare(rest) : word;
  }

  // What a word of the query must begin with to be found: endings aside, as the index on a server does it. What has a
  // digit is a name, such as float16, and has no ending.
  function stem(word) {
    if (/\p{N}/u.test(word)) return word;
    if (!known.queryEndings) return word.slice(0, Math.max(Math.min(word.length, 4), word.length - 2));
    const rest = word.replace(ENDING, "");
    return rest.length >= 4 ? rest : word;
  }

  function letter(sign) {
    if (sign === "-") return `(?:${HYPHEN}|\\s)?`;
    if (sign === "'") return "['’]";
    const variants = VARIANTS.get(sign);
    return variants ? `[${sign}${[...variants].join("")}]` : literal(sign);
  }

  const marked = (sign) => (/[-']/.test(sign) ? letter(sign) : literal(sign));
  const spelled = (signs, as = letter) => [...signs].map(as).join(`${HYPHEN}?`);

  // Of a query's word: letters with marks mean themselves, letters without mean both; Turkish I is any of i, ı, I, İ.
  function pattern(word, number, all) {
    const noun = bare(word);
    if (UNSPACED.test(noun)) {
      const latin = /^[\p{Script=Latin}\p{N}]/u.test(noun) ? "(?<![\\p{L}\\p{N}_])" : "";
      return new RegExp(latin + [...noun].map(literal).join("\\s?"), "giu"); // compounds are written in one word or two
    }
    const plain = (known.wordsAreSyllables ? noun : stem(noun)).toLowerCase().normalize("NFC").replace(/i\u0307|ı/g, "i");
    const source = known.wordsAreSyllables ? syllable(plain) : spelled(plain);
    // In Vietnamese a word is a syllable, which ends where it ends, but for the last one while it is being typed.
    const end = known.wordsAreSyllables && number < all.length - 1 ? "(?![\\p{L}\\p{N}_])" : "[\\p{L}\\p{N}_]*";
    return new RegExp(`(?<![\\p{L}\\p{N}_])${source}${end}`, "giu");
  }

  // Who types one mark types them all: đo is not độ. Vietnamese writes the tone of a last oa, oe or uy on either letter:
  // hòa, hoà.
  function syllable(word) {
    const as = word === folded(word) ? letter : marked;
    const found = /^(.*[ou])([\u0300\u0301\u0303\u0309\u0323]?)([aey])([\u0300\u0301\u0303\u0309\u0323]?)$/u.exec(word.normalize("NFD"));
    const [, before, first, last, second] = found ?? [];
    if (!found || !first === !second) return spelled(word, as);
    const start = [...before.normalize("NFC")];
    const vowel = start.pop();
    return `${spelled(start, as)}(?:${vowel}${first || second}${last}|${vowel}${last}${first || second})`.normalize("NFC");
  }

  const countOf = (text, patterns) => patterns.reduce((sum, found) => sum + [...text.matchAll(found)].length, 0);

  // The words one after the other count for more than anywhere: most terms are several words, in Vietnamese all but few.
  function phraseOf(patterns) {
    return patterns.length > 1 ? [new RegExp(patterns.map((found) => found.source).join(GAP), "giu")] : [];
  }

  const plainOf = (list) => folded(list.map(bare).join(" "));

  // What else the book may call some words: `window.d2lSpoken` has lists by what is typed, without marks.
  function spokenAt(list, at) {
    const table = window.d2lSpoken ?? {};
    for (let length = Math.min(5, list.length - at); length > 0; length -= 1) {
      const typed = list.slice(at, at + length);
      const others = table[folded(typed.join(" "))] ?? table[plainOf(typed)];
      if (others) return { length, others };
    }
    return { length: 1, others: [] };
  }

  // The query term by term. A term is a word, or several for which the book may have other words. `found` matches it in a
  // text, `asked` are the texts that an index is asked for, `dull` says that the term alone says nothing.
  function terms(query) {
    const list = words(query);
    const result = [];
    for (let at = 0; at < list.length; ) {
      const { length, others } = spokenAt(list, at);
      const typed = list.slice(at, at + length);
      const ways = [typed.map((word, number) => pattern(word, at + number, list)), ...others.map((other) => words(other).map(pattern))];
      const source = ways.map((way) => way.map((found) => found.source).join(GAP)).join("|");
      result.push({
        found: new RegExp(ways.length > 1 ? `(?:${source})` : source, "giu"),
        asked: [...new Set([typed, ...others.map(words)].flatMap((way) => [lower(way.map(bare).join(" ")), plainOf(way)]))],
        dull: length === 1 && !others.length && DULL.has(lower(typed[0])),
      });
      at += length;
    }
    return result.every(({ dull }) => dull) ? result.map((term) => ({ ...term, dull: false })) : result;
  }

  function excerpt(text, words, length = 180) {
    const patterns = countOf(text, phraseOf(words)) ? phraseOf(words) : words;
    const first = Math.min(...patterns.map((found) => text.search(found)).filter((at) => at >= 0), text.length);
    const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 40)) + 1);
    const part = text.slice(start, start + length);
    const places = new RegExp(patterns.map((found) => found.source).join("|"), "giu");
    let shown = "", at = 0;
    for (const found of part.matchAll(places)) {
      shown += `${escaped(part.slice(at, found.index))}<mark>${escaped(found[0])}</mark>`;
      at = found.index + found[0].length;
    }
    return `${start ? "… " : ""}${shown}${escaped(part.slice(at))}${start + length < text.length ? " …" : ""}`;
  }

  window.d2lFind = { terms, countOf, phraseOf, excerpt };
})();
