// @ts-check
// The board's pins as lamps, what is applied to it as switches and sliders, and the commands of a
// profile as forms.
import { html } from "./elements.js";

/** How long a lamp is lit at least, in milliseconds, so that a short pulse can be seen. */
const FLASH = 300;
/** The steps of a slider. */
const STEPS = 200;
/** The pins that can be inputs. */
const PINS = [...Array.from({ length: 12 }, (_, i) => `D${i + 2}`),
  ...Array.from({ length: 6 }, (_, i) => `A${i}`)];

/** `high` is null until the level is known; `changes` counts its changes.
 * @typedef {{ pin: string, name: string | null, high: boolean | null, changes: number }} BoardPin
 */
/** @typedef {{ kind: "set" | "analog" | "part", target: string, name: string | null,
 *   value: number | null, low: number, high: number }} BoardInput */
/** A byte, a checksum or a number of a command.
 * @typedef {{ byte: number } | { checksum: string, hexadecimal: boolean, first: number,
 *   last: number } | { name: string, as: string, low: number, high: number, decimals: number,
 *   width: number }} Part */
/** @typedef {{ text: string, parts: Part[] }} Form */

export class Lamps {
  /** @type {Map<string, { item: HTMLElement, high: boolean, changes: number, until: number }>} */
  #lamps = new Map();
  /** Whether pins were shown before: a pin that joins them has made all its changes since. */
  #isBegun = false;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
  }

  /** @param {BoardPin[]} pins */
  show(pins) {
    const names = pins.map(({ pin }) => pin);
    for (const [pin, { item }] of this.#lamps) {
      if (names.includes(pin)) continue;
      item.remove();
      this.#lamps.delete(pin);
    }
    for (const { pin, name, high, changes } of pins) {
      let lamp = this.#lamps.get(pin);
      if (!lamp) {
        const light = html("span", [], "lamp");
        const label = name === null ? pin : `${name} ${pin}`;
        const item = html("li", [light, html("span", [label]), html("span", [], "level muted")]);
        lamp = { item, high: false, changes: this.#isBegun ? 0 : changes, until: 0 };
        this.#lamps.set(pin, lamp);
        this.list.append(item);
      }
      const { item } = lamp;
      // Two changes are a pulse, of which only the end is seen.
      const isPulse = !high && changes - lamp.changes > 1;
      lamp.changes = changes;
      lamp.high = high === true;
      if (high || isPulse) {
        item.classList.add("lit");
        lamp.until = performance.now() + FLASH;
      }
      const level = item.lastElementChild;
      const words = high === null ? "no change yet" : high ? "high" : "low";
      if (level && level.textContent !== words) level.textContent = words;
      if (!high) setTimeout(() => this.#darken(pin), lamp.until - performance.now());
    }
    this.#isBegun = true;
  }

  /** @param {string} pin */
  #darken(pin) {
    const lamp = this.#lamps.get(pin);
    if (!lamp || lamp.high || performance.now() < lamp.until - 1) return;
    lamp.item.classList.remove("lit");
  }
}

export class Inputs {
  /** @type {Map<string, { node: HTMLElement, show: (value: number | null) => void }>} */
  #inputs = new Map();
  /** The inputs that the user has added, until the session knows them.
   * @type {BoardInput[]} */
  #added = [];
  /** @type {BoardInput[]} */
  #known = [];

  /** @param {HTMLElement} root
   * @param {(input: (string | number)[]) => void} set */
  constructor(root, set) {
    this.root = root;
    this.set = set;
    const pin = /** @type {HTMLSelectElement} */ (html("select"));
    for (const name of PINS) pin.append(new Option(name));
    const kind = /** @type {HTMLSelectElement} */ (html("select"));
    kind.append(new Option("switch", "set"), new Option("voltage", "analog"));
    const button = /** @type {HTMLButtonElement} */ (html("button", ["Add an input"]));
    button.type = "button";
    button.onclick = () => this.#add(pin.value, kind.value === "set" ? "set" : "analog");
    this.list = html("div", [], "inputs");
    root.append(this.list, html("div", [
      html("label", [html("span", ["Pin"]), pin]), html("label", [html("span", ["Kind"]), kind]),
      button,
    ], "command"));
  }

