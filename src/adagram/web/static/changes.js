// What this model has learned since the one that it continues.

import { get } from "/static/api.js";
import { failure, h, link } from "/static/dom.js";

const KINDS = {
  came: ["New words", (size) => `${Math.round(size).toLocaleString("en")} uses`],
  born: ["New senses", (size) => `${Math.round(100 * size)} % of the word's uses`],
  faded: ["Faded senses", (size) => `lost ${Math.round(100 * size)} % of the word's uses`],
  moved: ["Moved senses", (size) => `by ${size.toFixed(2)} (1 minus the cosine)`],
};
const NEAR = 5; // neighbours shown before and after

// A section that fills itself; hidden if the server has one model only.
export function changes() {
  const out = h("section", { id: "changes", "aria-label": "What has changed", hidden: true });
  get("changes").then((found) => {
    if (!found.since) return;
    out.append(h("h2", {}, `Since ${found.since}`), ...Object.keys(KINDS).map((kind) => list(kind, found.changes.filter((each) => each.what === kind))));
    out.hidden = false;
  }).catch((error) => {
    out.append(failure(error));
    out.hidden = false;
  });
  return out;
}

function list(kind, found) {
  const [title, size] = KINDS[kind];
  return h("details", { "data-kind": kind }, h("summary", {}, `${title} (${found.length})`),
    found.length ? h("ul", {}, found.map((each) => h("li", {}, h("a", { href: link("senses", { word: each.name.replace(/#\d+$/, "") }) }, h("bdi", {}, each.name)),
      ` ${size(each.size)}`, near("before", each.before), near("now", each.after)))) : h("p", { class: "quiet" }, "None."));
}

function near(when, neighbours) {
  if (!neighbours.length) return null;
  return h("div", { class: "quiet" }, `${when}: `, h("bdi", {}, neighbours.slice(0, NEAR).map((each) => each.name).join(", ")));
}
