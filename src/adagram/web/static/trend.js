// Shares of a word's uses over time: a small line for one sense, and a figure with a line per sense.

import { colour, h, isNarrow, percent, s, split } from "/static/dom.js";

const known = (shares) => shares.map((share, i) => [i, share]).filter(([, share]) => share !== null);

// A line through the epochs in which the word occurs; it has a gap for epochs without the word.
function path(points, x, y) {
  return points.map(([i, share], j) => `${j && points[j - 1][0] === i - 1 ? "L" : "M"}${x(i).toFixed(1)} ${y(share).toFixed(1)}`).join("");
}

export function trend(epochs, shares) {
  const points = known(shares);
  if (points.length < 2) return null;
  const x = (i) => 4 + (i / Math.max(1, epochs.length - 1)) * 292;
  const [first, last] = [points[0], points[points.length - 1]];
  const about = `Share of the uses: ${epochs[first[0]]} ${percent(first[1])}, ${epochs[last[0]]} ${percent(last[1])}`;
  return h("figure", { class: "trend" }, s("svg", { viewBox: "0 0 300 50", role: "img", "aria-label": about },
    s("title", {}, about), s("line", { x1: 4, x2: 296, y1: 46, y2: 46 }), s("line", { x1: 4, x2: 296, y1: 4, y2: 4 }),
    s("path", { d: path(points, x, (share) => 46 - share * 42) })),
    h("figcaption", { class: "row quiet" }, h("span", {}, `${epochs[first[0]]}: ${percent(first[1])}`),
      h("span", {}, `${epochs[last[0]]}: ${percent(last[1])}`)));
}

// All senses in one figure, drawn when it is asked for.
export function overTime(word, epochs, senses) {
  const drawn = senses.filter((sense) => known(sense.trend).length > 1);
  if (!drawn.length) return null;
  const out = h("figure", { class: "over-time" });
  return h("details", { id: "over-time", ontoggle: () => out.childElementCount || out.append(figure(word, epochs, drawn), names(drawn)) },
    h("summary", {}, "Over time: a line per sense"), out);
}

function figure(word, epochs, senses) {
  const letter = isNarrow() ? 22 : 12; // of 640 units, however wide the page is
  const [width, height, left] = [640, isNarrow() ? 400 : 260, 4 * letter];
  const x = (i) => left + (i / Math.max(1, epochs.length - 1)) * (width - left - 3 * letter);
  const y = (share) => letter + (1 - share) * (height - 3.5 * letter);
  const about = `Shares of the senses of ${word} from ${epochs[0]} to ${epochs[epochs.length - 1]}`;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => [s("line", { x1: left, x2: x(epochs.length - 1), y1: y(share), y2: y(share) }),
    s("text", { x: left - 6, y: y(share) + letter / 3, "text-anchor": "end" }, percent(share).replace(/^<.*/, "0\u00a0%"))]).flat();
  const step = Math.max(1, Math.ceil((epochs.length - 1) / (isNarrow() ? 3 : 6)));
  const dates = epochs.map((epoch, i) => (i % step ? null : s("text", { x: x(i), y: height - letter / 2, "text-anchor": "middle" }, epoch)));
  const ends = apart(senses.map((sense) => y(known(sense.trend).pop()[1])), letter);
  const lines = senses.map((sense, j) => s("g", { class: colour(sense.sense), "data-sense": sense.sense },
    s("title", {}, `${sense.sense}: ${sense.gist}`), s("path", { d: path(known(sense.trend), x, y) }),
    s("text", { class: "end", x: x(epochs.length - 1) + 5, y: ends[j] + letter / 3 }, `#${split(sense.sense).number}`)));
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": about, "font-size": letter }, grid, dates, lines);
}

// Heights of labels, moved down until none covers another.
function apart(heights, room) {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  order.forEach((i, j) => { if (j) placed[i] = Math.max(placed[i], placed[order[j - 1]] + room); });
  return placed;
}

function names(senses) {
  return h("figcaption", {}, h("ul", { class: "near" }, senses.map((sense) => h("li", { class: colour(sense.sense) },
    h("span", { class: "mark", "aria-hidden": "true" }), `#${split(sense.sense).number} `, h("bdi", {}, sense.gist)))));
}
