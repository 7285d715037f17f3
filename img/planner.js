// @ts-check
// A mesh on paper: what fits, what bounds the step, and why. `plan` is the arithmetic of `d2l.plan_mesh`, which a test holds
// it to; the still is `planner` in draw/meshes.py, plan B of the page.
/** @typedef {import("../d2lbook/static/interactive.js").FigureScript} FigureScript */
/** @typedef {Record<string, string>} Said */

/** @type {FigureScript["words"]} */
export const words = {
  en: {
    title: "What a device keeps, stacked, with a limit at 80 GB; and the time of a step: arithmetic, exposed exchanges and bubble, and what link and network need.",
    memory: "memory of a device (GB)",
    time: "time of a step (s)",
    kinds: { parameters: "parameters", gradients: "gradients", optimizer: "optimizer", activations: "activations" },
    parts: { arithmetic: "arithmetic", exposed: "exposed", bubble: "bubble" },
    rows: { devices: "devices", link: "link", network: "network" },
    model: "Model",
    devices: "Devices",
    network: "Network (GB/s per device)",
    tensor: "Tensor axis",
    context: "Context axis",
    pipeline: "Pipeline axis",
    chunks: "Chunks per device",
    microbatch: "Sequences per micro-batch",
    stage: "ZeRO stage",
    efficiency: "Efficiency (assumed)",
    exposed: "Exposed share (assumed)",
    few: (/** @type {Said} */ { axes, devices }) => `${axes} needs more than ${devices} devices.`,
    uneven: (/** @type {Said} */ { sequences, data, microbatch }) =>
      `${sequences} sequences do not divide into micro-batches of ${microbatch} on ${data} replicas.`,
    chunked: (/** @type {Said} */ { m, pipeline }) => `Chunks need two stages or more, and ${m} micro-batches are no multiple of ${pipeline} stages.`,
    head: (/** @type {Said} */ { axes, m }) => `${axes}, ${m} micro-batches.`,
    fits: (/** @type {Said} */ { total }) => `It fits: ${total} of 80 GB.`,
    full: (/** @type {Said} */ { total, largest }) => `It does not fit: ${total}, of 80 GB; the largest part is ${largest}.`,
    step: (/** @type {Said} */ { step, devices, link, network, mfu }) =>
      `A step takes at least ${step}: devices ${devices}, link ${link}, network ${network}. The MFU is at most ${mfu}.`,
    caption: "A plan of your own. Above, what the devices of the first stage keep; below, the parts of a step's time, and what link and network need.",
    why: {
      arithmetic: (/** @type {Said} */ { share }) => `The devices are the bound: arithmetic is ${share} of the step.`,
      exposed: (/** @type {Said} */ { share }) => `The devices are the bound, but exposed exchanges inside layers are ${share} of the step.`,
      bubble: (/** @type {Said} */ { share }) => `The devices are the bound, but they are idle for ${share} of the step, the bubble.`,
      link: (/** @type {Said} */ { axis }) => `The links inside servers are the bound; most bytes are of the ${axis} axis.`,
      network: (/** @type {Said} */ { axis }) => `The network is the bound; most of its bytes are of the ${axis} axis.`,
    },
    axes: { tensor: "tensor", context: "context", pipeline: "pipeline", data: "data" },
  },
  ko: {
    title: "장치 하나가 보관하는 것을 쌓아 올린 막대와 80 GB 한계, 그리고 한 스텝의 시간: 계산, 노출된 통신, 버블, 링크와 네트워크에 필요한 시간.",
    memory: "장치의 메모리 (GB)",
    time: "스텝 시간 (s)",
    kinds: { parameters: "파라미터", gradients: "기울기", optimizer: "옵티마이저", activations: "활성값" },
    parts: { arithmetic: "계산", exposed: "노출된 통신", bubble: "버블" },
    rows: { devices: "장치", link: "링크", network: "네트워크" },
    model: "모델",
    devices: "장치 수",
    network: "네트워크 (장치당 GB/s)",
    tensor: "텐서 축",
    context: "컨텍스트 축",
    pipeline: "파이프라인 축",
    chunks: "장치당 청크 수",
    microbatch: "마이크로배치의 시퀀스 수",
    stage: "ZeRO 단계",
    efficiency: "효율 (가정)",
    exposed: "노출 비율 (가정)",
    few: (/** @type {Said} */ { axes, devices }) => `${axes}에는 장치가 ${devices}개보다 많이 필요합니다.`,
    uneven: (/** @type {Said} */ { sequences, data, microbatch }) =>
      `시퀀스 ${sequences}개는 복제본 ${data}개에서 크기 ${microbatch}의 마이크로배치로 나누어떨어지지 않습니다.`,
    chunked: (/** @type {Said} */ { m, pipeline }) => `청크에는 단계가 둘 이상 필요하고, 마이크로배치 ${m}개는 단계 수 ${pipeline}의 배수가 아닙니다.`,
    head: (/** @type {Said} */ { axes, m }) => `${axes}, 마이크로배치 ${m}개.`,
    fits: (/** @type {Said} */ { total }) => `들어갑니다: 80 GB 중 ${total}.`,
    full: (/** @type {Said} */ { total, largest }) => `80 GB에 들어가지 않습니다: ${total}. 가장 큰 부분은 ${largest}입니다.`,
    step: (/** @type {Said} */ { step, devices, link, network, mfu }) =>
      `한 스텝은 적어도 ${step} 걸립니다: 장치 ${devices}, 링크 ${link}, 네트워크 ${network}. MFU는 많아야 ${mfu}입니다.`,
    caption: "직접 세운 계획. 위는 첫 단계의 장치가 보관하는 것, 아래는 스텝 시간의 부분들과 링크와 네트워크에 필요한 시간.",
    why: {
      arithmetic: (/** @type {Said} */ { share }) => `장치가 한계입니다: 계산이 스텝의 ${share}를 차지합니다.`,
      exposed: (/** @type {Said} */ { share }) => `장치가 한계이지만, 층 안의 노출된 통신이 스텝의 ${share}를 차지합니다.`,
      bubble: (/** @type {Said} */ { share }) => `장치가 한계이지만, 스텝의 ${share} 동안 놀고 있습니다(버블).`,
      link: (/** @type {Said} */ { axis }) => `서버 안의 링크가 한계입니다. 대부분의 바이트는 ${axis} 축의 것입니다.`,
      network: (/** @type {Said} */ { axis }) => `네트워크가 한계입니다. 네트워크를 지나는 바이트는 대부분 ${axis} 축의 것입니다.`,
    },
    axes: { tensor: "텐서", context: "컨텍스트", pipeline: "파이프라인", data: "데이터" },
  },
  vi: {
    title: "Những gì một thiết bị lưu giữ, xếp chồng, với giới hạn 80 GB; và thời gian một bước: tính toán, phần trao đổi bị lộ và bong bóng, cùng thời gian mà đường truyền và mạng cần.",
    memory: "bộ nhớ của một thiết bị (GB)",
    time: "thời gian một bước (s)",
    kinds: { parameters: "tham số", gradients: "gradient", optimizer: "bộ tối ưu", activations: "giá trị kích hoạt" },
    parts: { arithmetic: "tính toán", exposed: "trao đổi bị lộ", bubble: "bong bóng" },
    rows: { devices: "thiết bị", link: "đường truyền", network: "mạng" },
    model: "Mô hình",
    devices: "Số thiết bị",
    network: "Mạng (GB/s mỗi thiết bị)",
    tensor: "Trục tensor",
    context: "Trục ngữ cảnh",
    pipeline: "Trục pipeline",
    chunks: "Số khúc mỗi thiết bị",
    microbatch: "Số chuỗi mỗi micro-batch",
    stage: "Giai đoạn ZeRO",
    efficiency: "Hiệu suất (giả định)",
    exposed: "Tỉ lệ bị lộ (giả định)",
    few: (/** @type {Said} */ { axes, devices }) => `${axes} cần nhiều hơn ${devices} thiết bị.`,
    uneven: (/** @type {Said} */ { sequences, data, microbatch }) =>
      `${sequences} chuỗi không chia hết thành các micro-batch cỡ ${microbatch} trên ${data} replica.`,
    chunked: (/** @type {Said} */ { m, pipeline }) => `Chia khúc cần ít nhất hai chặng, và ${m} micro-batch không phải là bội của ${pipeline} chặng.`,
    head: (/** @type {Said} */ { axes, m }) => `${axes}, ${m} micro-batch.`,
    fits: (/** @type {Said} */ { total }) => `Vừa bộ nhớ: ${total} trong 80 GB.`,
    full: (/** @type {Said} */ { total, largest }) => `Không vừa 80 GB: cần ${total}; phần lớn nhất là ${largest}.`,
    step: (/** @type {Said} */ { step, devices, link, network, mfu }) =>
      `Một bước mất ít nhất ${step}: thiết bị ${devices}, đường truyền ${link}, mạng ${network}. MFU nhiều nhất là ${mfu}.`,
    caption: "Kế hoạch của riêng bạn. Phía trên: những gì các thiết bị của chặng đầu lưu giữ; phía dưới: các phần của thời gian một bước, và thời gian mà đường truyền và mạng cần.",
    why: {
      arithmetic: (/** @type {Said} */ { share }) => `Giới hạn nằm ở thiết bị: tính toán chiếm ${share} của bước.`,
      exposed: (/** @type {Said} */ { share }) => `Giới hạn nằm ở thiết bị, nhưng trao đổi bị lộ bên trong các tầng chiếm ${share} của bước.`,
      bubble: (/** @type {Said} */ { share }) => `Giới hạn nằm ở thiết bị, nhưng chúng nhàn rỗi ${share} của bước: đó là bong bóng.`,
      link: (/** @type {Said} */ { axis }) => `Giới hạn nằm ở đường truyền trong máy chủ; phần lớn số byte là của trục ${axis}.`,
      network: (/** @type {Said} */ { axis }) => `Giới hạn nằm ở mạng; phần lớn số byte qua mạng là của trục ${axis}.`,
    },
    axes: { tensor: "tensor", context: "ngữ cảnh", pipeline: "pipeline", data: "dữ liệu" },
  },
  tr: {
    title: "Bir cihazın sakladıkları üst üste, 80 GB sınırıyla; ve bir adımın süresi: hesaplama, açıkta kalan iletişim ve boşluk, ayrıca bağlantının ve ağın gerektirdiği süre.",
    memory: "bir cihazın belleği (GB)",
    time: "adım süresi (s)",
    kinds: { parameters: "parametreler", gradients: "gradyanlar", optimizer: "eniyileyici", activations: "aktivasyonlar" },
    parts: { arithmetic: "hesaplama", exposed: "açıkta iletişim", bubble: "boşluk" },
    rows: { devices: "cihazlar", link: "bağlantı", network: "ağ" },
    model: "Model",
    devices: "Cihaz sayısı",
    network: "Ağ (cihaz başına GB/s)",
    tensor: "Tensör ekseni",
    context: "Bağlam ekseni",
    pipeline: "Ardışık düzen ekseni",
    chunks: "Cihaz başına parça",
    microbatch: "Mikro grup başına dizi",
    stage: "ZeRO aşaması",
    efficiency: "Verim (varsayım)",
    exposed: "Açıkta kalan pay (varsayım)",
    few: (/** @type {Said} */ { axes, devices }) => `${axes} için ${devices} cihazdan fazlası gerekir.`,
    uneven: (/** @type {Said} */ { sequences, data, microbatch }) =>
      `${sequences} dizi, ${data} kopyada ${microbatch} dizilik mikro gruplara tam bölünmez.`,
    chunked: (/** @type {Said} */ { m, pipeline }) => `Parçalar en az iki aşama ister ve ${m} mikro grup, ${pipeline} aşamanın katı değildir.`,
    head: (/** @type {Said} */ { axes, m }) => `${axes}, ${m} mikro grup.`,
    fits: (/** @type {Said} */ { total }) => `Sığar: 80 GB'ın ${total} kadarı.`,
    full: (/** @type {Said} */ { total, largest }) => `80 GB'a sığmaz: ${total} gerekir; en büyük bölüm: ${largest}.`,
    step: (/** @type {Said} */ { step, devices, link, network, mfu }) =>
      `Bir adım en az ${step} sürer: cihazlar ${devices}, bağlantı ${link}, ağ ${network}. MFU en çok ${mfu} olur.`,
    caption: "Kendi planınız. Üstte ilk aşamanın cihazlarının sakladıkları; altta adım süresinin bölümleri ile bağlantının ve ağın gerektirdiği süre.",
    why: {
      arithmetic: (/** @type {Said} */ { share }) => `Sınırı cihazlar koyar: adımda hesaplamanın payı ${share}.`,
      exposed: (/** @type {Said} */ { share }) => `Sınırı cihazlar koyar, ama katmanların içinde açıkta kalan iletişimin adımdaki payı ${share}.`,
      bubble: (/** @type {Said} */ { share }) => `Sınırı cihazlar koyar, ama boşluk nedeniyle boş durdukları pay: ${share}.`,
      link: (/** @type {Said} */ { axis }) => `Sınırı sunucu içi bağlantılar koyar; baytların çoğu şu eksenden: ${axis}.`,
      network: (/** @type {Said} */ { axis }) => `Sınırı ağ koyar; ağdaki baytların çoğu şu eksenden: ${axis}.`,
    },
    axes: { tensor: "tensör", context: "bağlam", pipeline: "ardışık düzen", data: "veri" },
  },
};

