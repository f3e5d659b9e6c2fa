// The map of the vocabulary: all senses, coloured by theme; search flies to a word, a lasso lists what is inside.

import { about, bytes } from "/static/api.js";
import { copyButton, copyLink, h, link, plural, say, senseLink, split, target } from "/static/dom.js";
import { Points, unpack } from "/static/points.js";

const LISTED = 200; // senses of a list
let [source, data, indexOf, middles, map] = []; // of the answer that was unpacked last

export async function vocabulary(put, find) {
  if (!source) {
    put(h("h1", {}, "Map of all senses"), h("p", { role: "status", class: "panel" }, "All senses are placed on the map. ",
      "This takes seconds; the other views work meanwhile."));
  }
  const answer = await bytes("vocabulary");
  const isShown = map?.canvas.isConnected && answer === source;
  if (answer !== source) read(answer);
  if (!isShown) build(put);
  if (find) await flyTo(find);
  else if (isShown) overview();
}

function read(answer) {
  [source, data] = [answer, unpack(answer)];
  indexOf = new Map(data.words.map((word, i) => [word, i]));
  middles = medians();
}

function build(put) {
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": `Map of ${plural(data.n, "sense", "senses")} in ${plural(data.themes.length, "theme", "themes")}; `
    + "arrow keys move, plus and minus zoom, the themes are listed below" });
  const lasso = h("button", { type: "button", id: "lasso", "aria-pressed": "false", title: "Draw around senses to list them (or hold Shift)",
    onclick: () => setLasso(lasso, lasso.getAttribute("aria-pressed") !== "true") }, "Lasso");
  const tool = (name, text, act) => h("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const frame = h("div", { class: "vocabulary" }, canvas, h("div", { class: "tools" }, tool("Zoom in", "+", () => map.zoom(1.8)),
    tool("Zoom out", "−", () => map.zoom(1 / 1.8)), tool("Show all", "⤢", overview), lasso));
  put(h("h1", {}, "Map of all senses"),
    h("p", { class: "quiet" }, `${plural(data.n, "sense", "senses")}; near each other means similar, colours are themes. Type a word above to fly to it. `,
      data.left_out ? `The ${data.left_out.toLocaleString("en")} rarest senses are left out. ` : ""),
    h("div", { class: "atlas" }, frame, h("div", { id: "picked", role: "region", "aria-label": "Chosen senses" })), themesList(),
    h("p", { class: "actions" }, copyLink()));
  map = new Points(canvas, data, (i, isChosen) => `\u2068${data.words[data.wordOf[i]]}\u2069${isChosen ? `#${data.number[i]}` : ""}`, colours());
  map.themes = centres();
  map.paint();
  window.performance.mark("map");
  listen(canvas, lasso);
}

const nameOf = (i) => `${data.words[data.wordOf[i]]}#${data.number[i]}`;
const ofTheme = (theme) => [...map.bySize].reverse().filter((i) => data.theme[i] === theme);

// The middle of each theme: the median place of its points.
function medians() {
  const places = data.themes.map(() => [[], [], []]);
  for (let i = 0; i < data.n; i += data.n > 30000 ? 3 : 1) {
    const [xs, ys, points] = places[data.theme[i]];
    xs.push(data.x[i]);
    ys.push(data.y[i]);
    points.push(i);
  }
  const middle = (values) => Float64Array.from(values).sort()[values.length >> 1];
  return places.map(([xs, ys, points]) => ({ x: middle(xs), y: middle(ys), points, n: points.length }));
}

// Near themes have different colours: each takes the colour whose other themes are furthest.
function colours() {
  const chosen = [];
  middles.forEach(({ x, y }, i) => {
    const free = (k) => Math.min(2, ...chosen.map((other, j) => (other === k ? Math.hypot(middles[j].x - x, middles[j].y - y) / 65535 : 2)));
    const rooms = [0, 1, 2, 3, 4, 5, 6, 7].map(free);
    chosen[i] = rooms.indexOf(Math.max(...rooms));
  });
  return chosen;
}

function centres() {
  return middles.map(({ x, y, points, n }, theme) => {
    let [at, least] = [points[0], Infinity];
    for (const i of points) {
      const distance = Math.hypot(data.x[i] - x, data.y[i] - y);
      if (distance < least) [at, least] = [i, distance];
    }
    return { theme, at, n, name: data.themes[theme] };
  }).filter(({ n }) => n).sort((a, b) => b.n - a.n);
}

function themesList() {
  const shades = colours();
  return h("details", { class: "themes", open: true }, h("summary", {}, plural(data.themes.length, "theme", "themes")), h("ul", { class: "words" },
    data.themes.map((name, theme) => h("li", { class: `s${shades[theme]}` }, h("button", { type: "button", class: "small", "aria-pressed": "false", "data-theme": theme,
      onclick: () => showTheme(theme) }, h("span", { class: "dot" }), h("bdi", {}, name))))));
}

function overview() {
  clear();
  map.go({ x: 0.5, y: 0.5, scale: 1 });
}

function clear() {
  map.marked = [];
  press(-1);
  document.getElementById("picked").replaceChildren();
}

function press(theme) {
  map.theme = theme;
  document.querySelectorAll("[data-theme]").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.dataset.theme) === theme)));
  map.schedule();
}

function showTheme(theme) {
  const was = map.theme;
  clear();
  if (was === theme) return;
  press(theme);
  list(`Theme: ${data.themes[theme]}`, ofTheme(theme));
}