  /** @param {string} target
   * @param {"set" | "analog"} kind */
  #add(target, kind) {
    this.#added = [
      ...this.#added.filter((input) => input.target !== target),
      { kind, target, name: null, value: null, low: 0, high: kind === "set" ? 1 : 5 }];
    this.show(this.#known);
  }

  /** @param {BoardInput[]} known */
  show(known) {
    this.#known = known;
    const inputs = [
      ...known, ...this.#added.filter(({ kind, target }) =>
        !known.some((input) => input.target === target && input.kind === kind))];
    const keys = inputs.map(({ kind, target }) => `${kind} ${target}`);
    for (const [key, { node }] of this.#inputs) {
      if (keys.includes(key)) continue;
      node.remove();
      this.#inputs.delete(key);
    }
    inputs.forEach((input, i) => {
      let made = this.#inputs.get(keys[i]);
      if (!made) {
        made = input.kind === "set" ? this.#switch(input) : this.#slider(input);
        this.#inputs.set(keys[i], made);
        this.list.append(made.node);
      }
      made.show(input.value);
    });
  }

  /** @param {BoardInput} input */
  #switch({ target, name }) {
    const node = html("button", [name === null ? target : `${name} ${target}`]);
    /** @type {HTMLButtonElement} */ (node).type = "button";
    let isHigh = false;
    node.onclick = () => this.set(["set", target, isHigh ? 0 : 1]);
    /** @param {number | null} value */
    const show = (value) => {
      isHigh = value === 1;
      node.setAttribute("aria-pressed", `${isHigh}`);
    };
    return { node, show };
  }

  /** @param {BoardInput} input */
  #slider({ kind, target, name, low, high }) {
    const slider = /** @type {HTMLInputElement} */ (html("input"));
    const step = (high - low) / STEPS;
    Object.assign(slider, { type: "range", min: `${low}`, max: `${high}`, step: `${step}` });
    const output = html("output");
    const node = html("label", [html("span", [name === null ? target : `${target}, ${name}`]),
      slider, output]);
    const unit = kind === "analog" ? " V" : "";
    slider.oninput = () => {
      output.textContent = `${slider.valueAsNumber}${unit}`;
      this.set([kind, target, slider.valueAsNumber]);
    };
    /** @param {number | null} value */
    const show = (value) => {
      if (document.activeElement === slider) return;
      slider.value = `${value ?? low}`;
      output.textContent = value === null ? "not set yet" : `${value}${unit}`;
    };
    return { node, show };
  }
}

/** @param {Extract<Part, { checksum: string }>} part
 * @param {number[]} bytes those before it */
function checksum({ checksum: kind, hexadecimal, first, last }, bytes) {
  const start = Math.min(Math.max(first - 1, 0), bytes.length);
  const end = Math.min(last < 0 ? bytes.length + 1 + last : last, bytes.length);
  const covered = bytes.slice(start, Math.max(start, end));
  const sum = covered.reduce((sum, byte) => (kind === "xor" ? sum ^ byte : sum + byte), 0);
  const value = { complement: ~sum, negative: -sum }[kind] ?? sum;
  if (!hexadecimal) return [value & 0xff];
  const digits = (value & 0xff).toString(16).toUpperCase().padStart(2, "0");
  return [...digits].map((c) => c.charCodeAt(0));
}

/** @param {Extract<Part, { as: string }>} part
 * @param {number} value a whole number; with decimals, in units of the last one */
function number({ as, low, high, decimals, width }, value) {
  const whole = Math.min(Math.max(Math.round(value), low), high);
  switch (as) {
    case "u8": case "i8": return [whole & 0xff];
    case "u16le": case "i16le": return [whole & 0xff, (whole >> 8) & 0xff];
    case "u16be": case "i16be": return [(whole >> 8) & 0xff, whole & 0xff];
    default: {
      const sign = whole < 0 ? "-" : "";
      const least = Math.max(width - sign.length, decimals + 1);
      let digits = `${Math.abs(whole)}`.padStart(least, "0");
      if (decimals) digits = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      return [...sign + digits].map((c) => c.charCodeAt(0));
    }
  }
}

/** Makes a command of a profile, as a text whose characters are the bytes.
 * @param {Part[]} parts
 * @param {number[]} values one for each number */
export function command(parts, values) {
  /** @type {number[]} */
  const bytes = [];
  let index = 0;
  for (const part of parts) {
    if ("byte" in part) bytes.push(part.byte);
    else if ("checksum" in part) bytes.push(...checksum(part, bytes));
    else bytes.push(...number(part, values[index++]));
  }
  return String.fromCharCode(...bytes);
}

/** Shows a form for each command of a profile.
 * @param {HTMLElement} root
 * @param {Form[]} forms
 * @param {(text: string) => void} send a command, as a text whose characters are the bytes */
export function showForms(root, forms, send) {
  root.replaceChildren(...forms.map(({ text, parts }) => {
    const fields = parts.flatMap((part) => {
      if (!("as" in part)) return [];
      const scale = 10 ** part.decimals;
      const field = /** @type {HTMLInputElement} */ (html("input"));
      Object.assign(field, {
        type: "number", required: true, min: `${part.low / scale}`, max: `${part.high / scale}`,
        step: `${1 / scale}`, value: `${Math.round((part.low + part.high) / 2) / scale}`,
      });
      return [{ field, scale, label: html("label", [
        html("span", [`${part.name}, ${field.min} to ${field.max}`]), field]) }];
    });
    const button = html("button", ["Send"]);
    button.setAttribute("aria-label", `Send ${text}`);
    const form = /** @type {HTMLFormElement} */ (html("form", [
      html("code", [text]), ...fields.map(({ label }) => label), button], "command"));
    form.onsubmit = (event) => {
      event.preventDefault();
      send(command(parts, fields.map(({ field, scale }) => field.valueAsNumber * scale)));
    };
    return form;
  }));
}
