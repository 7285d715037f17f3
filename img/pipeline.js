// @ts-check
// The schedule of a pipeline of p stages and m micro-batches (GPipe): all forward passes, then all backward passes, which
// take twice as long. The still: `pipeline` in draw/model_parallel.py.
/** @typedef {import("../d2lbook/static/interactive.js").FigureScript} FigureScript */

/** @type {FigureScript["words"]} */
export const words = {
  en: {
    title: "A Gantt chart: a row for each device, with its forward passes, then its backward passes, and what is left idle.",
    stages: "Stages p",
    microbatches: "Micro-batches m",
    device: "device",
    time: "time",
    forward: "F, forward",
    backward: "B, backward",
    idle: "bubble: idle",
    result: (/** @type {Record<string, string>} */ { p, m, total, idle, fraction, percent }) =>
      `p = ${p}, m = ${m}: of ${total} units of time each device is idle for ${idle}. The bubble is ` +
      `(p − 1)/(m + p − 1) = ${fraction} = ${percent} of the step.`,
    caption: (/** @type {Record<string, string>} */ { p, m, idle, total }) =>
      `A training step with ${p} stage(s) and ${m} micro-batch(es), in the schedule of GPipe. A forward pass (F) takes one unit ` +
      `of time, a backward pass (B) two; the numbers are those of the micro-batches. Shaded is the bubble, in which a device ` +
      `has nothing to do: here ${idle} of ${total} units on each device.`,
  },
  ko: {
    title: "간트 차트. 장치마다 한 줄에 순전파, 역전파, 그리고 쉬는 시간이 차례로 나온다.",
    stages: "스테이지 수 p",
    microbatches: "마이크로배치 수 m",
    device: "장치",
    time: "시간",
    forward: "F, 순전파",
    backward: "B, 역전파",
    idle: "버블: 쉼",
    result: (/** @type {Record<string, string>} */ { p, m, total, idle, fraction, percent }) =>
      `p = ${p}, m = ${m}: 전체 ${total}단위 시간 가운데 장치마다 ${idle}단위를 쉽니다. 버블은 한 스텝의 ` +
      `(p − 1)/(m + p − 1) = ${fraction} = ${percent}입니다.`,
    caption: (/** @type {Record<string, string>} */ { p, m, idle, total }) =>
      `단계 ${p}개, 마이크로배치 ${m}개인 학습 스텝을 GPipe의 스케줄로 그린 것. 순전파(F)는 1단위 시간, 역전파(B)는 2단위 시간이 ` +
      `걸리고, 수는 마이크로배치의 번호다. 칠한 곳은 장치가 할 일이 없는 버블로, 여기서는 장치마다 ${total}단위 가운데 ${idle}단위다.`,
  },
  vi: {
    title: "Biểu đồ Gantt: mỗi thiết bị một hàng, gồm các lượt truyền xuôi, rồi các lượt truyền ngược, và thời gian rỗi.",
    stages: "Số chặng p",
    microbatches: "Số micro-batch m",
    device: "thiết bị",
    time: "t", // there is no room for "thời gian"
    forward: "F, truyền xuôi",
    backward: "B, truyền ngược",
    idle: "bong bóng: rỗi",
    result: (/** @type {Record<string, string>} */ { p, m, total, idle, fraction, percent }) =>
      `p = ${p}, m = ${m}: trong ${total} đơn vị thời gian, mỗi thiết bị rỗi ${idle} đơn vị. Bong bóng chiếm ` +
      `(p − 1)/(m + p − 1) = ${fraction} = ${percent} của bước.`,
    caption: (/** @type {Record<string, string>} */ { p, m, idle, total }) =>
      `Một bước huấn luyện với ${p} chặng và ${m} micro-batch, theo lịch của GPipe. Lượt xuôi (F) mất một đơn vị thời ` +
      `gian, lượt ngược (B) mất hai; các số là số thứ tự của micro-batch. Phần tô là bong bóng, khi thiết bị không có việc: ` +
      `ở đây là ${idle} trong ${total} đơn vị trên mỗi thiết bị.`,
  },
  tr: {
    title: "Gantt çizelgesi: her cihaz için bir satır; önce ileri geçişler, sonra geri geçişler ve boş kalan süre.",
    stages: "Aşama sayısı p",
    microbatches: "Mikrogrup sayısı m",
    device: "cihaz",
    time: "t", // there is no room for "zaman"
    forward: "F, ileri geçiş",
    backward: "B, geri geçiş",
    idle: "kabarcık: boş",
    result: (/** @type {Record<string, string>} */ { p, m, total, idle, fraction, percent }) =>
      `p = ${p}, m = ${m}: her cihaz ${total} zaman biriminin ${idle} biriminde boş durur. Kabarcık, adımın ` +
      `(p − 1)/(m + p − 1) = ${fraction} = ${percent} kadarıdır.`,
    caption: (/** @type {Record<string, string>} */ { p, m, idle, total }) =>
      `GPipe çizelgesinde ${p} aşamalı ve ${m} mikro gruplu bir eğitim adımı. İleri geçiş (F) bir zaman birimi, geri geçiş (B) ` +
      `iki zaman birimi sürer; sayılar mikro grupların numaralarıdır. Taralı yer, cihazın yapacak işinin olmadığı kabarcıktır: ` +
      `burada her cihazda ${total} birimin ${idle} birimi.`,
  },
};