const fill = (content) => document.getElementById("picked").replaceChildren(content);

function list(title, points) {
  const rest = points.length - LISTED;
  fill(h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, h("bdi", {}, title)),
    h("button", { type: "button", class: "small", "aria-label": "Close the list", onclick: clear }, "✕")),
    h("p", { class: "quiet" }, `${plural(points.length, "sense", "senses")}, the most used first`),
    h("ul", { class: "near" }, points.slice(0, LISTED).map((i) => h("li", {}, senseLink(nameOf(i))))),
    rest > 0 ? h("p", { class: "quiet" }, `and ${rest.toLocaleString("en")} more`) : null,
    h("p", { class: "actions" }, copyButton("Copy all", () => points.map(nameOf).join("\n"), "Copy the names of all these senses"))));
  say(`${plural(points.length, "sense", "senses")} listed`);
}

async function flyTo(find) {
  const word = indexOf.has(find) ? find : (await about("senses", "word", find, { top: 1 })).word; // as the vocabulary spells it, or an error that names near ones
  const points = [];
  for (let i = data.first[indexOf.get(word)]; i < data.first[indexOf.get(word) + 1]; i++) points.push(i);
  clear();
  if (!points.length) return say(`${word} is too rare for the map`);
  map.marked = points;
  map.fly(points);
  return choose(word, points);
}

// What a chosen word or sense is: its senses with their nearest words.
async function choose(word, points) {
  const found = await about("senses", "word", word, { top: 5 });
  const near = new Map(found.senses.map((sense) => [sense.sense, sense.neighbours.map((each) => split(each.sense).word).join(", ")]));
  const bySize = [...points].sort((a, b) => data.size[b] - data.size[a]);
  fill(h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", {}, h("bdi", {}, word)),
    h("button", { type: "button", class: "small", "aria-label": "Close", onclick: clear }, "✕")),
    h("ul", { class: "found" }, bySize.map((i) => h("li", { class: `s${map.colours[data.theme[i]]}` }, h("span", { class: "dot" }),
      h("a", { href: target(nameOf(i)) }, h("bdi", {}, nameOf(i))), " ", h("bdi", {}, near.get(nameOf(i)) || ""), " ",
      h("button", { type: "button", class: "small", "aria-label": `Fly to ${nameOf(i)}`, onclick: () => map.fly([i], 30) }, "Fly there")))),
    h("p", { class: "actions" }, h("a", { class: "button", href: link("senses", { word }) }, "All about it"),
      h("a", { class: "button", href: link("map", { word }) }, "Map of its neighbours"))));
  say(`${word}: ${plural(points.length, "sense", "senses")} on the map`);
}

function setLasso(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
  map.canvas.classList.toggle("drawing", isOn);
  if (isOn) say("Draw around senses to list them");
}

// One pointer pans or draws, two zoom; a click or tap chooses the nearest sense.
function listen(canvas, lasso) {
  const pointers = new Map();
  let [drawn, moved, isSmall] = [null, 0, true];
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    map.flight = null;
    if (pointers.size === 1) {
      moved = 0;
      drawn = event.shiftKey || lasso.getAttribute("aria-pressed") === "true" ? [at(event)] : null;
    } else drawn = null;
    isSmall = event.pointerType !== "mouse";
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) return hover(now);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    if (drawn) {
      drawn.push(now);
      map.painted = () => outline(drawn);
      map.schedule();
    } else if (pointers.size === 1) map.pan(dx, dy);
    else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (point) => Math.max(10, Math.hypot(point[0] - other[0], point[1] - other[1]));
      map.zoom(apart(now) / apart(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      map.pan(dx / 2, dy / 2);
    }
    pointers.set(event.pointerId, now);
  });
  const up = (event) => {
    const now = at(event);
    const isLast = pointers.delete(event.pointerId) && pointers.size === 0;
    if (!isLast || event.type === "pointercancel") return;
    map.painted = null;
    if (drawn && moved > 12) {
      const found = map.inside(drawn);
      setLasso(lasso, false);
      clear();
      if (found.length) list("Inside the lasso", found);
      else say("No sense is inside");
    } else if (moved < 8) pick(map.near(...now, isSmall ? 24 : 14));
    drawn = null;
    map.schedule();
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("dblclick", (event) => map.zoom(2, ...at(event)));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    map.flight = null;
    map.zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 300), ...at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 60;
    const acts = { ArrowLeft: () => map.pan(step, 0), ArrowRight: () => map.pan(-step, 0), ArrowUp: () => map.pan(0, step), ArrowDown: () => map.pan(0, -step),
      "+": () => map.zoom(1.5), "=": () => map.zoom(1.5), "-": () => map.zoom(1 / 1.5), 0: overview, Escape: () => setLasso(lasso, false) };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  });
  new ResizeObserver(() => canvas.isConnected && map.resize()).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { map.readColours(); map.paint(); });
}

function hover(place) {
  const found = place ? map.near(...place) : -1;
  map.canvas.classList.toggle("over", found >= 0);
  if (found === map.hovered) return;
  map.hovered = found;
  map.schedule();
}

function pick(i) {
  if (i < 0) return clear();
  clear();
  map.marked = [i];
  map.schedule();
  return choose(data.words[data.wordOf[i]], [i]);
}

function outline(corners) {
  const { context } = map;
  context.beginPath();
  corners.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  Object.assign(context, { strokeStyle: map.ink, lineWidth: 2, globalAlpha: 0.12, fillStyle: map.ink });
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
}