const SEQUENCE = 8192; // tokens
const SEQUENCES = 512; // of a step
const MEMORY = 80e9; // bytes of a device
const PEAK = 989e12; // FLOP/s
const LINK = 360e9; // byte/s inside a server
const SERVER = 8; // devices
/** Llama 3. @type {[string, number, number, number, number][]} */
const MODELS = [
  ["Llama 3 8B", 32, 4096, 14336, 1 / 4],
  ["Llama 3 70B", 80, 8192, 28672, 1 / 8],
  ["Llama 3 405B", 126, 16384, 53248, 1 / 16],
];
const VOCABULARY = 128256;

/** @type {FigureScript["controls"]} */
export const controls = (words, say) => [
  { name: "model", label: words.model, values: [0, 1, 2], value: 1, say: (value) => MODELS[value][0] },
  { name: "devices", label: words.devices, values: [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192], value: 512, say: (value) => say.number(value) },
  { name: "network", label: words.network, values: [6, 12, 24, 48, 96, 192], value: 48 },
  { name: "tensor", label: words.tensor, values: [1, 2, 4, 8, 16], value: 8 },
  { name: "context", label: words.context, values: [1, 2, 4, 8], value: 1 },
  { name: "pipeline", label: words.pipeline, values: [1, 2, 4, 8, 16], value: 4 },
  { name: "chunks", label: words.chunks, values: [1, 2, 4, 5], value: 1 },
  { name: "microbatch", label: words.microbatch, values: [1, 2, 4], value: 1 },
  { name: "stage", label: words.stage, values: [0, 1, 2, 3], value: 1 },
  { name: "efficiency", label: words.efficiency, values: [0.3, 0.4, 0.5, 0.6, 0.7, 0.8], value: 0.6, say: (value) => say.percent(value) },
  { name: "exposed", label: words.exposed, values: [0, 0.25, 0.5, 0.75, 1], value: 0.5, say: (value) => say.percent(value) },
];

