// @ts-check
// What a training step costs: b examples on k devices, arithmetic and all-reduce one after the other. The still:
// `step_cost` in draw/cost_model.py, with the same example, the ResNet-18 of the book on devices that do not exist.
/** @typedef {import("../d2lbook/static/interactive.js").FigureScript} FigureScript */

/** @type {FigureScript["words"]} */
export const words = {
  en: {
    title: "Step time against 1 to 64 devices, both logarithmic, for three batch sizes and the chosen one, with the time of the all-reduce.",
    batch: "Batch size b",
    devices: "Devices k",
    time: "step time (ms)",
    axis: "devices k",
    curve: (/** @type {string} */ b) => `b = ${b}`,
    allreduce: "all-reduce",
    ideal: "without all-reduce",
    one: (/** @type {Record<string, string>} */ { b, arithmetic }) =>
      `b = ${b} on one device: a step takes ${arithmetic}, all of it arithmetic.`,
    result: (/** @type {Record<string, string>} */ { b, k, arithmetic, allreduce, step, speedup, efficiency }) =>
      `b = ${b} on k = ${k} devices: a step takes ${arithmetic} of arithmetic + ${allreduce} of all-reduce = ${step}. ` +
      `That is ${speedup} times as fast as one device, ${efficiency} of the ideal.`,
  },
  ko: {
    title: "장치 1개부터 64개까지의 스텝 시간. 두 축 모두 로그 눈금이며, 배치 크기 셋과 고른 배치 크기, all-reduce 시간을 보여 준다.",
    batch: "배치 크기 b",
    devices: "장치 수 k",
    time: "스텝 시간 (ms)",
    axis: "장치 수 k",
    curve: (/** @type {string} */ b) => `b = ${b}`,
    allreduce: "all-reduce",
    ideal: "all-reduce 없이",
    one: (/** @type {Record<string, string>} */ { b, arithmetic }) =>
      `장치 하나에서 b = ${b}: 한 스텝에 ${arithmetic}가 걸리고, 모두 계산입니다.`,
    result: (/** @type {Record<string, string>} */ { b, k, arithmetic, allreduce, step, speedup, efficiency }) =>
      `장치 k = ${k}개에서 b = ${b}: 한 스텝은 계산 ${arithmetic} + all-reduce ${allreduce} = ${step}입니다. ` +
      `장치 하나보다 ${speedup}배 빠르며, 이상적인 경우의 ${efficiency}입니다.`,
  },
  vi: {
    title: "Thời gian một bước theo số thiết bị từ 1 đến 64, cả hai trục theo thang log, cho ba kích thước batch và kích thước đã chọn, cùng thời gian all-reduce.",
    batch: "Kích thước batch b",
    devices: "Số thiết bị k",
    time: "thời gian bước (ms)",
    axis: "số thiết bị k",
    curve: (/** @type {string} */ b) => `b = ${b}`,
    allreduce: "all-reduce",
    ideal: "không all-reduce",
    one: (/** @type {Record<string, string>} */ { b, arithmetic }) =>
      `b = ${b} trên một thiết bị: một bước mất ${arithmetic}, toàn bộ là tính toán.`,
    result: (/** @type {Record<string, string>} */ { b, k, arithmetic, allreduce, step, speedup, efficiency }) =>
      `b = ${b} trên k = ${k} thiết bị: một bước mất ${arithmetic} tính toán + ${allreduce} all-reduce = ${step}. ` +
      `Như vậy nhanh gấp ${speedup} lần một thiết bị, đạt ${efficiency} mức lý tưởng.`,
  },
  tr: {
    title: "1'den 64'e kadar cihazla adım süresi, iki eksen de logaritmik; üç grup boyutu ve seçilen boyut için, all-reduce süresiyle birlikte.",
    batch: "Grup boyutu b",
    devices: "Cihaz sayısı k",
    time: "adım süresi (ms)",
    axis: "cihaz sayısı k",
    curve: (/** @type {string} */ b) => `b = ${b}`,
    allreduce: "all-reduce",
    ideal: "all-reduce'suz",
    one: (/** @type {Record<string, string>} */ { b, arithmetic }) =>
      `Tek cihazda b = ${b}: bir adım ${arithmetic} sürer, hepsi hesaplamadır.`,
    result: (/** @type {Record<string, string>} */ { b, k, arithmetic, allreduce, step, speedup, efficiency }) =>
      `k = ${k} cihazda b = ${b}: bir adım ${arithmetic} hesaplama + ${allreduce} all-reduce = ${step} sürer. ` +
      `Bu, tek cihazdan ${speedup} kat hızlıdır; idealin ${efficiency} kadarıdır.`,
  },
};

const FLOPS = 3 * 0.91e9; // per image, forward and backward
const PEAK = 10e12; // FLOP/s of a device
const BYTES = 44.7e6; // of gradients
const BANDWIDTH = 50e9; // byte/s
const ALPHA = 10e-6; // seconds
const SHOWN = [2048, 256, 32]; // batch sizes of the still
const COUNTS = [1, 2, 4, 8, 16, 32, 64];

