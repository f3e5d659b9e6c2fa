// The card of a sense: what it is about and its share; opened, its neighbours, collocates, examples and its course over time.

import { about } from "/static/api.js";
import { bar, colour, copyButton, h, link, percent, senseLink, split } from "/static/dom.js";
import { controls } from "/static/edit.js";
import { trend } from "/static/trend.js";

export function card(sense, { epochs, fromCorpus, isChosen, isOpen, edit }) {
  const { word, number } = split(sense.sense);
  const classes = `card ${colour(sense.sense)}${isChosen ? " chosen" : ""}${sense.is_marginal ? " marginal" : ""}`;
  return h("li", { class: classes, "data-sense": sense.sense }, h("details", { open: isOpen },
    h("summary", {},
      h("div", { class: "row" }, h("h2", {}, h("span", { class: "name" }, `${word}#${number}`), h("span", { class: "gist" }, sense.gist)),
        h("span", { class: "value" }, percent(sense.prior))),
      bar(sense.prior, "share")),
    epochs.length ? trend(epochs, sense.trend) : null,
    h("h3", {}, "Nearest words"),
    h("ul", { class: "near" }, sense.neighbours.map((near) => h("li", { title: `cosine ${near.similarity.toFixed(2)}` },
      senseLink(near.sense)))),
    sense.collocates.length ? [h("h3", {}, "Typical words around it"), h("ul", { class: "near" }, sense.collocates.map((other) =>
      h("li", { title: `${other.count} of ${other.of_word} times with this sense` }, h("bdi", {}, other.word))))] : null,
    examples(sense, fromCorpus),
    h("p", { class: "actions" },
      h("a", { class: "button small", href: link("senses", { word, sense: number }), "aria-label": `Link to ${sense.sense}` }, "Link"),
      copyButton("Copy", () => asText(sense), `Copy ${sense.sense} as text`)),
    edit ? controls(sense) : null));
}

const sentence = (line) => line.left + line.match + line.right;

const asText = (sense) => [`${sense.sense} (${percent(sense.prior)}): ${sense.gist}`,
  `nearest: ${sense.neighbours.map((near) => split(near.sense).word).join(", ")}`,
  sense.collocates.length ? `around it: ${sense.collocates.map((other) => other.word).join(", ")}` : null,
  ...sense.examples.map(sentence)].filter(Boolean).join("\n");

function examples(sense, fromCorpus) {
  if (sense.examples.length) {
    const n = sense.examples.length;
    const isOne = new Set(sense.examples.map((line) => line.document)).size === 1; // then its name says nothing
    return h("details", { class: "more" }, h("summary", {}, n === 1 ? "1 example" : `${n} examples`),
      h("ul", { class: "lines" }, sense.examples.map((line) => shown(isOne ? { ...line, document: "" } : line, line.posterior))));
  }
  if (!fromCorpus) return null;
  const out = h("ul", { class: "lines" });
  return h("details", { class: "more", ontoggle: (event) => event.target.open && !out.childElementCount && fetched(out, sense) },
    h("summary", {}, "Examples from the corpus"), out);
}

async function fetched(out, sense) {
  const found = await about("examples", "word", split(sense.sense).word).catch((error) => ({ error }));
  const lines = found.error ? [] : found.senses.find((each) => each.sense === sense.sense).lines;
  const spaced = (line) => ({ ...line, left: `${line.left} `, right: ` ${line.right}` });
  out.replaceChildren(...lines.map((line) => shown(spaced(line), line.probability)));
  if (!lines.length) out.replaceChildren(h("li", { class: "quiet" }, found.error ? found.error.message : "No clear example in the corpus."));
}

function shown(line, probability) {
  const source = [line.date, line.document].filter(Boolean).join(" · ");
  return h("li", { dir: "auto", title: `probability ${percent(probability)}` }, line.left, h("mark", {}, line.match), line.right,
    source ? h("span", { class: "source" }, source) : null);
}
