// @ts-check
// The last minute: the commanded angle and the shaft's angle.
import { element } from "../common/elements.js";

const LENGTH = 60;
/** The approximate time between two messages, in seconds. */
const STEP = 0.04;
/** The height of a servo's curve and of its row, in pixels. With many servos, rows are low and
 * have their names on the left. */
const ROW = { curve: 110, height: 144 };
const LOW_ROW = { curve: 30, height: 44 };
const MANY = 4;

/** @typedef {{ commanded: [number, number][], shaft: [number, number][] }} Track */

export class Minute {
  /** @type {Map<string, Track>} */
  #tracks = new Map();
  /** The servos' labels by their pins.
   * @type {Map<string, string>} */
  #labels = new Map();
  /** The times of refusals.
   * @type {number[]} */
  #refusals = [];
  #canvas = /** @type {HTMLCanvasElement} */ (element("line"));

  /** @param {Partial<State>} message
   * @param {State} state */
  take(message, state) {
    if (message.history) {
      this.#tracks.clear();
      for (const [time, degrees, pin] of message.history) {
        this.#track(pin).commanded.push([time, degrees]);
      }
    }
    for (const servo of message.servos ?? []) {
      this.#labels.set(servo.pin ?? "", servo.label ?? "");
      const track = this.#track(servo.pin);
      if (track.commanded.at(-1)?.[1] !== servo.commanded) {
        track.commanded.push([state.time, servo.commanded]);
      }
      if (servo.shaft === null) continue;
      // If there was no message, the shaft did not move.
      const last = track.shaft.at(-1);
      if (last && state.time - last[0] > STEP) track.shaft.push([state.time - STEP, last[1]]);
      track.shaft.push([state.time, servo.shaft]);
    }
    this.#refusals = state.refusals.map((refusal) => refusal.time);
    const start = state.time - LENGTH;
    for (const track of this.#tracks.values()) {
      forget(track.commanded, start);
      forget(track.shaft, start);
    }
  }

  /** @param {string | null} pin
   * @returns {Track} */
  #track(pin) {
    let track = this.#tracks.get(pin ?? "");
    if (!track) {
      track = { commanded: [], shaft: [] };
      this.#tracks.set(pin ?? "", track);
    }
    return track;
  }

  /** @param {number} now the session's time */
  draw(now) {
    const canvas = this.#canvas;
    const scale = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const isLow = this.#tracks.size >= MANY;
    const row = isLow ? LOW_ROW : ROW;
    const height = 28 + row.height * Math.max(1, this.#tracks.size);
    const style = getComputedStyle(canvas);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    const names = [...this.#tracks.keys()].map((pin) => this.#labels.get(pin) || pin);
    const longest = Math.max(0, ...names.map((name) => context.measureText(name).width));
    // On a small screen, a long name is drawn narrower.
    const left = isLow ? Math.min(longest + 12, width / 3) : 40;
    const right = width - (isLow ? 40 : 10);
    /** @param {string} name */
    const colour = (name) => style.getPropertyValue(name);
    /** @param {number} time */
    const x = (time) => left + ((time - now + LENGTH) / LENGTH) * (right - left);
    context.textAlign = "center";
    const step = right - left < 300 ? 20 : 10;
    for (let back = 0; back <= LENGTH; back += step) {
      rule(context, colour("--rule"), x(now - back), 10, x(now - back), height - 24);
      context.fillStyle = colour("--muted");
      const label = back ? `−${back} s` : "now";
      context.fillText(label, Math.min(x(now - back), width - 14), height - 8);
    }
    let top = isLow ? 8 : 24;
    for (const [index, track] of [...this.#tracks.values()].entries()) {
      /** @param {number} degrees */
      const y = (degrees) => top + row.curve * (1 - degrees / 180);
      for (const degrees of isLow ? [0, 180] : [0, 90, 180]) {
        rule(context, colour("--rule"), left, y(degrees), right, y(degrees));
        context.fillStyle = colour("--muted");
        context.textAlign = isLow ? "left" : "right";
        if (isLow) context.font = "10px system-ui, sans-serif";
        context.fillText(`${degrees}°`, isLow ? right + 6 : left - 6, y(degrees) + 4);
      }
      context.font = "12px system-ui, sans-serif";
      context.textAlign = isLow ? "right" : "left";
      if (isLow) context.fillText(names[index], left - 8, y(90) + 4, left - 8);
      else context.fillText(names[index], left, top - 10);
      draw(context, colour("--shaft"), 3, track.shaft, now, x, y, false);
      draw(context, colour("--commanded"), 2, track.commanded, now, x, y, true);
      top += row.height;
    }
    for (const time of this.#refusals) {
      if (time < now - LENGTH) continue;
      rule(context, colour("--bad"), x(time), height - 34, x(time), height - 24, 2);
    }
    this.#describe();
  }

  #describe() {
    const parts = [...this.#tracks].map(([pin, track]) => {
      const angles = track.commanded.map(([, degrees]) => degrees);
      const range = `from ${Math.min(...angles)}° to ${Math.max(...angles)}°`;
      return `${this.#labels.get(pin) || pin || "the servo"} was commanded ${range}`;
    });
    const words = parts.length ? `In the last minute, ${parts.join("; ")}` : "No movement yet";
    if (this.#canvas.getAttribute("aria-label") !== words) {
      this.#canvas.setAttribute("aria-label", words);
    }
  }
}

/** Drops the points before the start, except the last one, from which the line begins.
 * @param {[number, number][]} points
 * @param {number} start */
function forget(points, start) {
  const first = points.findIndex(([time]) => time >= start);
  const count = first < 0 ? points.length - 1 : first - 1;
  if (count > 0) points.splice(0, count);
}

/** @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2 */
function rule(context, colour, x1, y1, x2, y2, width = 1) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} width
 * @param {[number, number][]} points
 * @param {number} now
 * @param {(time: number) => number} x
 * @param {(degrees: number) => number} y
 * @param {boolean} inSteps */
function draw(context, colour, width, points, now, x, y, inSteps) {
  if (!points.length) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.beginPath();
  const left = x(now - LENGTH);
  let last = points[0][1];
  context.moveTo(Math.max(x(points[0][0]), left), y(last));
  for (const [time, degrees] of points) {
    if (inSteps) context.lineTo(Math.max(x(time), left), y(last));
    context.lineTo(Math.max(x(time), left), y(degrees));
    last = degrees;
  }
  context.lineTo(x(now), y(last));
  context.stroke();
}
