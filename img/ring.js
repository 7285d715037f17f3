// @ts-check
// A ring all-reduce among k devices: what each sends in the first step, and of how many arrays each piece is the sum
// after every step. The still: `ring` in draw/collectives.py.
/** @typedef {import("../d2lbook/static/interactive.js").FigureScript} FigureScript */

/** @type {FigureScript["words"]} */
export const words = {
  en: {
    title: "Devices in a ring, each sending a piece to the next. Below, a grid of devices by pieces after every step: of how many devices' arrays each piece is the sum.",
    devices: "Devices k",
    piece: (/** @type {string} */ number) => `piece ${number}`,
    summands: "Summands in each piece",
    start: "start",
    step: (/** @type {string} */ number) => `step ${number}`,
    key: "rows: devices, columns: pieces; filled: complete",
    result: (/** @type {Record<string, string>} */ { k, steps, share, bytes }) =>
      `k = ${k}: in 2(k − 1) = ${steps} steps each device sends 2(k − 1)/k = ${share} times its n bytes; ` +
      `for the n = 44.7 MB of gradients of ResNet-18 that is ${bytes}. Device 0 of a star would carry ${steps} times n.`,
    caption: (/** @type {Record<string, string>} */ { k, steps }) =>
      `The ring for ${k} devices. Top: what each sends in the first step. Below: of how many devices' arrays each piece is ` +
      `the sum, after each of the ${steps} steps; ${k} is complete.`,
  },
  ko: {
    title: "고리 모양으로 늘어선 장치들이 저마다 다음 장치에 조각 하나를 보낸다. 아래는 스텝마다 장치와 조각을 행과 열로 둔 격자로, 각 조각이 장치 몇 개의 배열을 더한 것인지 보여 준다.",
    devices: "장치 수 k",
    piece: (/** @type {string} */ number) => `조각 ${number}`,
    summands: "각 조각에 더해진 항의 수",
    start: "시작",
    step: (/** @type {string} */ number) => `스텝 ${number}`,
    key: "행: 장치, 열: 조각. 채운 칸: 완성",
    result: (/** @type {Record<string, string>} */ { k, steps, share, bytes }) =>
      `k = ${k}: 2(k − 1) = ${steps}스텝 동안 장치마다 자기 n바이트의 2(k − 1)/k = ${share}배를 보냅니다. ` +
      `ResNet-18의 기울기 n = 44.7 MB라면 ${bytes}입니다. 별 모양이라면 장치 0이 n의 ${steps}배를 나릅니다.`,
    caption: (/** @type {Record<string, string>} */ { k, steps }) =>
      `장치 ${k}개의 고리. 위: 첫 스텝에 장치마다 보내는 조각. 아래: ${steps}스텝을 하나씩 마칠 때마다 각 조각이 장치 몇 개의 배열을 ` +
      `더한 것인지. ${k}이면 완성.`,
  },
  vi: {
    title: "Các thiết bị xếp thành vòng, mỗi thiết bị gửi một mảnh cho thiết bị kế tiếp. Bên dưới là lưới thiết bị theo mảnh sau từng bước: mỗi mảnh là tổng các mảng của bao nhiêu thiết bị.",
    devices: "Số thiết bị k",
    piece: (/** @type {string} */ number) => `mảnh ${number}`,
    summands: "Số hạng đã cộng trong mỗi mảnh",
    start: "đầu",
    step: (/** @type {string} */ number) => `bước ${number}`,
    key: "hàng: thiết bị, cột: mảnh; ô tô màu: đã đủ",
    result: (/** @type {Record<string, string>} */ { k, steps, share, bytes }) =>
      `k = ${k}: trong 2(k − 1) = ${steps} bước, mỗi thiết bị gửi 2(k − 1)/k = ${share} lần n byte của nó; ` +
      `với n = 44.7 MB gradient của ResNet-18 là ${bytes}. Trong hình sao, thiết bị 0 sẽ phải chuyển ${steps} lần n.`,
    caption: (/** @type {Record<string, string>} */ { k, steps }) =>
      `Vòng của ${k} thiết bị. Trên: mỗi thiết bị gửi gì ở bước đầu. Dưới: sau từng bước trong ${steps} bước, mỗi mảnh là ` +
      `tổng các mảng của bao nhiêu thiết bị; ${k} là đã đủ.`,
  },
  tr: {
    title: "Halka biçiminde dizilmiş cihazlar; her biri bir sonrakine bir parça gönderiyor. Altta her adımdan sonra cihazlara ve parçalara göre bir ızgara: her parça kaç cihazın dizisinin toplamı.",
    devices: "Cihaz sayısı k",
    piece: (/** @type {string} */ number) => `parça ${number}`,
    summands: "Her parçadaki terim sayısı",
    start: "başta",
    step: (/** @type {string} */ number) => `adım ${number}`,
    key: "satır: cihaz, sütun: parça; dolu: tamam",
    result: (/** @type {Record<string, string>} */ { k, steps, share, bytes }) =>
      `k = ${k}: her cihaz 2(k − 1) = ${steps} adımda n baytının 2(k − 1)/k = ${share} katını gönderir; ` +
      `ResNet-18'in n = 44.7 MB gradyanı için bu ${bytes} eder. Yıldız biçiminde 0. cihaz n'nin ${steps} katını taşırdı.`,
    caption: (/** @type {Record<string, string>} */ { k, steps }) =>
      `${k} cihazlık halka. Üstte: ilk adımda her birinin gönderdiği. Altta: ${steps} adımın her birinden sonra her parçanın ` +
      `kaç cihazın dizisinin toplamı olduğu; ${k} ise tamam.`,
  },
};

