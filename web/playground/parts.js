// @ts-check
// Helpers that every part of the page uses.

/**
 * Returns an element that the page must have.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function part(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element of a picture.
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} text
 */
export function shape(name, attributes = {}, text = '') {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

/**
 * Shows a message to the user. Screen readers read it, too.
 * @param {string} text
 * @param {boolean} isTrouble
 */
export function say(text, isTrouble = false) {
  const box = part('message', HTMLElement);
  box.textContent = text;
  box.classList.toggle('bad', isTrouble);
  box.hidden = text === '';
}

/**
 * Saves bytes as a file.
 * @param {string} name
 * @param {string} type
 * @param {Uint8Array} bytes
 */
export function save(name, type, bytes) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
