import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

// A page of one section, whose blocks have heights; 0 is hidden. The bar ends at 50, so the eye is at 130.
function pageOf(heights) {
  const page = { scroll: 500, heights };
  const rect = (from, to) => {
    const height = page.heights.slice(from, to).reduce((sum, each) => sum + each, 0);
    const top = page.heights.slice(0, from).reduce((sum, each) => sum + each, 0) - page.scroll;
    return { top, height, bottom: top + height };
  };
  const blocks = heights.map((_, number) => ({
    getBoundingClientRect: () => rect(number, number + 1),
    getClientRects: () => (page.heights[number] ? [rect(number, number + 1)] : []),
  }));
  const section = { id: "one", getBoundingClientRect: () => rect(0, heights.length), querySelectorAll: () => blocks };
  const context = load(["place.js"], "en", {
    scrollY: 1,
    scrollBy: ({ top }) => { page.scroll += top; },
    document: {
      querySelector: () => ({ getBoundingClientRect: () => ({ bottom: 50 }) }),
      querySelectorAll: () => [section],
      getElementById: (id) => (id === "one" ? section : null),
    },
  });
  return { page, place: context.d2lPlace, topOf: (number) => rect(number, number + 1).top };
}

test("the block at the eye stays where it is when what stands above changes its height", () => {
  const { page, place, topOf } = pageOf([300, 200, 400, 400]);
  const spot = place.take();
  const before = topOf(2);
  assert.equal(spot.number, 2);
  page.heights = [900, 50, 400, 400];
  place.put(spot);
  assert.equal(topOf(2), before);
});

test("a block that is hidden afterwards gives way to the end of the one before", () => {
  const { page, place, topOf } = pageOf([300, 200, 400, 400]);
  const spot = place.take();
  page.heights = [300, 700, 0, 400];
  place.put(spot);
  assert.equal(topOf(1) + 700, place.eye());
});

test("a place that is gone moves nothing", () => {
  const { page, place } = pageOf([300, 900]);
  place.put({ id: "other", number: 0, part: 0.5 });
  place.put(undefined);
  assert.equal(page.scroll, 500);
});
