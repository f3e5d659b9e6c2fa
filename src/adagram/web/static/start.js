// The start page: a search field, words with clearly different senses, what moved over time, and what is new.

import { get } from "/static/api.js";
import { completing } from "/static/complete.js";
import { colour, h, link, percent, plural, target } from "/static/dom.js";

export async function home(put, open) {
  const [info, start] = await Promise.all([get("info"), get("start")]);
  const input = h("input", { id: "start-word", type: "text", maxlength: 200, dir: "auto", spellcheck: "false", autocapitalize: "none",
    placeholder: start.words.length ? `for example ${start.words[0].word}` : "Type a word" });
  const form = h("form", { class: "find", role: "search", autocomplete: "off", "aria-label": "Start",
    onsubmit: (event) => { event.preventDefault(); open(input.value); } },
    h("label", { class: "hidden", for: "start-word" }, "Look up a word"), input, h("button", { type: "submit" }, "Look up"));
  const moved = h("section", { id: "moved", "aria-label": "What moved", hidden: true });
  put(
    h("section", { class: "hero" }, h("h1", {}, "One word, several senses"), h("p", { class: "lead", id: "read" }, read(info)), form),
    h("section", { "aria-label": "Words with several senses" },
      start.words.length ? h("h2", {}, "Words with several senses") : h("p", {}, "No word of this model has two clear senses; ",
        "more text, or a higher alpha in training, gives more of them."),
      h("ul", { class: "tiles" }, start.words.map(tile))),
    moved, fresh(start.new),
    info.has_sheet ? null : h("p", { class: "quiet" }, "There is no sense sheet yet: ", h("code", {}, "adagram describe"),
      " adds labels, collocates and examples."));
  completing(input, open);
  fill(moved).catch(() => {});
}

// One sentence on what the model read.
function read(info) {
  const times = info.epochs === 1 ? "" : `, ${info.epochs} times,`;
  const words = info.corpus_words ? `${plural(info.corpus_words, "word", "words")} of text` : "a text of unknown length";
  const dated = info.period.length ? ` from ${info.period[0]} to ${info.period[1]}` : "";
  return `This model read ${words}${dated}${times} and found ${plural(info.senses, "sense", "senses")} of `
    + `${plural(info.words, "word", "words")}; ${plural(info.ambiguous, "word has", "words have")} several.`;
}

function tile({ word, senses }) {
  return h("li", { class: "tile", dir: "auto" }, h("h3", {}, h("a", { href: link("senses", { word }) }, word)),
    h("div", { class: "shares", "aria-hidden": "true" }, senses.map((sense) => {
      const part = h("span", { class: colour(sense.sense) });
      part.style.flexGrow = sense.prior;
      return part;
    })),
    h("ul", {}, senses.map((sense) => h("li", { class: colour(sense.sense) },
      h("a", { class: "row", href: target(sense.sense) }, h("span", {}, h("span", { class: "dot" }), sense.gist),
        h("span", { class: "quiet value" }, percent(sense.prior)))))));
}

// Rankings of trends and change take a moment, so they come after the page.
async function fill(section) {
  const found = await get("moved");
  if (!found.rising.length && !found.falling.length && !found.changed.length) return;
  section.append(h("h2", {}, "What moved, ", h("bdi", {}, found.period.join(" to "))), h("div", { class: "three" },
    list("Rising senses", "rising", found.rising.map(course)), list("Falling senses", "falling", found.falling.map(course)),
    list("Words that changed most", "changed", found.changed.map(changed))));
  section.hidden = false;
}

const list = (title, kind, items) => h("div", { "data-kind": kind }, h("h3", {}, title),
  items.length ? h("ul", { class: "ranked" }, items) : h("p", { class: "quiet" }, "None."));

function course({ sense, gist, first, last }) {
  return h("li", { class: colour(sense), dir: "auto" }, h("div", { class: "row" }, h("a", { href: target(sense) }, h("bdi", {}, sense)),
    h("span", { class: "value change" }, h("span", { class: "hidden" }, "share "), `${percent(first)} → ${percent(last)}`)), h("bdi", { class: "quiet" }, gist));
}

function changed({ word, gained, lost }) {
  return h("li", { dir: "auto" }, h("a", { href: link("senses", { word }) }, h("bdi", {}, word)),
    lost ? h("div", { class: "quiet" }, "was: ", h("bdi", {}, lost)) : null, gained ? h("div", { class: "quiet" }, "now: ", h("bdi", {}, gained)) : null);
}

function fresh(words) {
  if (!words.length) return null;
  return h("section", { id: "new", "aria-label": "Newest words" }, h("h2", {}, "Newest words"), h("p", { class: "quiet" }, "Words that the last text added."),
    h("ul", { class: "words" }, words.map(({ word, count }) => h("li", { title: plural(count, "use", "uses") },
      h("a", { href: link("senses", { word }) }, h("bdi", {}, word))))));
}
