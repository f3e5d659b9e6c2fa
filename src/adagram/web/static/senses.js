// A card for each sense of a word.

import { about, get } from "/static/api.js";
import { bar, colour, h, link, percent, say, senseLink, split } from "/static/dom.js";

export async function show(put, { word, sense }) {
  if (!word) return home(put);
  const found = await about("senses", "word", word);
  const n = found.senses.length;
  const cards = found.senses.map((each) => card(each, sense));
  put(
    h("h1", {}, found.word),
    h("p", { class: "quiet" }, `${n} ${n === 1 ? "sense" : "senses"}, ${found.count.toLocaleString("en")} occurrences `,
      "in the training corpus. ", h("a", { href: link("map", { word: found.word }) }, "Map"), " · ",
      h("a", { href: link("compare", { left: found.word }) }, "Compare")),
    h("ul", { class: "cards", "aria-label": `Senses of ${found.word}` }, cards));
  say(`${found.word}: ${n} ${n === 1 ? "sense" : "senses"}`);
  const chosen = cards.find((each) => each.classList.contains("chosen"));
  if (chosen && n > 1) chosen.scrollIntoView({ block: "nearest" });
  await examples(cards, found.word);
}

function card(sense, chosen) {
  const { word, number } = split(sense.sense);
  const isChosen = chosen !== undefined && Number(chosen) === number;
  return h("li", { class: `card ${colour(sense.sense)}${isChosen ? " chosen" : ""}`, "data-sense": sense.sense },
    h("div", { class: "row" },
      h("h2", { "aria-label": `${word}, sense ${number}` }, word, h("span", { class: "number" }, `#${number}`)),
      h("span", { class: "value" }, `prior ${percent(sense.prior)}`)),
    bar(sense.prior, "prior"),
    h("h3", {}, "Nearest senses"),
    h("ol", { class: "near" }, sense.neighbours.map((near) => h("li", {}, senseLink(near.sense),
      h("span", { class: "quiet" }, near.similarity.toFixed(2))))));
}

async function examples(cards, word) {
  const info = await get("info");
  if (!info.has_examples) return;
  const found = await about("examples", "word", word);
  found.senses.forEach(({ lines }, i) => {
    cards[i].append(h("h3", {}, lines.length ? "In the corpus" : "No clear example in the corpus"),
      h("ul", { class: "lines" }, lines.map((line) => h("li", { title: `probability ${percent(line.probability)}` },
        line.left, " ", h("mark", {}, line.match), " ", line.right))));
  });
}

async function home(put) {
  const info = await get("info");
  put(
    h("h1", {}, "Senses of words"),
    h("p", {}, "Type a word to see the senses this model learned for it, or open ",
      h("a", { href: link("text") }, "a text"), " to see which sense each of its words has."),
    h("h2", {}, "Words with several senses"),
    h("ul", { class: "words" }, info.try.map((word) => h("li", {}, h("a", { href: link("senses", { word }) }, word)))));
}
