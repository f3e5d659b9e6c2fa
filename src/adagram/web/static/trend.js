// Shares of a word's uses over time: a small line for one sense, and a figure with a line per sense.
// Lines are running means over five epochs, weighted by uses, with a 95 % band; the area of a point is its number of uses.

import { colour, h, isNarrow, percent, plural, s, split } from "/static/dom.js";

const HALF = 2; // epochs before and after, as in the running mean of the server
const MIN_USES = 10; // of a word in the five epochs, for a line to be drawn

const around = (uses) => uses.map((_, i) => uses.slice(Math.max(0, i - HALF), i + HALF + 1).reduce((sum, n) => sum + n, 0));

// The epochs in which the running mean rests on enough uses.
function points(sense) {
  const n = around(sense.uses);
  return sense.mean.map((share, i) => ({ i, share, n: n[i] })).filter((point) => point.share !== null && point.n >= MIN_USES);
}

const at = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

// A line with gaps for epochs that are missing.
function path(known, x, y) {
  return known.map(({ i, share }, j) => `${j && known[j - 1].i === i - 1 ? "L" : "M"}${at(x(i), y(share))}`).join("");
}

// Wilson's interval of a share p of n uses.
function interval({ share: p, n }) {
  const z = 1.96;
  const middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const half = z / (1 + z * z / n) * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function band(known, x, y) {
  const runs = known.reduce((all, point, j) => {
    if (j && known[j - 1].i === point.i - 1) all[all.length - 1].push(point);
    else all.push([point]);
    return all;
  }, []);
  return runs.map((run) => `M${run.map((point) => at(x(point.i), y(interval(point)[1]))).join("L")}L${
    [...run].reverse().map((point) => at(x(point.i), y(interval(point)[0]))).join("L")}Z`).join("");
}

// Round years between the first and the last, at most `most`; for other epochs some of their names.
export function ticks(epochs, times, most) {
  const [first, last] = [times[0], times[times.length - 1]];
  if (last - first < most || epochs.some((name) => !/^\d{4}s?$/.test(name))) {
    const step = Math.max(1, Math.ceil(epochs.length / most));
    return epochs.map((name, i) => ({ time: times[i], name })).filter((_, i) => i % step === 0);
  }
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((size) => (last - first) / size <= most) || 1000;
  const years = [];
  for (let year = Math.ceil(first / step) * step; year <= last; year += step) years.push({ time: year, name: String(year) });
  return years;
}

const scale = (times, from, to) => {
  const [first, last] = [times[0], times[times.length - 1]];
  return (time) => from + (time - first) / Math.max(1e-9, last - first) * (to - from);
};

export function trend(epochs, times, sense) {
  const known = points(sense);
  if (known.length < 2) return null;
  const [x, y] = [scale(times, 4, 296), (share) => 46 - share * 42];
  const place = (i) => x(times[i]);
  const [first, last] = [known[0], known[known.length - 1]];
  const about = `Share of the uses: ${epochs[first.i]} ${percent(first.share)}, ${epochs[last.i]} ${percent(last.share)}`;
  return h("figure", { class: "trend" }, s("svg", { viewBox: "0 0 300 50", role: "img", "aria-label": about },
    s("title", {}, about), s("line", { x1: 4, x2: 296, y1: 46, y2: 46 }), s("line", { x1: 4, x2: 296, y1: 4, y2: 4 }),
    s("path", { class: "band", d: band(known, place, y) }), s("path", { d: path(known, place, y) })),
    h("figcaption", { class: "row quiet" }, h("span", {}, `${epochs[first.i]}: ${percent(first.share)}`),
      h("span", {}, `${epochs[last.i]}: ${percent(last.share)}`)));
}

// All senses in one figure.
export function overTime(word, epochs, times, senses) {
  const drawn = senses.filter((sense) => points(sense).length > 1);
  if (!drawn.length) return null;
  return h("details", { id: "over-time", open: !isNarrow() }, h("summary", {}, "Over time"),
    h("figure", { class: "over-time" }, figure(word, epochs, times, drawn), names(drawn)));
}

function figure(word, epochs, times, senses) {
  const letter = isNarrow() ? 22 : 12; // of 640 or 1100 units, however wide the page is
  const [width, height, left] = isNarrow() ? [640, 440, 4 * letter] : [1100, 300, 3.6 * letter];
  const right = width - 3 * letter;
  const x = scale(times, left, right);
  const y = (share) => letter + (1 - share) * (height - 3.5 * letter);
  const place = (i) => x(times[i]);
  const about = `Shares of the senses of ${word} from ${epochs[0]} to ${epochs[epochs.length - 1]}`;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => [s("line", { x1: left, x2: right, y1: y(share), y2: y(share) }),
    s("text", { class: "share", x: left - 6, y: y(share) + letter / 3, "text-anchor": "end" }, `${100 * share}\u00a0%`)]).flat();
  const dates = ticks(epochs, times, isNarrow() ? 4 : 9).map(({ time, name }) => [
    s("line", { class: "tick", x1: x(time), x2: x(time), y1: y(0), y2: y(0) + 4 }),
    s("text", { class: "date", x: x(time), y: height - letter / 2, "text-anchor": "middle" }, name)]).flat();
  const most = Math.max(...senses[0].uses);
  const all = senses.map(points);
  const ends = apart(all.map((known) => y(known[known.length - 1].share)), letter);
  const lines = senses.map((sense, j) => s("g", { class: colour(sense.sense), "data-sense": sense.sense },
    s("title", {}, `${sense.sense}: ${sense.gist}`), s("path", { class: "band", d: band(all[j], place, y) }),
    sense.trend.map((share, i) => (share === null ? null : s("circle", { cx: place(i).toFixed(1), cy: y(share).toFixed(1),
      r: (0.3 * letter * Math.sqrt(sense.uses[i] / most)).toFixed(2) }, s("title", {},
      `${epochs[i]}: ${percent(share)} of ${plural(Math.round(sense.uses[i]), "use", "uses")} are ${sense.sense}`)))),
    s("path", { class: "line", d: path(all[j], place, y) }),
    s("text", { class: "end", x: right + 5, y: ends[j] + letter / 3 }, `#${split(sense.sense).number}`)));
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
    h("span", { class: "mark", "aria-hidden": "true" }), `#${split(sense.sense).number} `, h("bdi", {}, sense.gist)))),
    h("p", { class: "quiet" }, "Lines: running means over five epochs, with 95 % bands. Points: single epochs, larger with more uses."));
}
