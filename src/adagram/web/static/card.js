// The card of a sense: what it is about, its share and uses, an example, the words around it and its course over time.

import { about } from "/static/api.js";
import { bar, colour, copyButton, h, link, percent, plural, senseLink, split, target } from "/static/dom.js";
import { controls, title } from "/static/edit.js";
import { linesWith, sentence } from "/static/lines.js";
import { trend } from "/static/trend.js";

export function card(sense, { found, hasLines, fromCorpus, isChosen, isOpen, edit }) {
  const { word, number } = split(sense.sense);
  const classes = `card ${colour(sense.sense)}${isChosen ? " chosen" : ""}${sense.is_marginal ? " marginal" : ""}`;
  const drawer = h("div", { class: "drawer" });
  // A click on a word shows the lines that have it; without a text it leads to the word.
  const near = (other, href, plain) => (hasLines ? h("button", { type: "button", class: "word", onclick: () => linesWith(drawer, sense.sense, other, href) },
    h("bdi", {}, other)) : plain);
  const item = h("li", { class: classes, "data-sense": sense.sense }, h("details", { open: isOpen },
    h("summary", {},
      h("div", { class: "row" }, h("h2", {}, h("span", { class: "name" }, `${word}#${number}`), merged(sense), title(sense, edit)),
        h("span", { class: "value" }, h("b", {}, percent(sense.prior)), h("span", { class: "uses" }, plural(Math.round(sense.count), "use", "uses")))),
      bar(sense.prior, "share")),
    found.epochs.length ? trend(found.epochs, found.times, sense) : null,
    examples(sense, fromCorpus),
    sense.collocates.length ? [h("h3", {}, "Typical words around it"), h("ul", { class: "near" }, sense.collocates.map((other) =>
      h("li", { title: `${other.count} of ${other.of_word} times with this sense` }, near(other.word, link("senses", { word: other.word }), h("bdi", {}, other.word)))))] : null,
    h("h3", {}, "Nearest words"),
    h("ul", { class: "near" }, sense.neighbours.map((other) => h("li", { title: `cosine ${other.similarity.toFixed(2)}` },
      near(split(other.sense).word, target(other.sense), senseLink(other.sense))))),
    drawer,
    h("p", { class: "actions" },
      h("a", { class: "button small", href: link("senses", { word, sense: number }), "aria-label": `Link to ${sense.sense}` }, "Link"),
      copyButton("Copy", () => asText(sense), `Copy ${sense.sense} as text`), edit ? controls(sense) : null)));
  item.style.viewTransitionName = `sense-${number}`;
  return item;
}

const merged = ({ members }) => (members.length > 1 ? h("span", { class: "name" }, ` = #${members.join(" + #")}`) : null);

const text = (line) => line.left + line.match + line.right;

const asText = (sense) => [`${sense.sense} (${percent(sense.prior)}): ${sense.gist}`,
  `nearest: ${sense.neighbours.map((near) => split(near.sense).word).join(", ")}`,
  sense.collocates.length ? `around it: ${sense.collocates.map((other) => other.word).join(", ")}` : null,
  ...sense.examples.map(text)].filter(Boolean).join("\n");

// One example is in view, the others open below it.
function examples(sense, fromCorpus) {
  const out = h("div", { class: "examples" });
  if (sense.examples.length) fill(out, sense.examples);
  else if (fromCorpus) fetched(out, sense);
  return out;
}

function fill(out, lines) {
  const isOne = new Set(lines.map((line) => line.document)).size === 1; // then its name says nothing
  const [first, ...rest] = lines.map((line) => sentence(isOne ? { ...line, document: "" } : line));
  out.replaceChildren(h("ul", { class: "lines first" }, first), rest.length ? h("details", { class: "more" },
    h("summary", {}, h("bdi", {}, plural(rest.length, "more example", "more examples"))), h("ul", { class: "lines" }, rest)) : "");
}

async function fetched(out, sense) {
  const found = await about("examples", "word", split(sense.sense).word).catch(() => ({ senses: [] }));
  const lines = found.senses.find((each) => each.sense === sense.sense)?.lines || [];
  if (lines.length) fill(out, lines);
}
