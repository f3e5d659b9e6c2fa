// The senses of a word and their neighbours on a plane.

import { about } from "/static/api.js";
import { colour, h, link, percent, s, say, split } from "/static/dom.js";

export async function show(put, { word }) {
  if (!word) {
    return put(h("h1", {}, "Map of senses"), h("p", {}, "Type a word above to see its senses on a map."));
  }
  const found = await about("map", "word", word);
  const frame = h("div", { class: "map" });
  const shares = found.explained.map((share) => percent(share)).join(" and ");
  put(
    h("h1", {}, `Map of `, h("a", { href: link("senses", { word: found.word }) }, found.word)),
    h("ul", { class: "legend" }, found.senses.map((sense) => h("li", { class: colour(sense.sense) },
      h("span", { class: "dot" }), `${sense.sense}, prior ${percent(sense.prior)}`))),
    frame,
    h("p", { class: "quiet" }, `Large: the senses of ${found.word}. Small: their nearest senses. Near each other means similar; `,
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
    h("h3", {}, `${sense.sense}, prior ${percent(sense.prior)}`),
    h("ul", { class: "words" }, found.neighbours.filter((near) => near.of === sense.sense).map((near) =>
      h("li", {}, h("a", { href: target(near.sense) }, near.sense)))))));
}

const target = (sense) => link("senses", { word: split(sense).word, sense: split(sense).number });

function scale(values, from, to) {
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  return (value) => from + ((value - least) / span) * (to - from);
}

function draw(frame, found) {
  const width = Math.max(300, frame.clientWidth);
  const height = Math.round(Math.min(620, Math.max(420, width * 0.62)));
  const all = [...found.neighbours, ...found.senses];
  const x = scale(all.map((point) => point.x), 50, width - 70);
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
  return s("a", { class: `${colour(point.of)}${asked ? " asked" : ""}`, href: target(point.sense),
    "aria-label": asked ? `${word}, sense ${number}` : `${word}, sense ${number}, near ${point.of}` },
    s("title", {}, point.sense), s("circle", { cx: x, cy: y, r: radius }),
    s("text", {}, asked ? point.sense : word));
}

// Labels go to the first free place around their mark, most important first; where there is none they wait for the pointer.
function label(marks, width, height) {
  const taken = marks.map((each) => {
    const circle = each.querySelector("circle");
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)));
    return { left: x - r, right: x + r, top: y - r, bottom: y + r, x, y, r };
  });
  marks.forEach((each, i) => {
    const text = each.querySelector("text");
    const box = text.getBBox();
    const { x, y, r } = taken[i];
    const spots = [[x + r + 3, y - box.height / 2], [x - r - 3 - box.width, y - box.height / 2],
      [x - box.width / 2, y - r - box.height - 1], [x - box.width / 2, y + r + 1]]
      .map(([left, top]) => ({ left, top, right: left + box.width, bottom: top + box.height }));
    const free = spots.find((spot) => spot.left > 2 && spot.right < width - 2 && spot.top > 2 && spot.bottom < height - 2
      && !taken.some((other, j) => j !== i && spot.left < other.right && other.left < spot.right
        && spot.top < other.bottom && other.top < spot.bottom));
    const spot = free || spots.find((any) => any.left > 2 && any.right < width - 2) || spots[0];
    text.setAttribute("x", spot.left);
    text.setAttribute("y", spot.top - box.y);
    if (free) taken.push(free);
    else each.classList.add("unlabelled");
  });
}
