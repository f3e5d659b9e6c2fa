// The address says what is shown (#view=senses&word=rock), so everything can be linked to.

import { get, setResolution } from "/static/api.js";
import { completing } from "/static/complete.js";
import { failure, link } from "/static/dom.js";
import { takeToken } from "/static/edit.js";
import * as compare from "/static/compare.js";
import * as map from "/static/map.js";
import * as senses from "/static/senses.js";
import * as text from "/static/text.js";

const views = { senses, map, text, compare };
const main = document.getElementById("main");
const word = document.getElementById("word");
let turn = 0;
let at = null; // the address that is shown
const heights = new Map(); // how far each address was scrolled when it was left
let isBack = false;
history.scrollRestoration = "manual"; // the content is not there yet when the browser would scroll

function read() {
  const fields = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const view = Object.hasOwn(views, fields.view) ? fields.view : "senses";
  return { ...fields, view };
}

async function render() {
  if (location.hash === "#main") return main.focus();
  takeToken();
  const fields = read();
  setResolution(fields.resolution);
  const mine = ++turn;
  const height = (isBack && heights.get(location.hash)) || 0;
  isBack = false;
  text.hide();
  for (const name of Object.keys(views)) {
    const anchor = document.getElementById(`nav-${name}`);
    if (name === fields.view) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  if (fields.word !== undefined) {
    word.value = fields.word;
    for (const name of ["senses", "map"]) {
      document.getElementById(`nav-${name}`).setAttribute("href", link(name, { word: fields.word }));
    }
  }
  document.body.classList.toggle("home", fields.view === "senses" && !fields.word);
  document.title = fields.word ? `${fields.word} · adagram` : "adagram";
  try {
    await views[fields.view].show((...content) => {
      if (mine !== turn) throw new Error("another view was opened");
      main.replaceChildren(...content.filter(Boolean));
      if (mine > 1 && location.hash !== at) arrive(height);
      at = location.hash;
    }, fields);
    if (height && mine === turn) window.scrollTo(0, height); // now that all of it is there
  } catch (error) {
    if (mine === turn) main.replaceChildren(failure(error));
  }
}

// After a link the reader starts at the top of the new content, after Back where it was left; who is typing goes on typing.
function arrive(height) {
  window.scrollTo(0, height);
  if (!document.activeElement.matches("input, textarea")) main.focus({ preventScroll: true });
}

function open(value) {
  const wanted = value.trim();
  if (!wanted) return;
  const { view, word: shown } = read();
  location.hash = view === "map" ? link("map", shown ? { word: wanted } : { find: wanted }) : link("senses", { word: wanted });
}

const close = completing(word, open);
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  close();
  open(word.value);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    const field = document.getElementById("start-word") || word;
    field.focus();
    field.select();
  }
  if (/^[1-4]$/.test(event.key)) document.querySelectorAll("nav a")[Number(event.key) - 1].click();
});
window.addEventListener("hashchange", render);
window.addEventListener("scroll", () => heights.set(location.hash, window.scrollY));
window.navigation?.addEventListener("navigate", (event) => { isBack = event.navigationType === "traverse"; });
get("info").then((info) => {
  document.getElementById("facts").textContent = `${info.words.toLocaleString("en")} words with `
    + `${info.senses.toLocaleString("en")} senses, ${info.dim} dimensions, ${info.algorithm}`
    + `${info.algorithm === "adagram" ? `, alpha ${info.alpha}` : ""}.`;
}).catch(() => {});
render();
