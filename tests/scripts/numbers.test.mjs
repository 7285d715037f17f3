import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { querySelectorAll: () => [] }; // no figure on this page
const { Speech } = await import("../../d2lbook/static/interactive.js");
const plain = (text) => text.replaceAll("\u00a0", " ");

test("numbers have a decimal point in every language, and no comma where that is one", () => {
  const english = new Speech("en");
  assert.equal(english.number(60000), "60,000");
  assert.equal(english.number(0.25, 2), "0.25");
  for (const language of ["vi", "tr"]) {
    const say = new Speech(language);
    assert.equal(plain(say.number(60000)), "60 000");
    assert.equal(say.number(2048), "2048");
    assert.equal(say.number(0.25, 2), "0.25");
  }
});

test("a quantity has three digits and the prefix that fits", () => {
  const say = new Speech("en");
  const written = [[44.7e6, "44.7 MB"], [999.6, "1 kB"], [0.00123, "1.23 mB"], [0, "0 B"]];
  for (const [value, text] of written) assert.equal(plain(say.quantity(value, "B")), text);
});

test("a share is a percentage as the language writes it", () => {
  assert.equal(plain(new Speech("en").percent(0.158)), "15.8 %");
  assert.equal(plain(new Speech("tr").percent(0.158)), "%15.8");
});
