// A text whose content words are coloured by their most probable sense.

import { about, get, post } from "/static/api.js";
import { colour, copyLink, h, later, link, percent, posterior, say, split, target } from "/static/dom.js";

const LISTED = 12; // words that are explained below the text
const tip = () => document.getElementById("tip");

export async function show(put, { text }) {
  const example = text === undefined ? (await get("start")).text : "";
  const area = h("textarea", { id: "text", maxlength: 20000, "aria-describedby": "text-help", spellcheck: "false" });
  area.value = text === undefined ? example : text;
  const out = h("div", { class: "tagged", id: "tagged", "aria-label": "The text by senses", role: "region" });
  const list = h("ul", { class: "found", id: "found" });
  const now = () => {
    history.replaceState(null, "", link("text", { text: area.value }));
    tag(out, list, area.value);
  };
  area.addEventListener("input", later(now, 120));
  put(h("h1", {}, "Senses in a text"),
    h("p", { class: "quiet", id: "text-help" }, "Type or paste a text. Each content word with several senses has the colour and ",
      "number of the one that it has here; point at it, or move to it with Tab, to see the probabilities. ",
      "Words that the model does not know are in italics."),
    h("label", { class: "hidden", for: "text" }, "Text"), area,
    h("p", { class: "actions" }, h("button", { type: "button", class: "small", onclick: () => { area.value = ""; now(); area.focus(); } },
      "Clear"), copyLink()),
    h("h2", {}, "By sense"), out, list);
  await tag(out, list, area.value);
  if (example) {
    area.focus({ preventScroll: true });
    area.select(); // what is typed takes the place of the example
  }
}

let latest = 0;

async function tag(out, list, text) {
  const mine = ++latest;
  hide();
  list.replaceChildren();
  if (!text.trim()) return out.replaceChildren();
  let found;
  try {
    found = await post("disambiguate", { text });
  } catch (error) {
    return out.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
  if (mine !== latest) return;
  out.replaceChildren(...found.tokens.map(token));
  const several = found.tokens.filter((each) => each.is_content && each.senses.length > 1);
  say(`${several.length} words with several senses`);
  await explain(list, several, () => mine === latest);
}

const best = (senses) => senses.reduce((a, b) => (b.probability > a.probability ? b : a));

function token({ text, word, is_content: isContent, senses }) {
  if (word !== null && senses.length === 0) return h("span", { class: "unknown", title: "not in the vocabulary" }, text);
  if (word === null || !isContent) return document.createTextNode(text);
  const likely = best(senses);
  const { number } = split(likely.sense);
  const several = senses.length > 1;
  const open = (event) => reveal(event.currentTarget, word, senses);
  return h("a", { class: `token ${several ? colour(likely.sense) : "single"}`, href: target(likely.sense), "data-sense": likely.sense,
    onmouseenter: open, onfocus: open, onmouseleave: hide, onblur: hide, onkeydown: (event) => event.key === "Escape" && hide() },
    text, several ? h("sub", {}, h("span", { class: "hidden" }, " sense "), String(number)) : null);
}

// What the first words with several senses mean here: for readers who cannot point.
async function explain(list, tokens, isWanted) {
  const first = [...new Map(tokens.map((each) => [best(each.senses).sense, each])).values()].slice(0, LISTED);
  const gists = await Promise.all(first.map((each) => gistsOf(each.word)));
  if (!isWanted()) return;
  list.replaceChildren(...first.map((each, i) => {
    const likely = best(each.senses);
    return h("li", { class: colour(likely.sense) }, h("span", { class: "dot" }), h("a", { href: target(likely.sense) }, likely.sense),
      ` ${gists[i][likely.sense] || ""} `, h("span", { class: "quiet value" }, percent(likely.probability)));
  }));
}

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