/**
 * What `d2l.plan_mesh` returns of it, or why there is no plan. Gradients have 4 bytes.
 * @param {Record<string, number>} values those of the controls
 */
export function plan({ model, devices, network, tensor, context, pipeline, chunks, microbatch, stage, efficiency, exposed }) {
  const [, layers, width, hidden, kv] = MODELS[model];
  const data = Math.floor(devices / (tensor * context * pipeline));
  const axes = { tensor, context, pipeline, data };
  const m = SEQUENCES / (data * microbatch);
  if (data < 1) return { refused: "few", axes, m };
  if (!Number.isInteger(m)) return { refused: "uneven", axes, m };
  if (chunks > 1 && (pipeline === 1 || m % pipeline)) return { refused: "chunked", axes, m };
  const replicas = data * context;
  const parameters = layers * ((2 + 2 * kv) * width ** 2 + 3 * width * hidden + 2 * width) + 2 * VOCABULARY * width + width;
  const local = layers / pipeline;
  const rows = (microbatch * SEQUENCE) / context;
  const shard = Math.ceil(parameters / (tensor * pipeline));
  /** @param {number} size in bytes of one number @param {number} first the stage from which on it is sharded */
  const kept = (size, first) => size * (stage >= first ? Math.ceil(shard / replicas) : shard);
  const waiting = Math.min(pipeline, m) * (chunks > 1 ? 1 + (pipeline - 1) / (pipeline * chunks) : 1);
  const memory = {
    parameters: kept(2, 3), gradients: kept(4, 2), optimizer: kept(12, 1),
    activations: (waiting * local * ((12 + 4 * kv) * width + 6 * hidden) * rows) / tensor,
  };
  const total = Object.values(memory).reduce((sum, size) => sum + size);
  const exchanged = [2 * 4, 4 + 2, m * 4 + 2, m * (4 + 2 * 2)][stage];
  const sent = {
    tensor: (m * local * 10 * (tensor - 1) * 2 * rows * width) / tensor,
    context: (m * local * 3 * (context - 1) * 2 * 2 * rows * width * kv) / tensor,
    pipeline: pipeline > 1 ? (m * chunks * 2 * 2 * rows * width) / tensor : 0,
    data: ((replicas - 1) / replicas) * exchanged * shard,
  };
  /** @type {Record<string, string>} */
  const carrier = {};
  let span = 1;
  for (const [axis, size] of Object.entries(axes)) {
    span *= size;
    carrier[axis] = span <= SERVER ? "link" : "network";
  }
  if (context > 1 && carrier.context === "network") carrier.data = "network";
  /** @type {Record<string, number>} */
  const rate = { link: LINK, network: network * 1e9 };
  const tokens = SEQUENCES * SEQUENCE;
  const flops = 6 * parameters * tokens;
  const all = devicesOf(axes);
  const arithmetic = (flops + 6 * layers * SEQUENCE * width * tokens) / (all * PEAK * efficiency);
  const waits = exposed * ((0.8 * sent.tensor) / rate[carrier.tensor] + sent.context / rate[carrier.context]);
  const parts = { arithmetic, exposed: waits, bubble: ((pipeline - 1) / (m * chunks)) * (arithmetic + waits) };
  /** @param {string} name */
  const busy = (name) => Object.entries(sent).reduce((sum, [axis, size]) => sum + (carrier[axis] === name ? size : 0), 0) / rate[name];
  const bounds = { devices: parts.arithmetic + parts.exposed + parts.bubble, link: busy("link"), network: busy("network") };
  const step = Math.max(...Object.values(bounds));
  const mfu = flops / (all * PEAK * step);
  return { refused: "", axes, m, devices: all, parameters, memory, total, fits: total <= MEMORY, sent, carrier, parts, bounds, bound: largest(bounds), step, mfu };
}

