// A text whose words are coloured by their sense, if it is clear.

import { about, get, post, resolution } from "/static/api.js";
import { colour, copyLink, h, isNarrow, later, link, posterior, say, split, target } from "/static/dom.js";

const LEVELS = { coarse: "0.55", medium: "0.75", fine: "1" }; // as in adagram.model.resolution
const MAX_LEGEND = 60; // senses: more are a wall of words
const tip = () => document.getElementById("tip");

export async function show(put, { text }) {
  const own = resolution() || String((await get("info")).resolution);
  const level = h("select", { id: "level", "aria-label": "Resolution of the senses", onchange: () => {
    location.hash = link("text", { text: area.value, resolution: level.value });
  } }, Object.entries(LEVELS).map(([name, value]) => h("option", { value, selected: value === own }, `${name} senses`)));
  const area = h("textarea", { id: "text", maxlength: 20000, "aria-describedby": "text-help", spellcheck: "false", dir: "auto" });
  area.value = text === undefined ? "" : text;
  const out = h("div", { class: "tagged", id: "tagged", "aria-label": "The text by senses", role: "region" });
  const list = h("ul", { class: "found", id: "found", "aria-label": "Senses in this text" });
  const legend = h("details", { class: "more", open: !isNarrow() }, h("summary", {}, "Senses in this text"), list);
  const now = () => {
    history.replaceState(null, "", link("text", { text: area.value }));
    tag(out, list, area.value);
  };
  area.addEventListener("input", later(now, 150));
  put(h("h1", {}, "Senses in a text"),
    h("p", { class: "quiet", id: "text-help" }, "Type or paste a text. A word with several senses has a colour and the number of its sense if its sentence ",
      "makes it clear, else a dotted line. Point at it, tap it or move to it with Tab to see the probabilities. Unknown words are in italics."),
    h("label", { class: "hidden", for: "text" }, "Text"), area,
    h("p", { class: "actions" }, h("button", { type: "button", class: "small", onclick: () => { area.value = ""; now(); area.focus(); } },
      "Clear"), level, copyLink()),
    h("h2", {}, "By sense"), out, legend);
  await tag(out, list, area.value);
}

let latest = 0;

async function tag(out, list, text) {
  const mine = ++latest;
  hide();
  if (!text.trim()) return [out, list].forEach((each) => each.replaceChildren());
  const found = await post("disambiguate", { text }).catch((error) => ({ error }));
  if (mine !== latest) return;
  if (found.error) {
    list.replaceChildren();
    return out.replaceChildren(h("p", { class: "error", role: "alert" }, found.error.message));
  }
  out.replaceChildren(...found.tokens.map(token));
  const clear = Object.entries(found.gists);
  list.replaceChildren(...(clear.length > MAX_LEGEND ? [] : clear).map(([sense, gist]) => h("li", { class: colour(sense) },
    h("span", { class: "dot" }), h("a", { href: target(sense) }, h("bdi", {}, sense)), " ", h("bdi", {}, gist))));
  say(`${found.tokens.filter((each) => each.is_clear).length} words with a clear sense among several`);
}

function token({ text, word, is_content: isContent, is_clear: isClear, senses }) {
  if (word !== null && senses.length === 0) return h("span", { class: "unknown", title: "not in the vocabulary" }, text);
  if (!isContent || senses.length < 2) return document.createTextNode(text);
  const likely = senses.reduce((a, b) => (b.probability > a.probability ? b : a));
  const open = (event) => reveal(event.currentTarget, word, senses);
  let isFirstTap = false; // the first tap shows the probabilities, the second follows the link
  return h("a", { class: `token ${isClear ? colour(likely.sense) : "unclear"}`, href: target(likely.sense), "data-sense": likely.sense,
    onpointerenter: (event) => event.pointerType === "mouse" && open(event),
    onpointerleave: (event) => event.pointerType === "mouse" && hide(),
    onpointerdown: (event) => { isFirstTap = event.pointerType !== "mouse" && shownFor !== event.currentTarget; },
    onclick: (event) => { if (isFirstTap) { event.preventDefault(); open(event); } isFirstTap = false; },
    onfocus: open, onblur: hide, onkeydown: (event) => event.key === "Escape" && hide() },
    text, isClear ? h("sub", {}, h("span", { class: "hidden" }, " sense "), String(split(likely.sense).number)) : null);
}

document.addEventListener("pointerdown", (event) => event.target.closest(".token") || hide());

async function gistsOf(word) {
  const found = await about("cards", "word", word).catch(() => ({ senses: [] }));
  return Object.fromEntries(found.senses.map((sense) => [sense.sense, sense.gist]));
}

let shownFor = null;

async function reveal(at, word, senses) {
  shownFor = at;
  at.setAttribute("aria-describedby", "tip");
  draw(at, senses, {});
  const gists = await gistsOf(word);
  if (shownFor === at) draw(at, senses, gists);
}

function draw(at, senses, notes) {
  const box = tip();
  box.replaceChildren(posterior(senses, notes));
  if (at.classList.contains("unclear")) box.append(h("p", { class: "quiet" }, "This sentence does not make it clear."));
  box.hidden = false;
  const place = at.getBoundingClientRect();
  const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - box.offsetWidth - 8));
  const below = place.bottom + 8 + box.offsetHeight < window.innerHeight;
  const top = below ? place.bottom + 8 : Math.max(8, place.top - box.offsetHeight - 8);
  box.style.left = `${left + window.scrollX}px`;
  box.style.top = `${top + window.scrollY}px`;
}

export function hide() {
  if (shownFor) shownFor.removeAttribute("aria-describedby");
  shownFor = null;
  tip().hidden = true;
}
