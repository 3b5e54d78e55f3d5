// @ts-check
// The page's elements. Text from the gateway is only ever set as text, never as HTML.

/** @param {string} id
 * @returns {HTMLElement} */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Sets an element's text if it differs, so that a screen reader reads only what is new.
 * @param {string} id
 * @param {string} words */
export function text(id, words) {
  const found = element(id);
  if (found.textContent !== words) found.textContent = words;
}

/** @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Element | string)[]} content */
export function svg(name, attributes = {}, content = []) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, `${value}`);
  made.append(...content);
  return made;
}

/** @param {string} name
 * @param {(Element | string)[]} content
 * @param {string} className */
export function html(name, content = [], className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** The session's time as h:mm:ss.s.
 * @param {number} seconds */
export function clock(seconds) {
  const tenths = Math.floor(seconds * 10);
  const minutes = Math.floor(tenths / 600) % 60;
  const hours = Math.floor(tenths / 36000);
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return hours ? `${hours}:${`${minutes}`.padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
