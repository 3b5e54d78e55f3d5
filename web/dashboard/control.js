// @ts-check
// The connection over which this page moves the turret, and its slider, keys and game pad.
import { socketAddress } from "../common/access.js";
import { element, text } from "../common/elements.js";

/** The shortest time between two commands, in milliseconds: 30 a second, as from a camera. */
const PERIOD = 1000 / 30;
const DEAD_ZONE = 0.15;
/** The sketches that understand `X90.` and `L`, which slider, keys and game pad send. */
const MOVABLE = ["classic", "buzzer", "guarded"];
/** Degrees a second with the stick at its end. */
const STICK_SPEED = 120;

export class Control {
  /** The name by which this page finds itself in the state. */
  name = `dashboard-${crypto.getRandomValues(new Uint32Array(1))[0].toString(16).padStart(8, "0")}`;
  /** @type {WebSocket | null} */
  #socket = null;
  #isWished = false;
  #angle = 90;
  #waiting = "";
  /** What was typed before there was a connection.
   * @type {Uint8Array[]} */
  #typed = [];
  #sentAt = 0;
  #timer = 0;
  #padTime = 0;
  #padSweeps = false;

  constructor() {
    const angle = /** @type {HTMLInputElement} */ (element("angle"));
    element("take").onclick = () => this.take();
    element("release").onclick = () => this.release();
    element("sweep").onclick = () => this.#send("L");
    element("centre").onclick = () => this.#aim(90);
    angle.oninput = () => this.#aim(angle.valueAsNumber);
    document.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("gamepadconnected", () => this.#readPads());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  take() {
    this.#want();
    element("release").focus();
  }

  #want() {
    this.#isWished = true;
    this.reconnect();
    this.#showButtons();
  }

  /** Sends bytes as they are, each time. Asks for control if nobody did.
   * @param {Uint8Array} bytes */
  type(bytes) {
    if (this.isOpen) return this.#socket?.send(bytes);
    this.#typed.push(bytes);
    return this.#want();
  }

  release() {
    this.#isWished = false;
    this.#socket?.close();
    this.#socket = null;
    this.#showButtons();
    element("take").focus();
  }

  /** Reconnects after a loss of the gateway, if this page had or awaited control. */
  reconnect() {
    if (!this.#isWished || this.#socket) return;
    const socket = new WebSocket(socketAddress("/", { name: this.name }));
    this.#socket = socket;
    socket.onopen = () => {
      for (const bytes of this.#typed.splice(0)) socket.send(bytes);
    };
    socket.onmessage = (event) => this.#told(event.data);
    socket.onclose = () => {
      if (this.#socket === socket) this.#socket = null;
    };
  }

  /** Shows who is in control.
   * @param {State | null} state */
  show(state) {
    const control = state?.control ?? null;
    const isOurs = control?.name === this.name && this.isOpen;
    const isMovable = state !== null && this.#showWhetherMovable(state);
    /** @type {HTMLFieldSetElement} */ (element("hands")).disabled = !isOurs || !isMovable;
    let words = "Not connected.";
    if (state && isOurs) words = "You control the turret.";
    else if (state && control) {
      words = `Another client controls the turret: ${sender(control)}.`;
      if (this.#isWished) words += " You will control it when that client leaves.";
      else if (state.policy === "latest") words += " Press Take control to take over.";
    } else if (state) words = "No client controls the turret.";
    text("whose", words);
    if (isOurs || !control) text("notice", "");
    const servo = state?.servos[0];
    // The slider follows the turret while another client moves it.
    if (!isOurs && servo) this.#set(servo.commanded);
  }

  /** Hides the slider from a sketch that has other commands, and explains how to send them.
   * @param {State} state */
  #showWhetherMovable({ accepts, device: { profile, firmware }, forms }) {
    const isMovable = accepts === "aims" || (profile === null && MOVABLE.includes(firmware));
    for (const id of ["hands", "keys"]) element(id).hidden = !isMovable;
    element("unable").hidden = isMovable || forms !== null;
    text("unable", `The sketch ${profile ?? firmware} has commands of its own: type them in the `
      + "serial monitor. With a profile of them, there is a form for each here.");
    return isMovable;
  }

  #showButtons() {
    element("take").hidden = this.#isWished;
    element("release").hidden = !this.#isWished;
    text("notice", "");
  }

  /** @param {number} degrees */
  #set(degrees) {
    this.#angle = Math.min(180, Math.max(0, degrees));
    const angle = /** @type {HTMLInputElement} */ (element("angle"));
    if (angle.valueAsNumber !== Math.round(this.#angle)) angle.value = `${this.#angle}`;
    text("degrees", `${Math.round(this.#angle)}°`);
  }

  /** @param {number} degrees */
  #aim(degrees) {
    this.#set(degrees);
    this.#send(`X${Math.round(this.#angle)}.`);
  }

  /** Turns by a fraction of a degree. Sends a command only if the rounded angle changes.
   * @param {number} degrees */
  #turn(degrees) {
    const before = Math.round(this.#angle);
    this.#set(this.#angle + degrees);
    if (Math.round(this.#angle) !== before) this.#aim(this.#angle);
  }

  /** Sends a command, at once or when the period is over; in that case only the newest is sent.
   * @param {string} command */
  #send(command) {
    this.#waiting = command;
    if (this.#timer) return;
    const delay = this.#sentAt + PERIOD - performance.now();
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, delay));
  }

  #flush() {
    this.#timer = 0;
    const socket = this.#socket;
    if (!socket || !this.isOpen) return;
    this.#sentAt = performance.now();
    // While earlier data is still unsent, wait: a newer command may replace this one.
    if (socket.bufferedAmount > 0) return this.#send(this.#waiting);
    socket.send(this.#waiting);
  }

  /** @param {unknown} data */
  #told(data) {
    if (typeof data !== "string" || !data.startsWith("{")) return;
    try {
      const { error, message } = JSON.parse(data);
      if (error) text("notice", `Refused: ${message}.`);
    } catch {
      // The sketch's answer, which can begin with any character.
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (/** @type {HTMLFieldSetElement} */ (element("hands")).disabled) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.id !== "angle" && target.closest("input, select, textarea")) return;
    const step = event.shiftKey ? 10 : 1;
    if (event.key === "ArrowLeft") this.#aim(this.#angle - step);
    else if (event.key === "ArrowRight") this.#aim(this.#angle + step);
    // A button handles the space key itself.
    else if (event.key === " " && target.tagName !== "BUTTON") this.#send("L");
    else return;
    event.preventDefault();
  }

  #readPads() {
    const pad = navigator.getGamepads().find((pad) => pad?.connected);
    if (!pad) return;
    const now = performance.now();
    const seconds = Math.min((now - this.#padTime) / 1000, 0.1);
    this.#padTime = now;
    if (!/** @type {HTMLFieldSetElement} */ (element("hands")).disabled) {
      const stick = pad.axes[0] ?? 0;
      if (Math.abs(stick) > DEAD_ZONE) this.#turn(stick * STICK_SPEED * seconds);
      const sweeps = pad.buttons[0]?.pressed ?? false;
      if (sweeps && !this.#padSweeps) this.#send("L");
      this.#padSweeps = sweeps;
    }
    requestAnimationFrame(() => this.#readPads());
  }
}

/** Describes a client in words.
 * @param {Sender | null} client */
export function sender(client) {
  if (!client) return "the bench";
  const parts = [client.name, client.from && `at ${client.from}`].filter((part) => part);
  return parts.length ? parts.join(" ") : `client ${client.client}`;
}
