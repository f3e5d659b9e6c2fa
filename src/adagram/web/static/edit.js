// An editor's decisions. The link that adagram serve --edit prints brings the token; it leaves the address at once.

import { forget, get, post } from "/static/api.js";
import { h, say } from "/static/dom.js";

const NAME = "adagram-edit";

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

async function decide(fields, out) {
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true"); // one decision after the other
  say("Writing");
  try {
    await post("edit", fields, { "X-Adagram-Edit": sessionStorage.getItem(NAME) });
  } catch (error) {
    return out.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  } finally {
    forget();
    main.removeAttribute("aria-busy");
  }
  say("Done");
  window.dispatchEvent(new Event("hashchange"));
}

export function toolbar({ last }, list) {
  const out = h("div", {});
  const chosen = () => [...list.querySelectorAll("input[name=merge]:checked")].map((box) => box.value);
  const merge = h("button", { type: "button", class: "small", id: "merge", disabled: true,
    onclick: () => decide({ verb: "merge", senses: chosen() }, out) }, "Merge chosen senses");
  list.addEventListener("change", () => {
    merge.disabled = chosen().length < 2;
    merge.textContent = chosen().length < 2 ? "Merge chosen senses" : `Merge ${chosen().length} senses`;
  });
  const undo = h("button", { type: "button", class: "small", id: "undo", disabled: !last, onclick: () => decide({ verb: "undo", last }, out) },
    last ? `Undo: ${last}` : "Nothing to undo");
  return h("div", { class: "panel edit", role: "group", "aria-label": "Editing" },
    h("div", { class: "actions" }, h("strong", {}, "Editing"), merge, undo), out);
}

export function controls(sense) {
  const out = h("div", {});
  const field = h("input", { type: "text", name: "label", maxlength: 200, placeholder: sense.gist,
    "aria-label": `Label of ${sense.sense}` });
  field.value = sense.is_labelled ? sense.label : "";
  return h("form", { class: "edit actions", onsubmit: (event) => {
    event.preventDefault();
    decide({ verb: "label", senses: [sense.sense], label: field.value }, out);
  } }, field, h("button", { type: "submit", class: "small" }, "Save label"),
    h("button", { type: "button", class: "small", "aria-label": `Hide ${sense.sense}`,
      onclick: () => decide({ verb: "hide", senses: [sense.sense] }, out) }, "Hide"),
    h("label", {}, h("input", { type: "checkbox", name: "merge", value: sense.sense,
      "aria-label": `Choose ${sense.sense} for merging` }), " merge"), out);
}
