export const words = {
  en: {
    title: "Bars: the pairs of rabbits in each month.",
    months: "Months",
    result: (n, pairs) => `After ${n} months there are ${pairs} pairs.`,
  },
};

export function controls(words) {
  return [{ name: "months", label: words.months, values: [3, 6, 9, 12], value: 6 }];
}

const BAR = { fill: "#3b6ea5", stroke: "none" };

export function draw(canvas, { months }, words) {
  const pairs = [1, 1];
  while (pairs.length < months) pairs.push(pairs.at(-1) + pairs.at(-2));
  canvas.height = 150;
  const step = 320 / months;
  pairs.forEach((count, month) => {
    const height = (100 * count) / pairs.at(-1);
    canvas.rectangle(20 + month * step, 120 - height, 0.7 * step, height, BAR);
    canvas.text(20 + (month + 0.35) * step, 140, String(month + 1));
  });
  return words.result(months, pairs.at(-1));
}
