// The senses of a word: all of them in a strip, a slider for their resolution, a card for each, and their lines.

import { about, file, get, setResolution } from "/static/api.js";
import { card } from "/static/card.js";
import { colour, copyButton, copyLink, failure, h, isNarrow, link, percent, plural, say, split } from "/static/dom.js";
import { editing, toolbar } from "/static/edit.js";
import { concordance } from "/static/lines.js";
import { home } from "/static/start.js";
import { overTime } from "/static/trend.js";

export async function show(put, fields) {
  if (!fields.word) return home(put, (wanted) => wanted.trim() && (location.hash = link("senses", { word: wanted.trim() })));
  const root = h("div", { dir: "auto" }); // all of it is mirrored for a word that is written from right to left
  const fill = await page(root, fields);
  fill();
  put(root);
  const chosen = root.querySelector(".card.chosen");
  if (chosen && root.querySelectorAll(".card").length > 1) chosen.scrollIntoView({ block: "nearest" });
  if (fields.lines) root.querySelector("#lines").scrollIntoView({ block: "start" });
}

// Ask for a word and return a function that shows it.
async function page(root, fields) {
  const { word, sense, all } = fields;
  const [found, info, mayEdit] = await Promise.all([about("cards", "word", word), get("info"), editing()]);
  const isFine = found.resolution === 1;
  const edit = isFine ? mayEdit : null; // decisions are about senses as learned
  const number = sense === undefined ? null : Number(sense);
  const isChosen = (each) => number !== null && each.members.includes(number);
  const hidden = found.senses.filter((each) => each.is_marginal && !isChosen(each));
  const shown = all ? found.senses : found.senses.filter((each) => !hidden.includes(each));
  const hasLines = info.has_examples || info.has_sheet;
  const cards = shown.map((each, i) => card(each, { found, hasLines, fromCorpus: info.has_examples && !info.has_sheet,
    isChosen: isChosen(each), isOpen: !isNarrow() || isChosen(each) || (i === 0 && number === null), edit }));
  const list = h("ul", { class: "cards", "aria-label": `Senses of ${found.word}` }, cards);
  const change = async (resolution) => {
    setResolution(resolution);
    history.replaceState(null, "", link("senses", { ...fields, resolution }));
    const next = await page(root, { ...fields, resolution }).catch((error) => () => root.replaceChildren(failure(error)));
    move(() => { next(); root.querySelector("#resolution")?.focus({ preventScroll: true }); });
  };
  return () => {
    root.replaceChildren(...[heading(found, hidden.length), slider(found, change), strip(found, shown, cards),
      overTime(found.word, found.epochs, found.times, shown), mayEdit ? toolbar(mayEdit, isFine, list) : null, list,
      hidden.length ? more(found, hidden.length, all) : null, hasLines ? concordance(found, info, fields) : null].filter(Boolean));
    say(`${found.word}: ${plural(found.senses.length, "sense", "senses")}`);
  };
}

// Cards and parts of the strip move to their new places when senses merge and split.
function move(change) {
  const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (isStill || !document.startViewTransition) return change();
  document.startViewTransition(change).ready.catch(() => {}); // a faster next move skips it
}

function heading(found, hidden) {
  const n = found.senses.length;
  const few = hidden ? `, ${hidden} of them with few or unclear uses` : "";
  return h("div", { class: "title" }, h("div", {}, h("h1", {}, found.word),
    h("p", { class: "quiet" }, h("bdi", {}, `${plural(n, "sense", "senses")}${few}; ${plural(found.count, "use", "uses")} in the text that was read.`))),
    h("p", { class: "actions" }, h("a", { class: "button", href: link("map", { word: found.word }) }, "Map"),
      h("a", { class: "button", href: link("compare", { left: found.word, right: found.word }) }, "Compare"),
      h("a", { class: "button", id: "csv", download: `${found.word}.csv`, href: file("table", found.word) }, "CSV"),
      copyButton("Copy", () => asText(found), `Copy the senses of ${found.word} as text`), copyLink()));
}

const asText = (found) => found.senses.map((sense) => [sense.sense, percent(sense.prior), sense.gist,
  sense.neighbours.map((near) => split(near.sense).word).join(", ")].join("\t")).join("\n");

// A stop for each number of senses that the word can have, from one to all that were learned.
function slider({ levels, resolution, senses }, change) {
  if (levels.length < 2) return null;
  const alike = levels.findIndex((level) => level.senses === senses.length);
  const place = Math.max(0, alike < 0 ? levels.findLastIndex((level) => level.resolution <= resolution) : alike);
  const told = (i) => plural(levels[i].senses, "sense", "senses");
  const out = h("output", { for: "resolution", dir: "ltr" }, plural(senses.length, "sense", "senses"));
  const range = h("input", { id: "resolution", type: "range", min: 0, max: levels.length - 1, step: 1, "aria-valuetext": told(place),
    oninput: () => { out.textContent = told(range.value); range.setAttribute("aria-valuetext", told(range.value)); },
    onchange: () => change(levels[range.value].resolution) });
  range.value = place;
  return h("p", { class: "resolution" }, h("label", { for: "resolution" }, "Resolution"), h("span", { class: "quiet" }, "coarse"), range,
    h("span", { class: "quiet" }, "fine"), out);
}

// Every sense has a part of the strip as long as its share; it leads to the card. Below it are the learned senses that it is made of.
function strip(found, shown, cards) {
  const rest = found.senses.filter((each) => !shown.includes(each));
  const parts = shown.map((each, i) => {
    const part = h("button", { type: "button", class: colour(each.sense), title: `${each.sense}: ${each.gist}, ${percent(each.prior)}`,
      "aria-label": `${each.sense}, ${each.gist}, ${percent(each.prior)}`, onclick: () => reach(cards[i]) },
      `#${split(each.sense).number}`, h("span", { class: "gist" }, ` ${each.gist}`),
      each.members.length > 1 ? h("span", { class: "members", "aria-hidden": "true" }, each.members.map((k) => h("i", { class: colour(`#${k}`) }))) : null);
    part.style.flexGrow = each.prior;
    part.style.viewTransitionName = `part-${split(each.sense).number}`;
    return part;
  });
  const share = rest.reduce((sum, each) => sum + each.prior, 0);
  if (rest.length) {
    const part = h("a", { class: "rest", href: link("senses", { word: found.word, all: 1 }), title: `${rest.length} more, ${percent(share)}`,
      "aria-label": `${rest.length} more senses, ${percent(share)}` }, "…");
    part.style.flexGrow = share;
    parts.push(part);
  }
  return h("div", { class: "strip", role: "group", "aria-label": "All senses by share" }, parts);
}

function reach(item) {
  item.querySelector("details").open = true;
  item.scrollIntoView({ block: "nearest", behavior: "smooth" });
  item.querySelector("summary").focus({ preventScroll: true });
}

function more(found, n, all) {
  return h("p", {}, all ? h("a", { href: link("senses", { word: found.word }) }, h("bdi", {}, "Show the clear senses only"))
    : h("a", { id: "all", href: link("senses", { word: found.word, all: 1 }) },
      h("bdi", {}, `Show all ${found.senses.length} senses (${n} with few or unclear uses)`)));
}
