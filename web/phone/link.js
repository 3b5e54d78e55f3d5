// @ts-check
// The connection over which this page moves the turret and receives the detector's answers.
import { get, socketAddress } from "../common/access.js";

const DELAY_MIN = 500;
const DELAY_MAX = 5000;
/** How often to check whether earlier data has been sent, in milliseconds. */
const LOOK = 5;

export class Link {
  /** The name by which the dashboard shows this page. */
  name = `phone-${crypto.getRandomValues(new Uint32Array(1))[0].toString(16).padStart(8, "0")}`;
  /** Whether another client controls the turret. If so, nothing is sent. */
  isElsewhere = false;
  #path = "";
  /** @type {WebSocket | null} */
  #socket = null;
  #delay = DELAY_MIN;
  /** When the connection was opened; Infinity if it was not. */
  #opened = Infinity;
  #timer = 0;
  #waiting = "";
  #look = 0;

  /** @param {(standing: Standing, why: string) => void} onStanding
   * @param {(message: Notice) => void} onNotice
   * @param {(answer: PictureAnswer) => void} onAnswer */
  constructor(onStanding, onNotice, onAnswer) {
    this.onStanding = onStanding;
    this.onNotice = onNotice;
    this.onAnswer = onAnswer;
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Whether a picture would be sent at once and no command is waiting. */
  get hasRoom() {
    return this.isOpen && !this.isElsewhere && this.#waiting === ""
      && this.#socket?.bufferedAmount === 0;
  }

  /** Connects, and reconnects whenever the connection is lost, until `close` is called.
   * @param {string} path */
  open(path) {
    this.close();
    this.#path = path;
    this.#delay = DELAY_MIN;
    this.#connect();
  }

  close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#look);
    this.#path = "";
    this.#waiting = "";
    this.#look = 0;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** Sends a command at once. While earlier data is unsent, it waits, and a newer one replaces it.
   * @param {string} command */
  send(command) {
    if (!this.isOpen || this.isElsewhere) return;
    this.#waiting = command;
    if (!this.#look) this.#flush();
  }

  /** Sends a command without waiting, because the page may stop running soon.
   * @param {string} command */
  sendLast(command) {
    this.#waiting = "";
    if (this.isOpen && !this.isElsewhere) this.#socket?.send(command);
  }

  /** Returns whether it was sent.
   * @param {Blob} picture */
  sendPicture(picture) {
    if (!this.hasRoom) return false;
    this.#socket?.send(picture);
    return true;
  }

  #flush() {
    this.#look = 0;
    const socket = this.#socket;
    if (!socket || !this.isOpen || this.#waiting === "") return;
    if (socket.bufferedAmount > 0) {
      this.#look = setTimeout(() => this.#flush(), LOOK);
      return;
    }
    const command = this.#waiting;
    this.#waiting = "";
    socket.send(command);
  }

  #connect() {
    clearTimeout(this.#timer);
    this.onStanding("connecting", "");
    const socket = new WebSocket(socketAddress(this.#path, { name: this.name }));
    this.#socket = socket;
    socket.onopen = () => {
      if (this.#socket !== socket) return;
      this.#opened = performance.now();
      this.isElsewhere = false;
      this.onStanding("open", "");
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(event.data);
    };
    socket.onclose = () => this.#lost(socket);
  }

  /** @param {unknown} data */
  #receive(data) {
    if (typeof data !== "string" || !data.startsWith("{")) return;
    const message = JSON.parse(data);
    if ("seq" in message) return this.onAnswer(message);
    const code = message.error ?? message.notice;
    if (code === "not-in-control" || code === "control-lost") this.isElsewhere = true;
    if (code === "control-gained") this.isElsewhere = false;
    this.onNotice({ code, message: message.message ?? "" });
  }

  /** @param {WebSocket} socket */
  async #lost(socket) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#waiting = "";
    // After a connection that was lost quickly, keep the longer delay.
    if (performance.now() - this.#opened > DELAY_MAX) this.#delay = DELAY_MIN;
    this.#opened = Infinity;
    // A WebSocket does not report why it was refused, but the answer to a request does.
    /** @type {Standing} */
    let standing = "away";
    let why = "";
    try {
      // `/` is the address of a page, too, so it would not be refused.
      const answer = await get(this.#path === "/" ? "/events" : this.#path);
      if (answer.status === 401 || answer.status === 403) standing = "refused";
      else if (answer.status === 404) standing = "no-detector";
      if (standing !== "away") why = (await answer.text()).trim();
    } catch {
      // The gateway does not answer.
    }
    if (this.#socket || this.#path === "") return;
    this.onStanding(standing, why);
    if (standing === "refused") return;
    this.#timer = setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, DELAY_MAX);
  }
}
