// @ts-check
// A dial for each servo: 0° on the left, 180° on the right.
import { element, html, svg } from "./elements.js";

/** @typedef {{ pin: string | null, label: string | null, commanded: number, pulse: number | null,
 *   pulse_degrees: number | null, shaft: number | null, moving: boolean }} Servo */

const RADIUS = 100;
const X = 150;
const Y = 141;
/** The labels are outside the rim and the mark of the commanded angle, so that nothing covers
 * them. */
const LABELS = RADIUS + 29;
/** From this number of servos on, dials are small, and the legend explains their figures. */
const MANY = 5;

/** A point on the dial.
 * @param {number} degrees
 * @param {number} radius
 * @returns {[number, number]} */
function point(degrees, radius) {
  const angle = ((180 - degrees) * Math.PI) / 180;
  return [X + radius * Math.cos(angle), Y - radius * Math.sin(angle)];
}

/** @param {number} from
 * @param {number} to
 * @param {number} radius */
function arc(from, to, radius) {
  const [a, b] = from < to ? [from, to] : [to, from];
  const ends = [point(a, radius), point(b, radius)].map((end) => end.join(" "));
  return `M${ends[0]}A${radius} ${radius} 0 0 1 ${ends[1]}`;
}

class Dial {
  #way = svg("path", { class: "way" });
  #pulse = svg("line", { class: "pulse", x1: X, y1: Y });
  #shaft = svg("line", { class: "shaft", x1: X, y1: Y });
  #commanded = svg("path", { class: "commanded" });
  #picture = svg("svg", { viewBox: "0 0 300 152", role: "img" });
  #caption = html("figcaption");
  node = html("figure", [], "dial");
  #shown = "";

  constructor() {
    const scale = [svg("path", { class: "scale", d: arc(0, 180, RADIUS) })];
    for (let degrees = 0; degrees <= 180; degrees += 10) {
      const [x1, y1] = point(degrees, RADIUS);
      const [x2, y2] = point(degrees, RADIUS - (degrees % 30 ? 5 : 9));
      scale.push(svg("line", { class: "scale", x1, y1, x2, y2 }));
      if (degrees % 30) continue;
      // Labels are wider than high, so those at the sides need more distance.
      const [x, y] = point(degrees, LABELS + 5 * Math.abs(Math.cos((degrees * Math.PI) / 180)));
      scale.push(svg("text", { x, y: y + 4 }, [`${degrees}`]));
    }
    this.#picture.append(
      ...scale, this.#way, this.#pulse, this.#shaft, this.#commanded,
      svg("circle", { class: "hub", cx: X, cy: Y, r: 6, fill: "currentColor" }));
    this.node.append(this.#picture, this.#caption);
  }

  /** @param {Servo} servo
   * @param {boolean} isSmall whether its figures have no words, which the legend explains */
  show(servo, isSmall) {
    const key = JSON.stringify([servo, isSmall]);
    if (key === this.#shown) return;
    this.#shown = key;
    const { commanded, shaft } = servo;
    const [left, right, tip] = [
      point(commanded - 3, RADIUS + 14), point(commanded + 3, RADIUS + 14),
      point(commanded, RADIUS + 2)];
    this.#commanded.setAttribute("d", `M${left}L${right}L${tip}Z`);
    hand(this.#pulse, servo.pulse_degrees, RADIUS - 4);
    hand(this.#shaft, shaft, RADIUS - 14);
    this.#way.setAttribute("d", shaft === null ? "" : arc(shaft, commanded, RADIUS));
    /** @type {[string, string][]} */
    const figures = [["commanded", `${commanded}°`]];
    if (servo.pulse !== null) figures.push(["pulse", `${servo.pulse} µs`]);
    figures.push(["shaft", shaft === null ? "unknown" : `${Math.round(shaft)}°`]);
    const name = servo.label === null ? "Servo" : `Servo ${servo.label}`;
    const words = figures.map((figure) => figure.join(" "));
    this.#picture.setAttribute("aria-label", `${name}: ${words.join(", ")}`);
    const spans = figures.map(([kind, value], index) =>
      isSmall ? html("span", [html("span", [], `key ${kind}`), value])
        : html("span", [words[index]]));
    if (servo.label !== null) spans.unshift(html("span", [servo.label], "name"));
    this.#caption.replaceChildren(...spans);
  }
}

/** @param {Element} line
 * @param {number | null} degrees
 * @param {number} radius */
function hand(line, degrees, radius) {
  line.toggleAttribute("hidden", degrees === null);
  if (degrees === null) return;
  const [x, y] = point(degrees, radius);
  line.setAttribute("x2", `${x}`);
  line.setAttribute("y2", `${y}`);
}

/** @type {Map<string, Dial>} */
const dials = new Map();

/** @param {Servo[]} servos */
export function showDials(servos) {
  element("still").hidden = servos.length > 0;
  const isSmall = servos.length >= MANY;
  element("dials").classList.toggle("many", isSmall);
  const names = servos.map((servo) => servo.pin ?? "");
  for (const [name, dial] of dials) {
    if (names.includes(name)) continue;
    dial.node.remove();
    dials.delete(name);
  }
  for (const servo of servos) {
    const name = servo.pin ?? "";
    let dial = dials.get(name);
    if (!dial) {
      dial = new Dial();
      dials.set(name, dial);
      element("dials").append(dial.node);
    }
    dial.show(servo, isSmall);
  }
}
