// A text whose words are coloured by their most probable sense.

import { about, post } from "/static/api.js";
import { colour, h, later, link, posterior, say, split } from "/static/dom.js";

const tip = () => document.getElementById("tip");

export async function show(put, { text = "" }) {
  const area = h("textarea", { id: "text", maxlength: 20000, "aria-describedby": "text-help", spellcheck: "false",
    placeholder: "The rock band played while the rock rolled down the hill." });
  area.value = text;
  const out = h("div", { class: "tagged", id: "tagged", "aria-label": "The text by senses", role: "region" });
  const update = later(() => {
    history.replaceState(null, "", link("text", area.value ? { text: area.value } : {}));
    tag(out, area.value);
  }, 120);
  area.addEventListener("input", update);
  put(h("h1", {}, "Senses in a text"),
    h("p", { class: "quiet", id: "text-help" }, "Type or paste a text. Every word gets the colour and number of its most ",
      "probable sense here; point at it, or move to it with Tab, to see the probability of each. Words with one sense ",
      "have a thin line, words the model does not know are in italics."),
    h("label", { class: "hidden", for: "text" }, "Text"), area, h("h2", {}, "By sense"), out);
  await tag(out, text);
  if (!text) area.focus();
}

let latest = 0;

async function tag(out, text) {
  const mine = ++latest;
  hide();
  if (!text.trim()) return out.replaceChildren();
  let found;
  try {
    found = await post("disambiguate", { text });
  } catch (error) {
    return out.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
  if (mine !== latest) return;
  out.replaceChildren(...found.tokens.map(token));
  const several = found.tokens.filter((each) => each.senses.length > 1).length;
  say(`${several} words with several senses`);
}

function token({ text, word, senses }) {
  if (word === null) return document.createTextNode(text);
  if (senses.length === 0) return h("span", { class: "unknown", title: "not in the vocabulary" }, text);
  const best = senses.reduce((a, b) => (b.probability > a.probability ? b : a));
  const { number } = split(best.sense);
  const several = senses.length > 1;
  const open = (event) => reveal(event.currentTarget, word, senses);
  return h("a", { class: `token ${colour(best.sense)}${several ? "" : " single"}`, href: link("senses", { word, sense: number }),
    "data-sense": best.sense, onmouseenter: open, onfocus: open, onmouseleave: hide, onblur: hide,
    onkeydown: (event) => event.key === "Escape" && hide() },
    text, several ? h("sub", {}, h("span", { class: "hidden" }, " sense "), String(number)) : null);
}

let shownFor = null;

async function reveal(target, word, senses) {
  shownFor = target;
  target.setAttribute("aria-describedby", "tip");
  draw(target, senses, {});
  const found = await about("senses", "word", word, { top: 4 }).catch(() => null);
  if (!found || shownFor !== target) return;
  draw(target, senses, Object.fromEntries(found.senses.map((sense) =>
    [sense.sense, sense.neighbours.map((near) => split(near.sense).word).join(", ")])));
}

function draw(target, senses, notes) {
  const box = tip();
  box.replaceChildren(posterior(senses, notes));
  box.hidden = false;
  const place = target.getBoundingClientRect();
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