const BYTES = 44.7e6; // the gradients of the ResNet-18 of the book

/** @type {FigureScript["controls"]} */
export const controls = (words) => [{ name: "k", label: words.devices, values: [2, 3, 4, 5, 6, 7, 8], value: 4 }];

const [X, Y, RADIUS, BOX] = [180, 114, 82, 15];
const ACROSS = 4; // grids in a row

/** How many summands device i has of piece c, as states[s][i][c]: at the start and after each step. @param {number} k */
function statesOf(k) {
  const state = Array.from({ length: k }, () => Array(k).fill(1));
  const states = [state.map((row) => [...row])];
  for (let step = 0; step < 2 * (k - 1); step += 1) {
    const sent = state.map((row, device) => row[(device - step + 2 * k) % k]);
    sent.forEach((count, device) => {
      const [next, piece] = [(device + 1) % k, (device - step + 2 * k) % k];
      state[next][piece] = step < k - 1 ? state[next][piece] + count : count;
    });
    states.push(state.map((row) => [...row]));
  }
  return states;
}

/** @type {FigureScript["caption"]} */
export const caption = ({ k }, words, say) => words.caption({ k: say.number(k), steps: say.number(2 * (k - 1)) });

/** @type {FigureScript["draw"]} */
export function draw(canvas, { k }, words, say) {
  const small = { "font-size": 12 };
  circle();
  const cell = Math.min(17, 74 / k);
  const numbers = cell >= 12; // there is room for them
  const states = statesOf(k);
  canvas.text(4, 234, words.summands, { "text-anchor": "start", "font-weight": "bold" });
  states.forEach((state, index) => {
    const [left, top] = [26 + 86 * (index % ACROSS), 260 + (k * cell + 28) * Math.floor(index / ACROSS)];
    canvas.text(left + (k * cell) / 2, top - 6, index ? words.step(String(index)) : words.start, small);
    if (index % ACROSS === 0 && numbers) {
      state.forEach((_, device) => canvas.text(left - 10, top + cell * (device + 0.5) + 4.5, String(device), small));
    }
    grid(left, top, state, states[Math.max(index - 1, 0)]);
  });
  const bottom = 260 + (k * cell + 28) * Math.ceil(states.length / ACROSS);
  canvas.text(26, bottom - 8, words.key, { ...small, "text-anchor": "start" });
  canvas.height = bottom + 4;
  const steps = 2 * (k - 1);
  return words.result({
    k: say.number(k), steps: say.number(steps), share: say.number(steps / k, 3), bytes: say.quantity((steps / k) * BYTES, "B"),
  });

  function circle() {
    const turn = (2 * Math.PI) / k;
    const angle = (/** @type {number} */ device) => -Math.PI / 2 - turn / 2 + turn * device;
    for (let device = 0; device < k; device += 1) {
      const middle = angle(device + 0.5);
      const aside = k === 2 ? 9 : 0; // two devices: one arrow each way, not one upon the other
      const [[x0, y0], [x1, y1]] = [at(angle(device), RADIUS), at(angle(device + 1), RADIUS)];
      const [along, across] = [[Math.cos(middle + Math.PI / 2), Math.sin(middle + Math.PI / 2)], [Math.cos(middle), Math.sin(middle)]];
      /** @param {number} x @param {number} y @param {number} on @returns {[number, number]} */
      const beside = (x, y, on) => [x + on * along[0] + aside * across[0], y + on * along[1] + aside * across[1]];
      canvas.gradient(beside(x0, y0, 22), beside(x1, y1, -22));
      const [x, y] = at(middle, RADIUS * Math.cos(turn / 2) + aside + (Math.abs(across[0]) > 0.2 ? 11 : k > 6 ? 22 : 14));
      const side = across[0] > 0.2 ? "start" : across[0] < -0.2 ? "end" : "middle";
      canvas.text(x, y + 4, words.piece(String(device)), { ...small, "text-anchor": side });
    }
    for (let device = 0; device < k; device += 1) {
      const [x, y] = at(angle(device), RADIUS);
      canvas.device(x - BOX, y - BOX, 2 * BOX, 2 * BOX, device);
    }
  }

  /** @param {number} angle @param {number} radius @returns {[number, number]} */
  function at(angle, radius) {
    return [X + radius * Math.cos(angle), Y + radius * Math.sin(angle)];
  }

  /** Numbers of summands; where cells are too small for them, filled as far as pieces are complete. @param {number} left @param {number} top @param {number[][]} state @param {number[][]} before */
  function grid(left, top, state, before) {
    state.forEach((row, device) => row.forEach((count, piece) => {
      const [x, y, full] = [left + piece * cell, top + device * cell, count === k];
      const tall = numbers || full ? cell : (cell * count) / k;
      const tint = full ? { fill: "var(--d2l-blue)", "fill-opacity": 0.35 } : { fill: "var(--d2l-muted)", "fill-opacity": numbers ? 0.1 : 0.5 };
      canvas.rectangle(x, y + cell - tall, cell, tall, { class: full ? "complete" : "partial", stroke: "none", ...tint });
      const weight = { "font-weight": count !== before[device][piece] ? "bold" : "normal" };
      if (numbers) canvas.text(x + cell / 2, y + cell / 2 + 4, String(count), { "font-size": cell >= 13 ? 12 : 11, ...weight });
    }));
    const size = k * cell;
    canvas.rectangle(left, top, size, size);
    for (let line = 1; line < k; line += 1) {
      canvas.line([[left, top + line * cell], [left + size, top + line * cell]], { "stroke-width": 0.75 });
      canvas.line([[left + line * cell, top], [left + line * cell, top + size]], { "stroke-width": 0.75 });
    }
  }
}