/** @param {number} last @returns {number[]} */
const upTo = (last) => Array.from({ length: last }, (_, index) => index + 1);

/** @type {FigureScript["controls"]} */
export const controls = (words) => [
  { name: "p", label: words.stages, values: upTo(8), value: 4 },
  { name: "m", label: words.microbatches, values: upTo(32), value: 4 },
];

const FORWARD = 1;
const BACKWARD = 2;
const LEFT = 34;
const RIGHT = 354;
const TOP = 22;
/** @type {Record<string, Record<string, string | number>>} */
const STYLES = {
  forward: { fill: "var(--d2l-blue)", "fill-opacity": 0.3, stroke: "var(--d2l-blue)" },
  backward: { fill: "var(--d2l-red)", "fill-opacity": 0.3, stroke: "var(--d2l-red)", "stroke-dasharray": "4 3" },
  idle: { fill: "var(--d2l-muted)", "fill-opacity": 0.25, stroke: "none" },
};

/** @type {FigureScript["caption"]} */
export function caption({ p, m }, words, say) {
  const total = (m + p - 1) * (FORWARD + BACKWARD);
  return words.caption({ p: say.number(p), m: say.number(m), total: say.number(total), idle: say.number(total - m * (FORWARD + BACKWARD)) });
}

/** @type {FigureScript["draw"]} */
export function draw(canvas, { p, m }, words, say) {
  const columns = m + p - 1;
  const total = columns * (FORWARD + BACKWARD);
  const unit = (RIGHT - LEFT) / total;
  const gap = p > 4 ? 4 : 6;
  const tall = Math.min(34, 160 / p - gap);
  const small = { "font-size": 12 };
  canvas.text(4, 14, words.device, { ...small, "text-anchor": "start" });
  for (let stage = 0; stage < p; stage += 1) {
    const y = TOP + stage * (tall + gap);
    canvas.circle(15, y + tall / 2, Math.min(9, tall / 2));
    canvas.text(15, y + tall / 2 + 4.5, String(stage), { "font-weight": "bold", "font-size": tall < 18 ? 12 : 13 });
    const last = (p - 1 - stage) * BACKWARD; // how long after the last device's passes this one's begin
    const turn = columns * FORWARD + last;
    idle(0, stage * FORWARD, y);
    for (let batch = 0; batch < m; batch += 1) pass("forward", batch, (stage + batch) * FORWARD, FORWARD, y);
    idle((stage + m) * FORWARD, turn, y);
    for (let batch = 0; batch < m; batch += 1) pass("backward", batch, turn + batch * BACKWARD, BACKWARD, y);
    idle(turn + m * BACKWARD, total, y);
  }
  const bottom = TOP + p * (tall + gap);
  axis(bottom);
  legend(bottom + 34);
  canvas.height = bottom + 58;
  const said = { p: say.number(p), m: say.number(m), total: say.number(total), idle: say.number(total - 3 * m) };
  return words.result({ ...said, fraction: `${p - 1}/${columns}`, percent: say.percent((p - 1) / columns) });

  /** @param {"forward" | "backward"} kind @param {number} batch @param {number} start @param {number} length @param {number} y */
  function pass(kind, batch, start, length, y) {
    const [x, width] = [LEFT + start * unit, length * unit];
    const inset = Math.min(0.75, width / 8);
    canvas.rectangle(x + inset, y, width - 2 * inset, tall, { class: kind, "stroke-width": width > 6 ? 1.5 : 0.75, ...STYLES[kind] });
    const room = 7 * String(m - 1).length + 4; // for the longest number
    if (width >= room) canvas.text(x + width / 2, y + tall / 2 + 4.5, String(batch), small);
  }

  /** @param {number} start @param {number} end @param {number} y */
  function idle(start, end, y) {
    if (end > start) canvas.rectangle(LEFT + start * unit, y, (end - start) * unit, tall, { class: "idle", ...STYLES.idle });
  }

  /** @param {number} y */
  function axis(y) {
    const apart = 3 * Math.ceil(total / 30);
    canvas.line([[LEFT, y], [RIGHT, y]], { "stroke-width": 1 });
    for (let time = 0; time <= total; time += apart) {
      canvas.line([[LEFT + time * unit, y], [LEFT + time * unit, y + 4]], { "stroke-width": 1 });
      canvas.text(LEFT + time * unit, y + 17, String(time), small);
    }
    canvas.text(LEFT - 8, y + 17, words.time, { ...small, "text-anchor": "end" });
  }

  /** @param {number} y */
  function legend(y) {
    [34, 136, 254].forEach((x, index) => {
      const kind = Object.keys(STYLES)[index];
      canvas.rectangle(x, y, 18, 18, STYLES[kind]);
      canvas.text(x + 24, y + 13.5, words[kind], { ...small, "text-anchor": "start" });
    });
  }
}
