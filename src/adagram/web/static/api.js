// Questions to the server; answers about words are kept while the page is open.

const kept = new Map();

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer; is adagram serve still running?");
  }
  const value = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw Object.assign(new Error(value.error), { near: value.near });
  return value;
}

export async function get(route, fields = {}) {
  const path = `/api/${route}?${new URLSearchParams(fields)}`;
  if (!kept.has(path)) kept.set(path, await answer(path));
  return kept.get(path);
}

// Browsers take "." and ".." out of paths, so such words go into the query.
export function about(route, name, value, fields = {}) {
  if (/^\.{1,2}$/.test(value)) return get(`${route}/`, { ...fields, [name]: value });
  return get(`${route}/${encodeURIComponent(value)}`, fields);
}

export function post(route, fields) {
  return answer(`/api/${route}`, { method: "POST", body: JSON.stringify(fields) });
}