/** @param {Record<string, number>} axes */
const devicesOf = (axes) => Object.values(axes).reduce((product, size) => product * size);

/** The name of the largest, the first of equal ones. @param {Record<string, number>} values */
const largest = (values) => Object.keys(values).reduce((first, name) => (values[name] > values[first] ? name : first));

const [LEFT, RIGHT] = [10, 350];
/** Fill, outline. @type {Record<string, [string, string]>} */
const INKS = {
  parameters: ["currentColor", "currentColor"], gradients: ["var(--d2l-red)", "var(--d2l-red)"],
  optimizer: ["var(--d2l-muted)", "none"], activations: ["var(--d2l-blue)", "var(--d2l-blue)"],
  arithmetic: ["var(--d2l-blue)", "var(--d2l-blue)"], exposed: ["var(--d2l-red)", "var(--d2l-red)"], bubble: ["var(--d2l-muted)", "none"],
};

/** @type {FigureScript["draw"]} */
export function draw(canvas, values, words, say) {
  const small = { "font-size": 12, "text-anchor": "start" };
  canvas.height = 288;
  const result = plan(values);
  /** Three digits, at most two of them decimals. @param {number} value */
  const short = (value) => say.number(value, value < 10 ? 2 : value < 100 ? 1 : 0);
  /** @param {Record<string, number>} axes */
  const named = (axes) => Object.entries(axes).map(([axis, size]) => `${words.axes[axis]} ${say.number(size)}`).join(" × ");
  canvas.text(LEFT, 16, words.memory, { "text-anchor": "start", "font-weight": "bold" });
  canvas.text(LEFT, 132, words.time, { "text-anchor": "start", "font-weight": "bold" });
  if (result.refused) {
    const { tensor, context, pipeline } = result.axes;
    const said = { sequences: say.number(SEQUENCES), data: say.number(result.axes.data), microbatch: say.number(values.microbatch) };
    return words[result.refused]({ ...said, axes: named({ tensor, context, pipeline }), devices: say.number(values.devices), m: say.number(result.m), pipeline: say.number(pipeline) });
  }
  const { axes, m, memory, total, fits, sent, carrier, parts, bounds, bound, step, mfu } = /** @type {any} */ (result);

  const scale = (RIGHT - LEFT) / Math.max(100e9, total);
  let x = LEFT;
  Object.entries(memory).forEach(([kind, size], index) => {
    bar(kind, x, 26, scale * Number(size), 26);
    x += scale * Number(size);
    legend(kind, `${words.kinds[kind]} ${short(Number(size) / 1e9)}`, LEFT + 172 * (index % 2), 82 + 20 * Math.floor(index / 2));
  });
  const limit = LEFT + scale * MEMORY;
  canvas.line([[limit, 20], [limit, 58]], { "stroke-width": 2, "stroke-dasharray": "4 3" });
  canvas.text(limit + 5, 64, say.number(MEMORY / 1e9), small);

  const long = 220 / step;
  x = LEFT + 66;
  Object.entries(parts).forEach(([part, seconds], index) => {
    bar(part, x, 142, long * Number(seconds), 22);
    x += long * Number(seconds);
    const [column, row] = index === 0 ? [LEFT, 250] : [LEFT + 172 * (index - 1), 272];
    legend(part, `${words.parts[part]} ${short(Number(seconds))}`, column, row);
  });
  Object.entries(bounds).forEach(([name, seconds], index) => {
    const top = 142 + 30 * index;
    canvas.text(LEFT + 60, top + 16, words.rows[name], { ...small, "text-anchor": "end", ...(name === bound ? { "font-weight": "bold" } : {}) });
    if (name !== "devices") canvas.rectangle(LEFT + 66, top, long * Number(seconds), 22, { class: name, fill: "currentColor", "fill-opacity": 0.2 });
    canvas.text(LEFT + 71 + long * Number(seconds), top + 16, short(Number(seconds)), { ...small, ...(name === bound ? { "font-weight": "bold" } : {}) });
  });

  const reason = bound === "devices" ? largestOverhead(parts) : bound;
  const carried = Object.fromEntries(Object.entries(sent).filter(([axis]) => carrier[axis] === bound).map(([axis, size]) => [axis, Number(size)]));
  const why = words.why[reason]({
    share: say.percent(bound === "devices" ? parts[reason] / step : 0),
    axis: bound === "devices" ? "" : words.axes[largest(carried)],
  });
  const size = say.quantity(total, "B");
  return [
    words.head({ axes: named(axes), m: say.number(m) }),
    fits ? words.fits({ total: size }) : words.full({ total: size, largest: words.kinds[largest(memory)] }),
    words.step({ ...Object.fromEntries(Object.entries(bounds).map(([name, seconds]) => [name, say.quantity(Number(seconds), "s")])), step: say.quantity(step, "s"), mfu: say.percent(mfu) }),
    why,
  ].join(" ");

  /** @param {string} kind @param {number} x @param {number} y @param {number} width @param {number} height */
  function bar(kind, x, y, width, height) {
    const [fill, stroke] = INKS[kind];
    canvas.rectangle(x, y, width, height, { class: kind, fill, "fill-opacity": 0.35, stroke });
  }

  /** @param {string} kind @param {string} text @param {number} x @param {number} y */
  function legend(kind, text, x, y) {
    bar(kind, x, y - 11, 12, 12);
    canvas.text(x + 18, y, text, small);
  }
}

/** @type {FigureScript["caption"]} */
export const caption = (_, words) => words.caption;

/** What the reader could change: exposed exchanges or the bubble, if they take a tenth of the time or more. @param {Record<string, number>} parts */
function largestOverhead(parts) {
  const name = parts.bubble > parts.exposed ? "bubble" : "exposed";
  return 10 * parts[name] >= parts.arithmetic + parts.exposed + parts.bubble ? name : "arithmetic";
}
