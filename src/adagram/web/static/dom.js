// Elements are built from text, never from markup: what a word contains cannot become part of the page.

import { resolution } from "/static/api.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
export const s = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const percent = (share) => (share < 0.0005 ? "<\u00a00.1\u00a0%" : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`);
export const plural = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const split = (sense) => {
  const at = sense.lastIndexOf("#");
  return { word: sense.slice(0, at), number: Number(sense.slice(at + 1)) };
};
export const colour = (sense) => `s${split(sense).number % 8}`;
export const isNarrow = () => window.matchMedia("(max-width: 40rem)").matches;

export function link(view, fields = {}) {
  return "#" + new URLSearchParams({ view, ...(resolution() ? { resolution: resolution() } : {}), ...fields });
}

export const target = (sense) => link("senses", { word: split(sense).word, sense: split(sense).number });

export function senseLink(sense) {
  const { word, number } = split(sense);
  return h("a", { href: target(sense), "aria-label": `${word}, sense ${number}` },
    h("bdi", {}, word), number ? h("span", { class: "number" }, `#${number}`) : null);
}

export function bar(share, label) {
  const filled = h("span");
  filled.style.width = `${100 * share}%`;
  return h("div", { class: "bar", role: "img", "aria-label": `${label} ${percent(share)}` }, filled);
}

export function say(text) {
  document.getElementById("status").textContent = text;
}

// A button that copies; if the browser has no clipboard for this page, through a selected text.
export function copyButton(title, text, name) {
  return h("button", { type: "button", class: "small", "aria-label": name || title, onclick: async (event) => {
    const button = event.currentTarget;
    await copy(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => { button.textContent = title; }, 1500);
  } }, title);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export const copyLink = () => copyButton("Copy link", () => location.href, "Copy a link to this view");

export function failure(error) {
  const near = (error.near || []).map((word) => h("li", {}, h("a", { href: link("senses", { word }) }, h("bdi", {}, word))));
  return h("div", { role: "alert", class: "panel" }, h("p", { class: "error" }, error.message),
    near.length ? [h("p", {}, "Words that it has:"), h("ul", { class: "words" }, near)] : null,
    error.status === 404 ? steps() : null);
}

function steps() {
  return h("div", {}, h("p", {}, "What you can do:"), h("ul", {},
    h("li", {}, "Type the beginning of a word in the search field: words that the model has appear below it."),
    h("li", {}, "Look up the parts of an expression one by one; the model knows single words unless it was trained with phrases."),
    h("li", {}, "A rare word is left out in training; train again with a lower ", h("code", {}, "--min-count"), " or on more text."),
    h("li", {}, h("a", { href: "#" }, "See words with several senses"), ".")));
}

export function posterior(senses, notes = {}) {
  const sorted = [...senses].sort((a, b) => b.probability - a.probability);
  const shown = sorted.filter((sense, i) => i < 2 || (i < 6 && sense.probability >= 0.001)); // the likely ones, and what else it might be
  return h("ul", { class: "posterior" }, shown.map((sense) => h("li", { class: colour(sense.sense) },
    h("div", { class: "row" }, h("span", {}, h("bdi", {}, sense.sense)), h("span", { class: "value" }, percent(sense.probability))),
    bar(sense.probability, "probability"),
    notes[sense.sense] ? h("div", { class: "quiet" }, h("bdi", {}, notes[sense.sense])) : null)));
}

export function later(action, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
