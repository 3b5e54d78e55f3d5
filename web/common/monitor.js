// @ts-check
// A serial monitor: what was sent and answered, a line to type into, and what was typed as a
// scenario. It needs no more of a page than an element, and somebody who sends its bytes.
import { html } from "./elements.js";

/** The most lines that are kept. */
const LINES_MAX = 10_000;
/** In pixels, as in monitor.css: only the lines that can be seen are elements. */
const ROW = 22;
/** The longest pause within a line, in seconds, and the most bytes of one. */
const PAUSE = 0.1;
const LENGTH_MAX = 128;
/** From this number of lines in a second on, a screen reader is only told how many there were. */
const FLOOD = 5;
const HISTORY_MAX = 100;
/** The most answers that a scenario requires. */
const ANSWERS_MAX = 20;
const KEY = "sentrybench-line-end";

/** What is added to a typed line, in the words of the Arduino IDE. */
export const LINE_ENDS = new Map([
  ["No line ending", ""], ["New line", "\n"], ["Carriage return", "\r"], ["Both NL & CR", "\r\n"],
]);

/** @typedef {"sent" | "answered" | "refused" | "reset"} Kind */
/** An entry of the log: seconds, its kind, and a text whose characters are the bytes.
 * @typedef {[number, Kind, string]} Entry */
/** @typedef {{ time: number, end: number, kind: Kind, text: string }} Line */
/** What a scenario must say of the session: `program` is the file of the chip's program,
 * `parts` is what is wired to the board. `isOurs`: whether its commands need no line end.
 * @typedef {{ sketch: string, device: string, program: string | null, baud: number,
 *   parts?: string[], isOurs?: boolean }} Subject */

/** The escapes of the command line, and the mistakes in them. */
export class Mistake extends Error {}

/** Returns a typed line as a text whose characters are the bytes.
 * @param {string} line */
export function typed(line) {
  let bytes = "";
  for (let i = 0; i < line.length; i += 1) {
    const c = line[i];
    if (c.charCodeAt(0) > 0xff) throw new Mistake(`${c} is not a byte: expected up to U+00FF`);
    if (c !== "\\") {
      bytes += c;
      continue;
    }
    i += 1;
    const plain = { n: "\n", r: "\r", t: "\t", "\\": "\\" }[line[i]];
    const digits = line.slice(i + 1, i + 3);
    if (plain !== undefined) bytes += plain;
    else if (line[i] === "x" && /^[0-9a-f]{2}$/i.test(digits)) {
      bytes += String.fromCharCode(parseInt(digits, 16));
      i += 2;
    } else {
      throw new Mistake("expected \\n, \\r, \\t, \\\\ or \\x with two hexadecimal digits after \\");
    }
  }
  return bytes;
}

