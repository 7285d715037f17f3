// @ts-check
// Figures that follow their controls. A page that has one loads this file, which loads the figure's own script, makes
// the controls that it asks for and has it draw. Without JavaScript, in print, or if a script fails, the still stays.

/**
 * @typedef {object} Control A slider.
 * @property {string} name of its value
 * @property {string} label
 * @property {readonly number[]} values that can be chosen, in order
 * @property {number} value at first: that of the still
 * @property {(value: number) => string} [say] the value as it is shown and read out
 *
 * @typedef {Record<string, number>} Values by the names of the controls
 * @typedef {Record<string, any>} Words a figure's texts in one language
 * @typedef {[number, number]} Point in units of the drawing, which is 360 wide
 *
 * @typedef {object} FigureScript What a figure's script exports.
 * @property {Record<string, Words>} words by language; English, `en`, is there
 * @property {(words: Words, say: Speech) => Control[]} controls
 * @property {(canvas: Canvas, values: Values, words: Words, say: Speech) => string} draw draws; returns the result as a sentence
 * @property {(values: Values, words: Words, say: Speech) => string} [caption] for other values than the still's, whose caption the page has
 */

export const INK = "currentColor";
export const PANEL = "var(--d2l-panel)";
export const MUTED = "var(--d2l-muted)";
export const DATA = "var(--d2l-blue)";
export const GRADIENT = "var(--d2l-red)";

const WIDTH = 360;
const STROKE = 1.5;
const SVG = "http://www.w3.org/2000/svg";

/** Numbers as the book's text writes them: with a decimal point in every language, like the code and results beside them. */
export class Speech {
  /** @param {string} language */
  constructor(language) {
    this.language = language;
    // Where a comma is the decimal point, one between thousands would be read as it: 2048, 60 000.
    this.comma = new Intl.NumberFormat(language).formatToParts(0.5).some(({ type, value }) => type === "decimal" && value === ",");
  }

  /** @param {number} value @param {Intl.NumberFormatOptions} options */
  format(value, options) {
    const useGrouping = this.comma ? "min2" : "always";
    const own = { decimal: ".", group: this.comma ? "\u00a0" : "," };
    const parts = new Intl.NumberFormat(this.language, { useGrouping, ...options }).formatToParts(value);
    return parts.map((part) => (part.type === "decimal" || part.type === "group" ? own[part.type] : part.value)).join("");
  }

  /** @param {number} value @param {number} [digits] after the decimal point, at most */
  number(value, digits = 0) {
    return this.format(value, { maximumFractionDigits: digits });
  }

  /** Three significant digits. @param {number} value */
  rounded(value) {
    return this.format(value, { maximumSignificantDigits: 3 });
  }

  /** @param {number} value 0.158 is 15.8 % */
  percent(value) {
    if (this.language === "en") return `${this.number(100 * value, 1)}\u00a0%`; // as the book's text writes it
    return this.format(value, { style: "percent", maximumFractionDigits: 1 });
  }

  /** @param {number} value @param {string} unit such as "s" or "B" */
  quantity(value, unit) {
    const scale = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
    const [size, prefix] = scale.find(([size]) => Math.abs(value) >= 0.9995 * Number(size)) ?? [1, ""];
    return `${this.rounded(value / Number(size))}\u00a0${prefix}${unit}`;
  }
}

/** The book's visual language, as `img/draw/canvas.py` has it for the stills. */
export class Canvas {
  /** @param {string} description what screen readers say of the drawing */
  constructor(description) {
    this.svg = document.createElementNS(SVG, "svg");
    const round = { "stroke-linecap": "round", "stroke-linejoin": "round" };
    const attributes = { role: "img", "aria-label": description, "font-size": "13", fill: "none", ...round };
    Object.entries(attributes).forEach(([key, value]) => this.svg.setAttribute(key, value));
    this.height = 0;
  }

  /** @param {number} height */
  set height(height) {
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  }

