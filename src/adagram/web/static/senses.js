// The senses of a word: all of them in a strip, and a card for each.

import { about, address, get } from "/static/api.js";
import { card } from "/static/card.js";
import { colour, copyButton, copyLink, h, isNarrow, link, percent, plural, say, split } from "/static/dom.js";
import { editing, toolbar } from "/static/edit.js";
import { home } from "/static/start.js";
import { overTime } from "/static/trend.js";

export async function show(put, { word, sense, all }) {
  if (!word) return home(put, (wanted) => wanted.trim() && (location.hash = link("senses", { word: wanted.trim() })));
  const [found, info, edit] = await Promise.all([about("cards", "word", word), get("info"), editing()]);
  const number = sense === undefined ? null : Number(sense);
  const isChosen = (each) => split(each.sense).number === number;
  const hidden = found.senses.filter((each) => each.is_marginal && !isChosen(each));
  const shown = all ? found.senses : found.senses.filter((each) => !hidden.includes(each));
  const cards = shown.map((each, i) => card(each, { epochs: found.epochs, fromCorpus: info.has_examples && !info.has_sheet,
    isChosen: isChosen(each), isOpen: !isNarrow() || isChosen(each) || (i === 0 && number === null), edit }));
  const list = h("ul", { class: "cards", "aria-label": `Senses of ${found.word}` }, cards);
  // All of it is mirrored for a word that is written from right to left.
  put(h("div", { dir: "auto" }, heading(found, hidden.length), strip(found, shown, cards), overTime(found.word, found.epochs, shown),
    edit ? toolbar(edit, list) : null, list, hidden.length ? more(found, hidden.length, all) : null));
  say(`${found.word}: ${plural(found.senses.length, "sense", "senses")}`);
  const chosen = cards.find((each) => each.classList.contains("chosen"));
  if (chosen && cards.length > 1) chosen.scrollIntoView({ block: "nearest" });
}

function heading(found, hidden) {
  const n = found.senses.length;
  const few = hidden ? `, ${hidden} of them with few or unclear uses` : "";
  const csv = address("table", "word", found.word);
  return h("div", {}, h("h1", {}, found.word),
    h("p", { class: "quiet" }, h("bdi", {}, `${plural(n, "sense", "senses")}${few}; ${plural(found.count, "occurrence", "occurrences")} in training.`)),
    h("p", { class: "actions" }, h("a", { class: "button", href: link("map", { word: found.word }) }, "Map"),
      h("a", { class: "button", href: link("compare", { left: found.word, right: found.word }) }, "Compare"),
      h("a", { class: "button", id: "csv", download: `${found.word}.csv`, href: `/api/${csv.route}?${new URLSearchParams(csv.fields)}` }, "CSV"),
      copyButton("Copy", () => asText(found), `Copy the senses of ${found.word} as text`), copyLink()));
}

const asText = (found) => found.senses.map((sense) => [sense.sense, percent(sense.prior), sense.gist,
  sense.neighbours.map((near) => split(near.sense).word).join(", ")].join("\t")).join("\n");

// Every sense has a part of the strip as long as its share; it leads to the card.
function strip(found, shown, cards) {
  const rest = found.senses.filter((each) => !shown.includes(each));
  const parts = shown.map((each, i) => {
    const part = h("button", { type: "button", class: colour(each.sense), title: `${each.sense}: ${each.gist}, ${percent(each.prior)}`,
      "aria-label": `${each.sense}, ${each.gist}, ${percent(each.prior)}`, onclick: () => reach(cards[i]) },
      `#${split(each.sense).number}`, h("span", { class: "gist" }, ` ${each.gist}`));
    part.style.flexGrow = each.prior;
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
