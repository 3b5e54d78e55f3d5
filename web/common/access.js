// @ts-check
// The token, and the addresses of the gateway that served this page.

const KEY = "sentrybench-token";

/** Takes the token from the address's fragment, which the browser never sends, and removes it from
 * the address.
 * @returns {string} */
function initialToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    sessionStorage.setItem(KEY, given);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

let token = initialToken();

export function hasToken() {
  return token !== "";
}

/** @param {string} text */
export function setToken(text) {
  token = text.trim();
  sessionStorage.setItem(KEY, token);
}

/** Returns the address of a WebSocket.
 * @param {string} path
 * @param {Record<string, string>} items */
export function socketAddress(path, items) {
  const url = new URL(path, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  for (const [name, value] of Object.entries(items)) url.searchParams.set(name, value);
  if (token !== "") url.searchParams.set("token", token);
  // The gateway does not decode a plus sign as a space.
  url.search = url.search.replaceAll("+", "%20");
  return url.href;
}

/** Requests something from the gateway.
 * @param {string} path */
export function get(path) {
  /** @type {Record<string, string>} */
  const headers = token === "" ? {} : { Authorization: `Bearer ${token}` };
  return fetch(path, { headers, cache: "no-store" });
}
