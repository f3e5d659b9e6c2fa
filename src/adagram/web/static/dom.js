// Elements are built from text, never from markup: what a word contains cannot become part of the page.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
export const s = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const percent = (share) => (share < 0.0005 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`);
export const split = (sense) => {
  const at = sense.lastIndexOf("#");
  return { word: sense.slice(0, at), number: Number(sense.slice(at + 1)) };
};
export const colour = (sense) => `s${split(sense).number % 8}`;

export function link(view, fields = {}) {
  return "#" + new URLSearchParams({ view, ...fields });
}

export function senseLink(sense) {
  const { word, number } = split(sense);
  return h("a", { href: link("senses", { word, sense: number }), "aria-label": `${word}, sense ${number}` },
    word, h("span", { class: "number" }, `#${number}`));
}

export function bar(share, label) {
  const filled = h("span");
  filled.style.width = `${100 * share}%`;
  return h("div", { class: "bar", role: "img", "aria-label": `${label} ${percent(share)}` }, filled);
}

export function say(text) {
  document.getElementById("status").textContent = text;
}

export function failure(error) {
  const near = (error.near || []).map((word) => h("li", {}, h("a", { href: link("senses", { word }) }, word)));
  return h("div", { role: "alert" }, h("p", { class: "error" }, error.message),
    near.length ? [h("p", {}, "Near spellings:"), h("ul", { class: "words" }, near)] : null);
}

export function posterior(senses, notes = {}) {
  const shown = [...senses].sort((a, b) => b.probability - a.probability).slice(0, 6);
  return h("ul", { class: "posterior" }, shown.map((sense) => h("li", { class: colour(sense.sense) },
    h("div", { class: "row" }, h("span", {}, sense.sense), h("span", { class: "value" }, percent(sense.probability))),
    bar(sense.probability, "probability"),
    notes[sense.sense] ? h("div", { class: "quiet" }, notes[sense.sense]) : null)));
}

export function later(action, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
