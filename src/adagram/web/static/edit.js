// An editor's decisions. The link that adagram serve --edit prints brings the token; it leaves the address at once.

import { forget, get, post } from "/static/api.js";
import { h, percent, say, split } from "/static/dom.js";

const NAME = "adagram-edit";
let news = ""; // what the last decision changed
let picked = null; // the sense that waits for another to be merged with

export function takeToken() {
  const fields = new URLSearchParams(location.hash.slice(1));
  if (!fields.has("edit")) return;
  sessionStorage.setItem(NAME, fields.get("edit"));
  fields.delete("edit");
  history.replaceState(null, "", `${location.pathname}#${fields}`);
}

// null if this page only shows; `last` is the decision that undo takes back.
export async function editing() {
  const { is_on: isOn, last } = await get("edit");
  return isOn && sessionStorage.getItem(NAME) ? { last } : null;
}

async function decide(fields, told) {
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true"); // one decision after the other
  pick(null);
  try {
    await post("edit", fields, { "X-Adagram-Edit": sessionStorage.getItem(NAME) });
    news = told;
  } catch (error) {
    const out = document.getElementById("edit-error");
    return out.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  } finally {
    forget();
    main.removeAttribute("aria-busy");
  }
  say(told);
  window.dispatchEvent(new Event("hashchange"));
}

export function toolbar({ last }, isFine, list) {
  list.addEventListener("keydown", (event) => event.key === "Escape" && pick(null));
  const undo = h("button", { type: "button", class: "small", id: "undo", disabled: !last,
    onclick: () => decide({ verb: "undo", last }, `Undone: ${last}.`) }, last ? `Undo: ${last}` : "Nothing to undo");
  const told = news;
  news = "";
  const help = isFine ? "Drag a card on another to merge them, or use the buttons of a card." : "Move the resolution to fine to edit: decisions are about senses as learned.";
  return h("div", { class: "panel edit", role: "group", "aria-label": "Editing" },
    h("div", { class: "actions" }, h("strong", {}, "Editing"), h("span", { id: "news" }, told || help), undo), h("div", { id: "edit-error" }));
}

// Choose a sense for merging: every other card then offers to take it.
function pick(sense) {
  picked = sense;
  document.querySelectorAll(".card").forEach((card) => {
    const button = card.querySelector("button[name=merge]");
    if (!button) return;
    const own = card.dataset.sense;
    card.classList.toggle("picked", Boolean(sense) && own === sense.sense);
    button.textContent = !sense ? "Merge …" : own === sense.sense ? "Cancel" : `Merge #${split(sense.sense).number} into this`;
  });
  if (sense) say(`${sense.sense} is chosen; go to another card and press its merge button`);
}

function merge(one, other) {
  if (one.sense === other.sense) return pick(null);
  return decide({ verb: "merge", senses: [other.sense, one.sense] },
    `Merged ${one.sense} (${percent(one.prior)}) and ${other.sense} (${percent(other.prior)}): together ${percent(one.prior + other.prior)} of the uses.`);
}

// What a sense is about; an editor can write another label in its place.
export function title(sense, edit) {
  const shown = h("span", { class: "gist" }, sense.gist);
  if (!edit) return shown;
  const field = h("input", { type: "text", name: "label", maxlength: 200, placeholder: sense.gist, hidden: true, dir: "auto", "aria-label": `Label of ${sense.sense}`,
    onclick: (event) => event.preventDefault(), onkeyup: (event) => event.key === " " && event.preventDefault(),
    onkeydown: (event) => {
      if (event.key === "Enter") decide({ verb: "label", senses: [sense.sense], label: field.value }, `Labelled ${sense.sense}: ${field.value || "its own words again"}.`);
      else if (event.key !== "Escape") return;
      event.preventDefault();
      [field.hidden, shown.hidden] = [true, false];
    } });
  field.value = sense.is_labelled ? sense.label : "";
  return [shown, field];
}

// The buttons of a card, and a card that can be dragged on another.
export function controls(sense) {
  const card = (event) => event.currentTarget.closest(".card");
  const rename = (event) => {
    const [shown, field] = [".gist", "input[name=label]"].map((name) => card(event).querySelector(name));
    [shown.hidden, field.hidden] = [true, false];
    field.focus();
  };
  const out = h("span", { class: "actions edit" },
    h("button", { type: "button", class: "small", name: "merge", onclick: () => (picked ? merge(picked, sense) : pick(sense)) }, "Merge …"),
    h("button", { type: "button", class: "small", name: "rename", "aria-label": `Label ${sense.sense}`, onclick: rename }, "Label"),
    h("button", { type: "button", class: "small", name: "hide", "aria-label": `Hide ${sense.sense}`,
      onclick: () => decide({ verb: "hide", senses: [sense.sense] }, `Hidden ${sense.sense}, ${percent(sense.prior)} of the uses: the others share them.`) }, "Hide"));
  queueMicrotask(() => draggable(out.closest(".card"), sense));
  return out;
}

function draggable(card, sense) {
  card.draggable = true;
  const over = (is) => card.classList.toggle("over", is);
  card.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/plain", sense.sense);
    event.dataTransfer.effectAllowed = "move";
    picked = sense;
  });
  card.addEventListener("dragend", () => { picked = null; });
  card.addEventListener("dragover", (event) => {
    if (!picked || picked.sense === sense.sense) return;
    event.preventDefault();
    over(true);
  });
  card.addEventListener("dragleave", () => over(false));
  card.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    if (picked) merge(picked, sense);
  });
}
