// The start page: a search field, words with clearly different senses, and what the model was trained on.

import { get } from "/static/api.js";
import { completing } from "/static/complete.js";
import { colour, h, link, percent, plural, target } from "/static/dom.js";

export async function home(put, open) {
  const [info, start] = await Promise.all([get("info"), get("start")]);
  const input = h("input", { id: "start-word", type: "text", maxlength: 200, dir: "auto", spellcheck: "false", autocapitalize: "none",
    placeholder: start.words.length ? `for example ${start.words[0].word}` : "Type a word" });
  const form = h("form", { class: "find", role: "search", autocomplete: "off", "aria-label": "Start",
    onsubmit: (event) => { event.preventDefault(); open(input.value); } },
    h("label", { class: "hidden", for: "start-word" }, "Look up a word"), input, h("button", { type: "submit" }, "Look up"));
  put(
    h("section", { class: "hero" }, h("h1", {}, "One word, several senses"),
      h("p", {}, "The senses of the words of a text, learned from the text alone. Look up a word, ",
        h("a", { href: link("text") }, "see the senses in a text"), " or ", h("a", { href: link("compare") }, "compare two uses"), "."),
      form),
    start.words.length ? h("h2", {}, "Words with several senses") : h("p", {}, "No word of this model has two clear senses; ",
      "more text, or a higher alpha in training, gives more of them."),
    h("ul", { class: "tiles" }, start.words.map(tile)),
    h("h2", {}, "What it was trained on"), h("p", {}, trained(info)));
  completing(input, open);
}

function tile({ word, senses }) {
  return h("li", { class: "tile", dir: "auto" }, h("h3", {}, h("a", { href: link("senses", { word }) }, word)),
    h("ul", {}, senses.map((sense) => h("li", { class: colour(sense.sense) },
      h("a", { class: "row", href: target(sense.sense) }, h("span", {}, h("span", { class: "dot" }), sense.gist),
        h("span", { class: "quiet value" }, percent(sense.prior)))))));
}

function trained(info) {
  const read = info.corpus_words ? `${plural(info.corpus_words, "word", "words")} of text, read ${info.epochs === 1
    ? "once" : `${info.epochs} times`}` : "a text of unknown length";
  const more = info.has_sheet ? "Labels, collocates and examples come from the model's sense sheet."
    : "It has no sense sheet yet: adagram describe adds labels, collocates and examples.";
  return `${read}. ${plural(info.words, "word", "words")} with ${info.senses.toLocaleString("en")} senses; `
    + `${plural(info.ambiguous, "word has", "words have")} several. ${more}`;
}