  /** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
  shape(name, attributes, text) {
    const shape = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      shape.setAttribute(key, typeof value === "number" ? String(Math.round(100 * value) / 100) : value);
    }
    if (text !== undefined) shape.textContent = text;
    this.svg.append(shape);
    return shape;
  }

  /** @param {number} x @param {number} y @param {string} text @param {Record<string, string | number>} [style] */
  text(x, y, text, style = {}) {
    return this.shape("text", { x, y, fill: INK, "text-anchor": "middle", ...style }, text);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {Record<string, string | number>} [style] */
  rectangle(x, y, width, height, style = {}) {
    return this.shape("rect", { x, y, width, height, stroke: INK, "stroke-width": STROKE, ...style });
  }

  /** A device: a filled box with its number in a circle. @param {number} x @param {number} y @param {number} width @param {number} height @param {number} number */
  device(x, y, width, height, number) {
    this.rectangle(x, y, width, height, { rx: 8, fill: PANEL });
    this.circle(x + width / 2, y + height / 2, 9);
    this.text(x + width / 2, y + height / 2 + 4.5, String(number), { "font-weight": "bold" });
  }

  /** @param {number} x @param {number} y @param {number} radius @param {Record<string, string | number>} [style] */
  circle(x, y, radius, style = {}) {
    return this.shape("circle", { cx: x, cy: y, r: radius, stroke: INK, "stroke-width": STROKE, ...style });
  }

  /** @param {readonly Point[]} points @param {Record<string, string | number>} [style] */
  line(points, style = {}) {
    const d = "M" + points.map(([x, y]) => `${Math.round(100 * x) / 100} ${Math.round(100 * y) / 100}`).join("L");
    return this.shape("path", { d, stroke: INK, "stroke-width": STROKE, ...style });
  }

  /** The arrow for data: solid, with a filled head. @param {Point} start @param {Point} end */
  data(start, end) {
    const [left, right, inside] = head(start, end);
    this.line([start, inside], { stroke: DATA, "stroke-width": 2 });
    this.line([left, end, right, left], { stroke: "none", fill: DATA });
  }

  /** The arrow for gradients: dashed, with an open head. @param {Point} start @param {Point} end */
  gradient(start, end) {
    const [left, right] = head(start, end);
    this.line([start, end], { stroke: GRADIENT, "stroke-width": 2, "stroke-dasharray": "4 3" });
    this.line([left, end, right], { stroke: GRADIENT, "stroke-width": 2 });
  }
}

/** The two back corners of an arrow's head, and where its shaft ends. @param {Point} start @param {Point} end @returns {[Point, Point, Point]} */
function head([x0, y0], [x1, y1]) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  /** @param {number} length @param {number} turn @returns {Point} */
  const back = (length, turn) => [x1 - length * Math.cos(angle + turn), y1 - length * Math.sin(angle + turn)];
  return [back(8, 0.45), back(8, -0.45), back(4, 0)];
}

/** @param {Control} control @param {string} id @param {() => void} changed */
function slider(control, id, changed) {
  const box = document.createElement("div");
  const label = document.createElement("label");
  const shown = document.createElement("span");
  const input = document.createElement("input");
  label.htmlFor = input.id = id;
  label.textContent = control.label;
  shown.setAttribute("aria-hidden", "true"); // the slider says it itself
  Object.assign(input, { type: "range", min: "0", max: String(control.values.length - 1), step: "1" });
  input.value = String(control.values.indexOf(control.value));
  const value = () => control.values[Number(input.value)];
  const show = () => {
    const said = control.say ? control.say(value()) : String(value());
    shown.textContent = said;
    input.setAttribute("aria-valuetext", said);
  };
  input.addEventListener("input", () => {
    show();
    changed();
  });
  show();
  box.append(label, shown, input);
  return { box, value };
}

/**
 * The caption, behind the figure's number: what the page says of the still, or `text`.
 * @param {HTMLElement} place
 */
function captionOf(place) {
  const box = place.closest("figure")?.querySelector("figcaption .caption");
  if (!box) return () => {};
  const number = box.querySelector(".caption-number");
  const still = [...box.childNodes].filter((node) => node !== number);
  /** @param {string} [text] */
  return (text) => {
    const words = text === undefined ? still : [` ${text}`];
    box.replaceChildren(...(number ? [number] : []), ...words);
  };
}

/** @param {HTMLElement} place @param {FigureScript} script @param {number} number of the figure on the page */
function run(place, script, number) {
  const language = document.documentElement.lang || "en";
  const words = script.words[language] ?? script.words.en;
  place.lang = language in script.words ? language : "en"; // whatever the text around it is in
  const say = new Speech(place.lang);
  const picture = document.createElement("div");
  const group = document.createElement("div");
  const result = document.createElement("p");
  picture.className = "d2l-svg";
  group.className = "d2l-controls";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", /** @type {any} */ (window).d2lSay("Change the figure"));
  result.className = "d2l-live-result";
  result.setAttribute("role", "status");
  const tell = captionOf(place);
  const controls = script.controls(words, say).map((control) => ({
    name: control.name,
    first: control.value,
    ...slider(control, `figure-${number}-${control.name}`, changed),
  }));

  /** The slider stays under the reader's finger, although the drawing above it may have grown. */
  function changed() {
    const before = group.getBoundingClientRect().top;
    redraw();
    const values = Object.fromEntries(controls.map(({ name, value }) => [name, value()]));
    const other = script.caption && controls.some(({ first, value }) => value() !== first);
    tell(other ? script.caption(values, words, say) : undefined);
    window.scrollBy(0, group.getBoundingClientRect().top - before);
  }

  function redraw() {
    const canvas = new Canvas(words.title);
    const values = Object.fromEntries(controls.map(({ name, value }) => [name, value()]));
    const sentence = script.draw(canvas, values, words, say).replace(/ ([−+=]) /g, "\u00a0$1\u00a0"); // no line ends in a formula
    if (result.textContent !== sentence) result.textContent = sentence;
    canvas.svg.style.width = `${WIDTH}px`;
    picture.replaceChildren(canvas.svg);
  }

  redraw();
  group.append(...controls.map(({ box }) => box));
  place.append(picture, group, result);
  place.hidden = false;
  place.closest("figure")?.classList.add("d2l-live");
}

const places = [...document.querySelectorAll(".d2l-interactive[data-module]")];
places.forEach(async (place, number) => {
  if (!(place instanceof HTMLElement)) return;
  const address = new URL(place.dataset.module ?? "", location.href).href;
  try {
    run(place, await import(address), number + 1);
  } catch (error) {
    console.error(`The figure stays as it is: ${address}`, error); // the still says what the author drew
  }
});
