// A text field that completes words as they are typed (the ARIA combobox pattern).

import { get } from "/static/api.js";
import { h } from "/static/dom.js";

export function completing(input, pick) {
  const list = h("ul", { class: "options", role: "listbox", id: `${input.id}-options`, "aria-label": "Words", hidden: true });
  const field = h("div", { class: "field" });
  input.replaceWith(field);
  field.append(input, list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
    "aria-controls": list.id, autocomplete: "off" })) input.setAttribute(name, value);
  let chosen = -1;
  let asked = 0;

  function close() {
    asked += 1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  }

  function choose(place) {
    chosen = place;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === place)));
    if (place < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[place].id);
    list.children[place].scrollIntoView({ block: "nearest" });
  }

  function take(word) {
    input.value = word;
    close();
    pick(word);
  }

  input.addEventListener("input", async () => {
    const prefix = input.value.trim();
    const mine = ++asked;
    if (!prefix) return close();
    const found = await get("complete", { prefix, top: 10 }).catch(() => ({ words: [] }));
    if (mine !== asked) return;
    list.replaceChildren(...found.words.map(({ word, senses }, i) => h("li", { role: "option", id: `${list.id}-${i}`,
      "aria-selected": "false", onmousedown: (event) => event.preventDefault(), onclick: () => take(word) },
      h("bdi", {}, word), h("span", { class: "quiet" }, senses === 1 ? "1 sense" : `${senses} senses`))));
    chosen = -1;
    input.removeAttribute("aria-activedescendant");
    list.hidden = found.words.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
  });

  input.addEventListener("keydown", (event) => {
    const n = list.children.length;
    if (event.key === "Escape") return close();
    if (list.hidden || n === 0) return;
    if (event.key === "ArrowDown") choose((chosen + 1) % n);
    else if (event.key === "ArrowUp") choose(chosen <= 0 ? n - 1 : chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen].firstChild.textContent);
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  return close;
}
