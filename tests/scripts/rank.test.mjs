import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const section = (anchor, title, text) => ({ anchor, title, text });
const page = (title, ...parts) => ({ url: `${title}.html`, title, parts: [section("top", title, ""), ...parts] });

function found(query, pages, { lang = "en", spoken } = {}) {
  const { d2lFind, d2lRank } = load(["find.js", "rank.js"], lang, { d2lSpoken: spoken });
  return d2lRank.sections(pages, d2lFind.terms(query)).map(({ part, whole }) => (whole ? part.anchor : `~${part.anchor}`));
}

test("words in a heading go before words in a text, however often they stand there", () => {
  const often = "A checkpoint, a checkpoint and another checkpoint.";
  const pages = [page("One", section("text", "Saving", often)), page("Two", section("head", "Checkpoints", "Short."))];
  assert.deepEqual(found("checkpoint", pages), ["head", "text"]);
});

test("the heading that has little else goes first", () => {
  const pages = [page("One", section("long", "When a Ring Beats a Tree", "")), page("Two", section("short", "The Ring", ""))];
  assert.deepEqual(found("ring", pages), ["short", "long"]);
});

test("of texts the one that has the words more often, and in a row, goes first", () => {
  const pages = [
    page("One", section("apart", "A", "A bus has many seats. Its bandwidth, the bandwidth of links, is low.")),
    page("Two", section("row", "B", "The bus bandwidth is low.")),
  ];
  assert.deepEqual(found("bus bandwidth", pages), ["row", "apart"]);
});

test("exercises, summaries and references go behind every other section that has all words", () => {
  const text = "gradient gradient gradient";
  const pages = [page("One", section("exercises", "Exercises", text), section("summary", "Summary", text), section("own", "Own", "a gradient"))];
  assert.equal(found("gradient", pages)[0], "own");
});

test("what cannot be found whole is found in part, without the words of a question", () => {
  const pages = [page("One", section("nan", "Numbers", "A NaN remains."), section("loss", "Loss", "The loss falls."), section("why", "Why", "Why is it?"))];
  assert.deepEqual(found("why is my loss nan", pages), ["~loss", "~nan"]);
});

test("a word that is nowhere leaves the others", () => {
  assert.deepEqual(found("xylophone ring", [page("One", section("ring", "The Ring", ""))]), ["~ring"]);
  assert.deepEqual(found("xylophone", [page("One", section("ring", "The Ring", ""))]), []);
});

test("in Vietnamese one syllable of a word is no part of it", () => {
  const pages = [page("Một", section("memory", "Bộ nhớ", "bộ nhớ"))];
  assert.deepEqual(found("bo nho", pages, { lang: "vi" }), ["memory"]);
  assert.deepEqual(found("bó nhớ", pages, { lang: "vi" }), []);
});

test("no page fills the list", () => {
  const many = [1, 2, 3, 4, 5].map((number) => section(`part-${number}`, `Ring ${number}`, "ring"));
  assert.equal(found("ring", [page("One", ...many)]).length, 3);
});

test("endings of English words do not count", () => {
  const pages = [page("One", section("text", "A", "Gradients vanish; caches scale by shards."))];
  for (const query of ["vanishing gradient", "scaling", "sharded", "cache"]) assert.deepEqual(found(query, pages), ["text"], query);
  assert.deepEqual(found("float16", [page("One", section("text", "A", "float32"))]), []);
});

test("what readers say instead is found, with its particle, too", () => {
  const pages = [page("하나", section("ring", "고리", "all-reduce의 비용"))];
  const spoken = { 올리듀스: ["all-reduce"], "경사 소실": ["기울기 소실"] };
  assert.deepEqual(found("올리듀스를", pages, { lang: "ko", spoken }), ["ring"]);
  assert.deepEqual(found("경사 소실", pages, { lang: "ko", spoken }), []);
});

test("an excerpt is escaped and marks the words", () => {
  const { d2lFind } = load(["find.js"]);
  const patterns = d2lFind.terms("ring").map(({ found: pattern }) => pattern);
  assert.equal(d2lFind.excerpt("a < b in a ring", patterns), "a &lt; b in a <mark>ring</mark>");
});
