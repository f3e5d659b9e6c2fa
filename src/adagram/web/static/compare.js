// Two words, each in its context.

import { post } from "/static/api.js";
import { completing } from "/static/complete.js";
import { failure, h, later, link, posterior, say } from "/static/dom.js";

const FIELDS = ["left", "left_context", "right", "right_context"];

export async function show(put, fields) {
  const out = h("section", { "aria-label": "Comparison" });
  const read = () => Object.fromEntries(FIELDS.map((name) => [name, document.getElementById(name).value.trim()]));
  const now = () => {
    const given = read();
    history.replaceState(null, "", link("compare", Object.fromEntries(Object.entries(given).filter(([, v]) => v))));
    return compare(out, given);
  };
  const update = later(now, 150);
  put(h("h1", {}, "Compare two words in context"),
    h("p", { class: "quiet" }, "Give two words, or the same word twice, and a sentence around each."),
    h("div", { class: "two" }, side("left", "First word", fields, update), side("right", "Second word", fields, update)), out);
  for (const name of ["left", "right"]) completing(document.getElementById(name), now);
  await compare(out, read());
}

function side(name, title, fields, update) {
  const word = h("input", { id: name, type: "text", maxlength: 200, spellcheck: "false", autocapitalize: "none", oninput: update });
  const context = h("textarea", { id: `${name}_context`, maxlength: 20000, spellcheck: "false", oninput: update });
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
  try {
    found = await post("compare", given);
  } catch (error) {
    if (mine === latest) out.replaceChildren(failure(error));
    return;
  }
  if (mine !== latest) return;
  out.replaceChildren(
    h("h2", {}, "Similarity in context"),
    h("p", { class: "big", id: "similarity" }, found.expected_similarity.toFixed(3)),
    h("p", { class: "quiet" }, `Cosine of the senses, weighted by their probabilities; of the two most probable senses: `,
      `${found.best_similarity.toFixed(3)}.`),
    h("div", { class: "two" }, [found.left, found.right].map((each) => h("div", {}, h("h2", {},
      h("a", { href: link("senses", { word: each.word }) }, each.word)), posterior(each.senses),
      h("p", { class: "quiet" }, each.context.length ? `From: ${each.context.join(" ")}` : "No context: the prior.")))),
    h("h2", {}, "All pairs of senses"), h("div", { class: "wide" }, pairs(found)));
  say(`Similarity in context ${found.expected_similarity.toFixed(2)}`);
}

function pairs({ left, right, similarities }) {
  const best = (side) => side.senses.reduce((top, each, i, all) => (each.probability > all[top].probability ? i : top), 0);
  const [row, column] = [best(left), best(right)];
  return h("table", {}, h("caption", { class: "hidden" }, "Cosine of every pair of senses"),
    h("thead", {}, h("tr", {}, h("td", {}), right.senses.map((each) => h("th", { scope: "col" }, each.sense)))),
    h("tbody", {}, left.senses.map((each, i) => h("tr", {}, h("th", { scope: "row" }, each.sense),
      similarities[i].map((value, j) => h("td", { class: i === row && j === column ? "best" : null }, value.toFixed(3)))))));
}
