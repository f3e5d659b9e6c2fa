// Two words, each in its context.

import { about, post } from "/static/api.js";
import { completing } from "/static/complete.js";
import { copyLink, failure, h, later, link, posterior, say } from "/static/dom.js";

const FIELDS = ["left", "left_context", "right", "right_context"];
const three = (cosine) => cosine.toFixed(3).replace(/^-(0\.0+)$/, "$1");
const MOST = 8; // senses of each word in the table of pairs

export async function show(put, fields) {
  const out = h("section", { "aria-label": "Comparison" });
  const read = () => Object.fromEntries(FIELDS.map((name) => [name, document.getElementById(name).value.trim()]));
  const now = () => {
    const typed = read();
    history.replaceState(null, "", link("compare", Object.fromEntries(Object.entries(typed).filter(([, v]) => v))));
    return compare(out, typed);
  };
  const update = later(now, 150);
  put(h("h1", {}, "Compare two words in context"),
    h("p", { class: "quiet" }, "Give two words, or the same word twice, and a sentence around each."),
    h("div", { class: "two" }, side("left", "First word", fields, update), side("right", "Second word", fields, update)),
    h("p", { class: "actions" }, h("button", { type: "button", class: "small", onclick: () => {
      for (const name of FIELDS) document.getElementById(name).value = "";
      now();
      document.getElementById("left").focus();
    } }, "Clear"), copyLink()), out);
  for (const name of ["left", "right"]) completing(document.getElementById(name), now);
  await compare(out, read());
}

function side(name, title, fields, update) {
  const word = h("input", { id: name, type: "text", maxlength: 200, spellcheck: "false", autocapitalize: "none", dir: "auto", oninput: update });
  const context = h("textarea", { id: `${name}_context`, maxlength: 20000, spellcheck: "false", dir: "auto", oninput: update });
  word.value = fields[name] || "";
  context.value = fields[`${name}_context`] || "";
  return h("fieldset", {}, h("legend", {}, title), h("label", { for: name }, "Word"), word,
    h("label", { for: `${name}_context` }, "Words around it"), context);
}

let latest = 0;

async function compare(out, given) {
  const mine = ++latest;
  if (!given.left || !given.right) return out.replaceChildren();
  let found;
  let gists;
  try {
    found = await post("compare", given);
    gists = Object.fromEntries((await Promise.all([found.left, found.right].map((each) => about("cards", "word", each.word))))
      .flatMap((cards) => cards.senses.map((sense) => [sense.sense, sense.gist])));
  } catch (error) {
    if (mine === latest) out.replaceChildren(failure(error));
    return;
  }
  if (mine !== latest) return;
  const similarity = found.expected_similarity;
  out.replaceChildren(
    h("h2", {}, "Similarity in context"),
    h("p", { class: "big", id: "similarity" }, three(similarity)),
    h("p", { class: "quiet" }, "1 is the same meaning, 0 none in common: the cosine of the senses, weighted by their probabilities. ",
      `Of the two most probable senses: ${three(found.best_similarity)}.`),
    h("div", { class: "two" }, [found.left, found.right].map((each) => h("div", {}, h("h2", {},
      h("a", { href: link("senses", { word: each.word }) }, h("bdi", {}, each.word))), posterior(each.senses, gists),
      h("p", { class: "quiet" }, each.context.length ? ["From: ", h("bdi", {}, each.context.join(" "))] : "No known word in the context: these are the shares.")))),
    h("details", {}, h("summary", {}, "All pairs of senses"), h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "All pairs of senses" }, pairs(found))));
  say(`Similarity in context ${similarity.toFixed(2)}`);
}

// The most probable senses of either side.
function pairs({ left, right, similarities }) {
  const ranked = (side) => side.senses.map((each, i) => ({ ...each, i })).sort((a, b) => b.probability - a.probability).slice(0, MOST);
  const [rows, columns] = [ranked(left), ranked(right)];
  return h("table", {}, h("caption", { class: "hidden" }, "Cosine of every pair of senses"),
    h("thead", {}, h("tr", {}, h("td", {}), columns.map((each) => h("th", { scope: "col" }, h("bdi", {}, each.sense))))),
    h("tbody", {}, rows.map((row, i) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, row.sense)),
      columns.map((column, j) => h("td", { class: i === 0 && j === 0 ? "best" : null }, three(similarities[row.i][column.i])))))));
}
