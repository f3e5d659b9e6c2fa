// Lines of the text with a word: a few beside a card, and the concordance with filters, sorting and download.

import { about, file } from "/static/api.js";
import { colour, h, isNarrow, later, link, percent, plural, say, split, target } from "/static/dom.js";

const PAGE = 50; // lines at a time
const FEW = 5; // beside a card
const SORTS = { probability: "surest first", date: "date", left: "word before", right: "word after", sense: "sense", source: "source" };

// A text with a word marked wherever it stands by itself.
function marked(text, word) {
  if (!word) return [text];
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "giu");
  const parts = [];
  let done = 0;
  for (const match of text.matchAll(found)) {
    parts.push(text.slice(done, match.index), h("b", {}, match[0]));
    done = match.index + match[0].length;
  }
  return [...parts, text.slice(done)];
}

// One line of running text, with its date and source.
export function sentence(line, { beside = "", posterior = line.posterior } = {}) {
  const source = [line.date, line.document ?? line.source].filter(Boolean).join(" · ");
  return h("li", { dir: "auto", title: `probability ${percent(posterior)}` }, marked(line.left, beside), h("mark", {}, line.match), marked(line.right, beside),
    source ? h("span", { class: "source" }, h("bdi", {}, source)) : null);
}

// The lines of a sense that have another word beside it, for a click on that word.
export async function linesWith(out, sense, word, href) {
  out.replaceChildren(h("p", { class: "quiet" }, "Looking …"));
  const found = await about("lines", "word", split(sense).word, { sense, beside: word, top: FEW }).catch((error) => ({ error }));
  const close = h("button", { type: "button", class: "small plain", "aria-label": "Close these lines", onclick: () => out.replaceChildren() }, "×");
  const told = found.error ? found.error.message : found.count ? plural(found.count, "line", "lines") : "No line";
  const head = h("p", { class: "row" }, h("span", {}, h("bdi", {}, told), found.error ? null : [" with ", h("b", {}, h("bdi", {}, word))]),
    h("span", { class: "actions" }, found.count > FEW ? h("a", { href: concordanceOf(sense, word) }, "All") : null,
      h("a", { href }, "Look up ", h("bdi", {}, word)), close));
  out.replaceChildren(head, h("ul", { class: "lines" }, (found.lines || []).map((line) => sentence(line, { beside: word, posterior: line.probability }))));
  say(`${told} with ${word}`);
}

const concordanceOf = (sense, beside) => link("senses", { word: split(sense).word, lines: 1, only: sense, beside });

// The concordance of a word; it is read when it is opened.
export function concordance(found, info, { lines, only = "", beside = "", year = "", source = "", sort = "" }) {
  const wanted = { sense: only, year, source, beside, sort };
  const [table, note] = [h("div", { class: "wide" }), h("p", { class: "quiet", role: "status" })];
  const all = h("a", { class: "button", id: "tsv", download: `${found.word}.tsv` }, "Download (TSV)");
  const more = h("button", { type: "button", class: "small", hidden: true, onclick: () => read(true) }, "More lines");
  let shown = 0;
  let turn = 0; // a late answer does not replace a newer one
  async function read(isMore = false) {
    const mine = ++turn;
    const fields = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
    all.setAttribute("href", file("concordance", found.word, fields));
    if (!isMore) note.textContent = "Looking …";
    const got = await about("lines", "word", found.word, { ...fields, start: isMore ? shown : 0, top: PAGE }).catch((error) => ({ error }));
    if (mine !== turn) return;
    if (got.error) return note.replaceChildren(h("span", { class: "error" }, got.error.message));
    shown = (isMore ? shown : 0) + got.lines.length;
    if (isMore) table.querySelector("tbody").append(...got.lines.map((line) => row(line, wanted.beside)));
    else table.replaceChildren(got.count ? grid(got.lines, wanted.beside) : "");
    note.replaceChildren(h("bdi", {}, got.count ? `${plural(got.count, "line", "lines")}, ${shown.toLocaleString("en")} shown` : "No line is like this."));
    more.hidden = shown >= got.count;
  }
  const set = (name, value) => {
    wanted[name] = value;
    history.replaceState(null, "", link("senses", Object.fromEntries(Object.entries({ word: found.word, lines: 1, only: wanted.sense, beside: wanted.beside,
      year: wanted.year, source: wanted.source, sort: wanted.sort }).filter(([, each]) => each))));
    read();
  };
  const senses = found.senses.map((each) => [each.sense, `#${split(each.sense).number} ${each.gist}`]);
  const near = h("input", { type: "text", id: "beside", maxlength: 200, dir: "auto", size: 12, oninput: later(() => set("beside", near.value.trim().toLowerCase()), 300) });
  near.value = beside;
  const out = h("details", { id: "lines", class: "concordance", open: Boolean(lines), ontoggle: () => out.open && !shown && read() },
    h("summary", {}, h("bdi", { dir: "ltr" }, info.has_examples ? "All lines with " : "Example lines with ", h("bdi", {}, found.word))),
    h("div", { class: "filters" }, choice("Sense", "only", senses, only, (value) => set("sense", value)),
      info.years.length ? choice("Year", "year", info.years.map((each) => [each, each]), year, (value) => set("year", value)) : null,
      info.sources.length ? choice("Source", "source", info.sources.map((each) => [each, each]), source, (value) => set("source", value)) : null,
      h("label", {}, "With ", near), choice("Sort by", "sort", Object.entries(SORTS).slice(1), sort, (value) => set("sort", value), SORTS.probability), all),
    note, table, more);
  return out;
}

function choice(title, name, options, chosen, pick, none = "all") {
  const select = h("select", { id: `lines-${name}`, onchange: () => pick(select.value) },
    [["", none], ...options].map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return h("label", {}, `${title} `, select);
}

const COLUMNS = ["Sense", "Before", "Word", "After", "Date", "Source"];

function grid(lines, beside) {
  return h("table", { class: "kwic" }, h("caption", { class: "hidden" }, "Lines with the word in the middle"),
    h("thead", { class: isNarrow() ? "hidden" : "" }, h("tr", {}, COLUMNS.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, lines.map((line) => row(line, beside))));
}

function row(line, beside) {
  const cells = [h("a", { href: target(line.sense), "aria-label": line.sense }, `#${split(line.sense).number}`),
    h("span", {}, h("bdi", {}, marked(line.left, beside))), h("mark", {}, line.match), h("span", {}, h("bdi", {}, marked(line.right, beside))),
    h("bdi", {}, line.date), h("bdi", {}, line.source)];
  return h("tr", { class: colour(line.sense), title: `${line.sense}: ${percent(line.probability)}` },
    cells.map((cell, i) => h("td", { class: COLUMNS[i].toLowerCase() }, cell)));
}
