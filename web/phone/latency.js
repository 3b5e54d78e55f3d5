// @ts-check
// The latency from a picture to the turret: until the gateway reports in the session's events that
// the command's bytes are on the line. Nothing else acknowledges a command.
import { socketAddress } from "../common/access.js";

/** A command not reported within this time, in milliseconds, was refused or replaced. */
const PATIENCE = 3000;
const SHOWN = 15;

export class Latency {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {{command: string, taken: number}[]} */
  #sent = [];
  /** @type {number[]} */
  #last = [];

  /** @param {(median: number, last: number) => void} onMeasured in milliseconds */
  constructor(onMeasured) {
    this.onMeasured = onMeasured;
  }

  open() {
    this.close();
    const socket = new WebSocket(socketAddress("/events", {}));
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(`${event.data}`);
    };
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    this.#sent = [];
    socket?.close();
  }

  /** @param {string} command
   * @param {number} taken when the camera took the picture, as performance.now() counts */
  sent(command, taken) {
    const now = performance.now();
    this.#sent = this.#sent.filter((sent) => now - sent.taken < PATIENCE);
    this.#sent.push({ command, taken });
  }

  /** @param {string} line an event of a trace */
  #receive(line) {
    if (!line.startsWith("[")) return;
    const [, kind, bytes] = JSON.parse(line);
    if (kind !== "rx") return;
    const index = this.#sent.findIndex((sent) => `${bytes}`.includes(sent.command));
    if (index < 0) return;
    const milliseconds = performance.now() - this.#sent[index].taken;
    // This command replaced those before it.
    this.#sent.splice(0, index + 1);
    this.#last = [...this.#last.slice(1 - SHOWN), milliseconds];
    const sorted = [...this.#last].sort((one, other) => one - other);
    this.onMeasured(sorted[Math.floor(sorted.length / 2)], milliseconds);
  }
}