/** @type {FigureScript["controls"]} */
export const controls = (words, say) => [
  { name: "b", label: words.batch, values: [8, 16, 32, 64, 128, 256, 512, 1024, 2048], value: 256, say: (value) => say.number(value) },
  { name: "k", label: words.devices, values: COUNTS, value: 8 },
];

/** Seconds that `k` devices compute for `b` images. @param {number} b @param {number} k */
const arithmetic = (b, k) => (b * FLOPS) / (k * PEAK);
/** Seconds of the all-reduce of `k` devices. @param {number} k */
const allreduce = (k) => (2 * (k - 1) * BYTES) / (k * BANDWIDTH) + 2 * (k - 1) * ALPHA;
/** @param {number} b @param {number} k */
const step = (b, k) => arithmetic(b, k) + allreduce(k);

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 268, 30, 262];
const [FASTEST, SLOWEST] = [0.0001, 1]; // the ends of the vertical axis, in seconds

/** @param {number} k @param {number} seconds @returns {[number, number]} */
function place(k, seconds) {
  const height = Math.log(seconds / FASTEST) / Math.log(SLOWEST / FASTEST);
  return [LEFT + ((RIGHT - LEFT) * Math.log2(k)) / 6, BOTTOM - (BOTTOM - TOP) * height];
}

/** @type {FigureScript["draw"]} */
export function draw(canvas, { b, k }, words, say) {
  const small = { "font-size": 12 };
  /** @type {[string, number, boolean][]} */
  const ends = [];
  canvas.height = 322;
  axes();
  for (const size of SHOWN.filter((shown) => shown !== b)) curve(size, false);
  curve(b, true);
  const floor = COUNTS.slice(1).map((count) => place(count, allreduce(count)));
  canvas.line(floor, { class: "allreduce", stroke: "var(--d2l-red)", "stroke-width": 2, "stroke-dasharray": "4 3" });
  ends.push([words.allreduce, floor[5][1] + 12, false]);
  const lowest = Math.min(64, arithmetic(b, 1) / FASTEST); // where the ideal leaves the plot
  canvas.line([place(1, arithmetic(b, 1)), place(lowest, arithmetic(b, lowest))], { class: "ideal", stroke: "var(--d2l-muted)", "stroke-width": 1, "stroke-dasharray": "2 3" });
  const [x, y] = place(k, step(b, k));
  canvas.line([[x, BOTTOM], [x, y + 8]], { stroke: "var(--d2l-muted)", "stroke-width": 1 });
  canvas.circle(x, y, 8, { class: "chosen", "stroke-width": 2 });
  names();
  canvas.line([[LEFT + 20, 314], [LEFT + 52, 314]], { stroke: "var(--d2l-muted)", "stroke-width": 1, "stroke-dasharray": "2 3" });
  canvas.text(LEFT + 60, 318, words.ideal, { ...small, "text-anchor": "start" });
  const said = { b: say.number(b), k: say.number(k), arithmetic: say.quantity(arithmetic(b, k), "s") };
  if (k === 1) return words.one(said);
  const speedup = step(b, 1) / step(b, k);
  return words.result({
    ...said, allreduce: say.quantity(allreduce(k), "s"), step: say.quantity(step(b, k), "s"),
    speedup: say.rounded(speedup), efficiency: say.percent(speedup / k),
  });

  function axes() {
    canvas.text(4, 14, words.time, { ...small, "text-anchor": "start" });
    canvas.line([[LEFT, TOP], [LEFT, BOTTOM], [RIGHT, BOTTOM]]);
    for (const milliseconds of [0.1, 1, 10, 100, 1000]) {
      const [, y] = place(1, milliseconds / 1000);
      canvas.line([[LEFT - 4, y], [LEFT, y]]);
      canvas.text(LEFT - 7, y + 4, say.number(milliseconds, 1), { ...small, "text-anchor": "end" });
    }
    for (const count of COUNTS) {
      const [x] = place(count, 1);
      canvas.line([[x, BOTTOM], [x, BOTTOM + 4]]);
      canvas.text(x, BOTTOM + 18, String(count), small);
    }
    canvas.text((LEFT + RIGHT) / 2, BOTTOM + 36, words.axis, small);
  }

  /** @param {number} size @param {boolean} chosen */
  function curve(size, chosen) {
    const points = COUNTS.map((count) => place(count, step(size, count)));
    canvas.line(points, { class: chosen ? "step" : "other", stroke: "var(--d2l-blue)", "stroke-width": chosen ? 2.5 : 1, "stroke-opacity": chosen ? 1 : 0.55 });
    for (const [x, y] of points) canvas.circle(x, y, chosen ? 3 : 2, { stroke: "none", fill: "currentColor", "fill-opacity": chosen ? 1 : 0.55 });
    ends.push([words.curve(say.number(size)), points[6][1] + 4, chosen]);
  }

  /** The curves' names at their right ends, none upon another. */
  function names() {
    let line = 0;
    for (const [name, y, chosen] of ends.sort((first, second) => first[1] - second[1])) {
      line = Math.max(y, line + 14);
      canvas.text(RIGHT + 8, line, name, { ...small, "text-anchor": "start", ...(chosen ? { "font-weight": "bold" } : {}) });
    }
  }
}
