// The senses of a word and their neighbours on a plane.

import { about } from "/static/api.js";
import { colour, copyLink, h, isNarrow, link, percent, s, say, split, target } from "/static/dom.js";
import { vocabulary } from "/static/vocabulary.js";

export async function show(put, { word, find }) {
  if (!word) return vocabulary(put, find);
  const found = await about("map", "word", word, { top: isNarrow() ? 5 : 9 });
  const frame = h("div", { class: "map" });
  const shares = found.explained.map((share) => percent(share)).join(" and ");
  const rest = found.left_out ? `; ${found.left_out} with few or unclear uses left out` : "";
  put(
    h("h1", {}, "Map of ", h("a", { href: link("senses", { word: found.word }) }, h("bdi", {}, found.word))),
    h("ul", { class: "legend" }, found.senses.map((sense) => h("li", { class: colour(sense.sense) },
      h("span", { class: "dot" }), h("a", { href: target(sense.sense) }, h("bdi", {}, sense.sense)), " ", h("bdi", {}, sense.gist), `, ${percent(sense.prior)}`))),
    frame,
    h("p", { class: "actions" }, h("a", { class: "button", href: link("map", { find: found.word }) }, "On the map of all senses"), copyLink()),
    h("p", { class: "quiet" }, `Large: the senses of ${found.word}${rest}. Small: their nearest senses. Near each other means similar; `,
      `the two directions show ${shares} of the differences and are stretched to fill the frame.`),
    table(found));
  draw(frame, found);
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (frame.isConnected && frame.clientWidth !== width) draw(frame, found);
    width = frame.clientWidth;
  }).observe(frame);
  say(`Map of ${found.word} with ${found.neighbours.length} neighbours`);
}

function table(found) {
  return h("details", {}, h("summary", {}, "The same as a list"), found.senses.map((sense) => h("div", {},
    h("h3", {}, h("bdi", {}, sense.sense), ", ", h("bdi", {}, sense.gist), `, ${percent(sense.prior)}`),
    h("ul", { class: "words" }, found.neighbours.filter((near) => near.of === sense.sense).map((near) =>
      h("li", {}, h("a", { href: target(near.sense) }, h("bdi", {}, near.sense))))))));
}

// Half by value and half by rank: what is near stays near, and crowds are spread over the frame.
function scale(values, from, to) {
  const sorted = [...values].sort((a, b) => a - b);
  const span = sorted[sorted.length - 1] - sorted[0] || 1;
  const rank = (value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 / Math.max(1, sorted.length - 1);
  return (value) => from + ((value - sorted[0]) / span + rank(value)) / 2 * (to - from);
}

function draw(frame, found) {
  const width = Math.max(300, frame.clientWidth);
  const height = Math.round(Math.min(620, Math.max(420, width * 0.62)));
  const all = [...found.neighbours, ...found.senses];
  const side = isNarrow() ? 30 : 60;
  const x = scale(all.map((point) => point.x), side, width - side);
  const y = scale(all.map((point) => point.y), height - 40, 40);
  const at = (point) => [x(point.x), y(point.y)];
  const places = new Map(found.senses.map((sense) => [sense.sense, at(sense)]));
  const lines = found.neighbours.map((near) => {
    const [[x1, y1], [x2, y2]] = [places.get(near.of), at(near)];
    return s("line", { class: colour(near.of), x1, y1, x2, y2 });
  });
  const marks = [...found.neighbours.map((near) => mark(near, at(near), false)),
    ...found.senses.map((sense) => mark(sense, at(sense), true))];
  frame.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `Map of the senses of ${found.word}` }, lines, marks));
  label([...marks].reverse(), width, height);
}

function mark(point, [x, y], asked) {
  const { word, number } = split(point.sense);
  const radius = asked ? 8 + 8 * Math.sqrt(point.prior) : 5;
  const title = asked ? `#${number} \u2068${isNarrow() ? point.gist.split(", ")[0] : point.gist}\u2069` : word;
  return s("a", { class: `${colour(point.of)}${asked ? " asked" : ""}`, href: target(point.sense),
    "aria-label": asked ? `${word}, sense ${number}` : `${word}, sense ${number}, near ${point.of}` },
    s("title", {}, asked ? `${point.sense}: ${point.gist}` : point.sense), s("circle", { cx: x, cy: y, r: radius }),
    s("text", {}, title));
}

const over = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
  * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

// Places for a label around a mark: beside, above and below it, then further away.
function spots({ x, y, r }, { width, height }, reaches) {
  return reaches.flatMap((far) => [[x + r + far, y - height / 2], [x - r - far - width, y - height / 2],
    [x - width / 2, y - r - height - far + 2], [x - width / 2, y + r + far - 2], [x + r / 2 + far, y - r - height - far + 5],
    [x - r / 2 - far - width, y - r - height - far + 5], [x + r / 2 + far, y + r + far - 5], [x - r / 2 - far - width, y + r + far - 5]])
    .map(([left, top]) => ({ left, top, right: left + width, bottom: top + height }));
}

// Labels go to the first free place, most important first. The large marks always have one, joined to it by a line
// when it is not next to it; labels of small marks that have no room appear under the pointer.
function label(marks, width, height) {
  const taken = marks.map((each) => {
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(each.querySelector("circle").getAttribute(name)));
    return { left: x - r, right: x + r, top: y - r, bottom: y + r, x, y, r };
  });
  marks.forEach((each, i) => {
    const text = each.querySelector("text");
    const box = text.getBBox();
    const isAsked = each.classList.contains("asked");
    const tried = spots(taken[i], box, isAsked ? [3, 16, 30, 46, 64, 84, 110] : [3])
      .filter((spot) => spot.left > 2 && spot.right < width - 2 && spot.top > 2 && spot.bottom < height - 2);
    const hides = (spot) => taken.reduce((sum, other, j) => sum + (j === i ? 0 : over(spot, other)), 0);
    const free = tried.find((spot) => hides(spot) === 0);
    const least = () => tried.reduce((a, b) => (hides(b) < hides(a) ? b : a), tried[0]);
    const spot = free || (isAsked && tried.length ? least() : tried[0]) || spots(taken[i], box, [3])[0];
    text.setAttribute("x", spot.left);
    text.setAttribute("y", spot.top - box.y);
    if (free || isAsked) taken.push(spot);
    else each.classList.add("unlabelled");
    if (isAsked) lead(each, taken[i], spot);
  });
}

function lead(each, { x, y, r }, spot) {
  const to = [Math.max(spot.left, Math.min(x, spot.right)), Math.max(spot.top, Math.min(y, spot.bottom))];
  if (Math.hypot(to[0] - x, to[1] - y) < r + 8) return;
  each.prepend(s("line", { class: "lead", x1: x, y1: y, x2: to[0], y2: to[1] }));
}
