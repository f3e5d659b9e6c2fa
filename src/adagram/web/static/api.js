// Questions to the server; answers are kept while the page is open, until an editor's decision changes them.

const kept = new Map();
let chosen = ""; // the resolution that all views show; "" is the server's own

export const resolution = () => chosen;
export function setResolution(value) {
  chosen = value === undefined ? "" : String(value);
}
const level = () => (chosen ? { resolution: chosen } : {});

async function answer(path, options, isBytes) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer; is adagram serve still running?");
  }
  if (isBytes && response.ok) return response.arrayBuffer();
  const value = await response.json().catch(() => ({ error: response.status === 503 ? "The server is busy; try again in a moment." : `The server answered ${response.status}.` }));
  if (!response.ok) throw Object.assign(new Error(value.error), { near: value.near, status: response.status });
  return value;
}

export async function get(route, fields = {}) {
  const path = `/api/${route}?${new URLSearchParams(fields)}`;
  if (!kept.has(path)) kept.set(path, await answer(path));
  return kept.get(path);
}

// An answer in binary form.
export async function bytes(route) {
  const path = `/api/${route}?${new URLSearchParams(level())}`;
  if (!kept.has(path)) kept.set(path, await answer(path, {}, true));
  return kept.get(path);
}

// Browsers take "." and ".." out of paths, so such words go into the query.
export function address(route, name, value) {
  if (/^\.{1,2}$/.test(value)) return { route: `${route}/`, fields: { [name]: value, ...level() } };
  return { route: `${route}/${encodeURIComponent(value)}`, fields: level() };
}

export function about(route, name, value, fields = {}) {
  const asked = address(route, name, value);
  return get(asked.route, { ...fields, ...asked.fields });
}

// The address of a file about a word.
export function file(route, word, fields = {}) {
  const asked = address(route, "word", word);
  return `/api/${asked.route}?${new URLSearchParams({ ...fields, ...asked.fields })}`;
}

// Half of a surrogate pair, as a cut text may have it, is not text.
const whole = (_, value) => (typeof value === "string" && value.toWellFormed ? value.toWellFormed() : value);

export function post(route, fields, headers = {}) {
  return answer(`/api/${route}?${new URLSearchParams(level())}`, { method: "POST", body: JSON.stringify(fields, whole), headers });
}

export function forget() {
  kept.clear();
}
