// The numbers from 1 to n on a line, and their mean as a dot.

export const words = {
  en: {
    title: "Numbers on a line, and their mean as a dot.",
    last: "Last number",
    result: (n, mean) => `The mean of the numbers from 1 to ${n} is ${mean}.`,
  },
};

export const controls = (words) => [{ name: "n", label: words.last, values: [2, 3, 4, 5, 6, 7], value: 5 }];

export function draw(canvas, { n }, words, say) {
  const place = (number) => 10 + 48 * number;
  canvas.height = 60;
  canvas.line([[place(0), 30], [place(7), 30]]);
  for (let number = 1; number <= n; number += 1) canvas.text(place(number), 52, String(number));
  canvas.circle(place((n + 1) / 2), 30, 6, { fill: "currentColor" });
  return words.result(n, say.number((n + 1) / 2, 1));
}