/** @param {string} text whose characters are bytes */
export function toBytes(text) {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** How a person sees bytes: characters, and signs for the bytes that are none. Signs are spelt as
 * they are typed, because few fonts have those of Unicode.
 * @param {string} text whose characters are the bytes
 * @returns {{ text: string, isSign: boolean }[]} */
function pieces(text) {
  const bytes = toBytes(text);
  let words = text;
  let isText = true;
  try {
    words = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    isText = false;
  }
  /** @type {{ text: string, isSign: boolean }[]} */
  const found = [];
  for (const c of words) {
    const code = c.charCodeAt(0);
    const isSign = code < 0x20 || code === 0x7f || (code > 0x7f && (!isText || code < 0xa0));
    const sign = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[c]
      ?? `\\x${code.toString(16).padStart(2, "0")}`;
    const last = found.at(-1);
    if (last?.isSign === isSign) last.text += isSign ? sign : c;
    else found.push({ text: isSign ? sign : c, isSign });
  }
  return found;
}

/** @param {string} text whose characters are the bytes */
export function shown(text) {
  return pieces(text).map((piece) => piece.text).join("");
}

/** @param {string} text whose characters are the bytes */
export function hexadecimal(text) {
  return [...toBytes(text)].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
    .join(" ");
}

/** What is wrong with the line, as a sentence; empty if nothing is.
 * @param {number} baud the board's speed
 * @param {number} sender the sender's
 * @param {string | null} unanswered whose characters are the bytes */
export function trouble(baud, sender, unanswered) {
  // A small difference garbles nothing.
  if (Math.abs(baud - sender) > 0.03 * baud) {
    return `The speeds differ: the sender writes at ${sender} baud, the board listens at ${baud}.`;
  }
  return unanswered === null ? ""
    : `No answer for 5 s to ${shown(unanswered)} – commands like it were answered before.`;
}

/** A text in YAML's double quotes.
 * @param {string} text whose characters are bytes */
function quoted(text) {
  return `"${[...text].map((c) => {
    const code = c.charCodeAt(0);
    if (c === '"' || c === "\\") return `\\${c}`;
    if (c === "\n") return "\\n";
    if (c === "\r") return "\\r";
    return code >= 0x20 && code < 0x7f ? c : `\\x${code.toString(16).padStart(2, "0")}`;
  }).join("")}"`;
}

/** Makes a scenario that `sentrybench test` accepts of what was typed and set by hand. What the
 * sketch answered is what it must answer, unless that is more than a few lines.
 * @param {Subject} subject
 * @param {{ time: number, text?: string, input?: (string | number)[] }[]} actions
 * @param {Line[]} lines */
export function scenario(subject, actions, lines) {
  const { sketch, device, program, baud } = subject;
  const [first] = actions;
  // A long wait before the first byte would only be computed again.
  const before = Math.max(0, first.time - 2);
  const text = ["# Typed in the serial monitor.", `name: ${quoted(`${sketch}, by hand`)}`];
  const parts = new Set([...subject.parts ?? [], ...actions.flatMap(({ input }) =>
    input?.[0] === "part" ? [`${input[1]}`] : [])]);
  if (device === "model") text.push(`firmware: ${sketch}`);
  else {
    text.push("# The program's path is from this file's folder.");
    text.push(`device: ${quoted(`avr:${program ?? `${sketch}.elf`}`)}`);
  }
  if (parts.size) text.push(`options: {attach: [${[...parts].map(quoted).join(", ")}]}`);
  text.push(`baud: ${baud}`, "send:");
  for (const { time, text: bytes, input } of actions) {
    const values = input ? input.map((value, i) => (i === 1 ? quoted(`${value}`) : value))
      : [quoted(bytes ?? "")];
    text.push(`  - [${[Number((time - before).toFixed(6)), ...values].join(", ")}]`);
  }
  text.push("expect:", "  - never: lost");
  const answers = lines.filter(({ kind, time, text: line }) =>
    kind === "answered" && time >= first.time && /^[ -)+-~]+\r?\n$/.test(line));
  if (answers.length <= ANSWERS_MAX) {
    for (const { text: line } of answers) text.push(`  - tx: ${quoted(line.trimEnd())}`);
  }
  return `${text.join("\n")}\n`;
}

export class Monitor {
  /** @type {Line[]} */
  #lines = [];
  /** The number of the next entry of the log. */
  #next = 0;
  /** @type {{ time: number, text?: string, input?: (string | number)[] }[]} */
  #actions = [];
  /** @type {Subject | null} */
  #subject = null;
  /** @type {string[]} */
  #history = [];
  #place = 0;
  #isStale = true;
  /** What a screen reader has not been told yet, and how many lines that were. */
  #news = "";
  #newsCount = 0;

  #log = html("div", [], "log");
  #space = html("div");
  #rows = html("ol");
  #field = /** @type {HTMLInputElement} */ (html("input"));
  #lineEnd = /** @type {HTMLSelectElement} */ (html("select"));
  #hexadecimal = /** @type {HTMLInputElement} */ (html("input"));
  #save = /** @type {HTMLButtonElement} */ (html("button", ["Save as a scenario"]));
  #said = html("p", [], "said bad");
  #mistake = html("p", [], "said bad");
  #spoken = html("p", [], "unseen");

  /** @param {HTMLElement} root
   * @param {(bytes: Uint8Array) => void} send
   * @param {() => number} now the session's time in seconds */
  constructor(root, send, now) {
    this.send = send;
    this.now = now;
    this.#build(root);
    this.#log.addEventListener("scroll", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.#log);
    setInterval(() => this.#speak(), 1000);
  }

  /** @param {HTMLElement} root */
  #build(root) {
    this.#log.tabIndex = 0;
    for (const [name, value] of [
      ["role", "log"], ["aria-live", "off"], ["aria-label", "Sent and answered"]]) {
      this.#log.setAttribute(name, value);
    }
    for (const status of [this.#said, this.#mistake, this.#spoken]) {
      status.setAttribute("role", "status");
    }
    this.#space.append(this.#rows);
    this.#log.append(this.#space);
    this.#field.autocomplete = "off";
    this.#field.spellcheck = false;
    this.#field.autocapitalize = "off";
    this.#field.maxLength = 1000;
    for (const name of LINE_ENDS.keys()) this.#lineEnd.append(new Option(name));
    this.#hexadecimal.type = "checkbox";
    this.#save.type = "button";
    this.#save.disabled = true;
    const send = html("button", ["Send"], "primary");
    const form = /** @type {HTMLFormElement} */ (html("form", [
      html("label", [html("span", ["Line to send"]), this.#field], "wide"),
      html("label", [html("span", ["Line ending"]), this.#lineEnd]), send,
    ]));
    root.append(
      this.#spoken, this.#said, this.#log, form, this.#mistake,
      html("div", [html("label", [this.#hexadecimal, "Hexadecimal"]), this.#save], "tools"),
      html("p", ["\\n, \\r, \\t, \\\\ and \\x00 to \\xff stand for one byte each; the arrow keys "
        + "up and down bring back earlier lines."], "muted"));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    this.#field.onkeydown = (event) => this.#recall(event);
    this.#field.oninput = () => this.#mistake.replaceChildren();
    this.#lineEnd.onchange = () => {
      localStorage.setItem(`${KEY}:${this.#subject?.sketch}`, this.#lineEnd.value);
    };
    this.#hexadecimal.onchange = () => this.#changed();
    this.#save.onclick = () => this.#download();
  }

  /** Says whose lines these are. A line ending is remembered for each sketch.
   * @param {Subject} subject */
  describe(subject) {
    if (subject.sketch !== this.#subject?.sketch) {
      const usual = subject.device === "model" || subject.isOurs ? "No line ending" : "New line";
      const kept = localStorage.getItem(`${KEY}:${subject.sketch}`);
      this.#lineEnd.value = kept !== null && LINE_ENDS.has(kept) ? kept : usual;
    }
    this.#subject = subject;
  }

  /** Takes entries of the log, of which `from` is the first one's number. Those that it has already
   * are left out. `isNew`: they are another session's, or follow a rewind.
   * @param {{ from: number, entries: Entry[] }} log */
  take({ from, entries }, isNew = false) {
    if (isNew) {
      this.#lines = [];
      this.#actions = [];
      this.#next = from;
      this.#save.disabled = true;
    }
    for (const [time, kind, text] of entries.slice(Math.max(0, this.#next - from))) {
      this.#add(time, kind, text);
    }
    this.#next = Math.max(this.#next, from + entries.length);
    if (entries.length || isNew) this.#changed();
  }

  /** Forgets what came after a moment to which the session was rewound.
   * @param {number} time in seconds
   * @param {number} next the number of the next entry */
  rewind(time, next) {
    this.#lines = this.#lines.filter((line) => line.time <= time);
    this.#actions = this.#actions.filter((action) => action.time <= time);
    this.#save.disabled = !this.#actions.some(({ text }) => text !== undefined);
    this.#next = next;
    this.#changed();
  }

  /** @param {number} time
   * @param {Kind} kind
   * @param {string} text */
  #add(time, kind, text) {
    const last = this.#lines.at(-1);
    if (last?.kind === kind && !last.text.endsWith("\n") && time - last.end < PAUSE
      && last.text.length + text.length <= LENGTH_MAX && (kind === "sent" || kind === "answered")) {
      last.text += text;
      last.end = time;
    } else {
      this.#lines.push({ time, end: time, kind, text });
      if (this.#lines.length > LINES_MAX * 1.1) this.#lines.splice(0, LINES_MAX * 0.1);
    }
    if (kind !== "answered") return;
    this.#newsCount += 1;
    this.#news = text;
  }

  /** Says what is wrong with the line; nothing if the words are empty.
   * @param {string} words */
  say(words) {
    if (this.#said.textContent !== words) this.#said.textContent = words;
  }

  /** Notes an input of the board for a scenario.
   * @param {(string | number)[]} input */
  note(input) {
    this.#actions.push({ time: this.now(), input });
  }

  /** Sends bytes as if they had been typed.
   * @param {string} text whose characters are the bytes */
  act(text) {
    if (text === "") return;
    this.#actions.push({ time: this.now(), text });
    this.#save.disabled = false;
    this.send(toBytes(text));
  }

  #submit() {
    const line = this.#field.value;
    try {
      this.act(typed(line) + (LINE_ENDS.get(this.#lineEnd.value) ?? ""));
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      this.#mistake.textContent = `Not sent: ${error.message}.`;
      return;
    }
    if (line !== "" && this.#history.at(-1) !== line) this.#history.push(line);
    if (this.#history.length > HISTORY_MAX) this.#history.shift();
    this.#place = this.#history.length;
    this.#field.value = "";
  }

  /** @param {KeyboardEvent} event */
  #recall(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#place = Math.min(Math.max(0, this.#place + step), this.#history.length);
    this.#field.value = this.#history[this.#place] ?? "";
  }

  #download() {
    if (!this.#subject || !this.#actions.length) return;
    const yaml = scenario(this.#subject, this.#actions, this.#lines);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
    link.download = `${this.#subject.sketch}-by-hand.yaml`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  #changed() {
    if (this.#isStale) return;
    this.#isStale = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#isStale = false;
    const log = this.#log;
    const isAtEnd = log.scrollTop + log.clientHeight >= this.#space.offsetHeight - ROW / 2;
    const lines = this.#lines.slice(-LINES_MAX);
    this.#space.style.height = `${lines.length * ROW}px`;
    if (isAtEnd) log.scrollTop = log.scrollHeight;
    const first = Math.max(0, Math.floor(log.scrollTop / ROW) - 2);
    const count = Math.ceil(log.clientHeight / ROW) + 4;
    this.#rows.style.top = `${first * ROW}px`;
    this.#rows.replaceChildren(...lines.slice(first, first + count).map((line) => this.#row(line)));
  }

  /** @param {Line} line */
  #row({ time, kind, text }) {
    const signs = { sent: "→", answered: "←", refused: "✗", reset: "↻" };
    const sign = html("span", [signs[kind]], "way");
    sign.setAttribute("aria-hidden", "true");
    const words = kind === "reset" ? ["the board restarted"]
      : this.#hexadecimal.checked ? [hexadecimal(text)]
        : pieces(text).map((piece) => (piece.isSign ? html("i", [piece.text]) : piece.text));
    return html("li", [
      html("span", [time.toFixed(3)], "at"), sign, html("span", [`${kind}: `], "unseen"),
      html("code", words),
    ], kind);
  }

  /** Tells a screen reader the last answer, or of a flood how many there were. */
  #speak() {
    if (!this.#newsCount) return;
    this.#spoken.textContent = this.#newsCount < FLOOD ? `answered: ${shown(this.#news)}`
      : `${this.#newsCount} answers`;
    this.#newsCount = 0;
  }
}
