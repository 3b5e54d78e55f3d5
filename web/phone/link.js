// @ts-check
// The connection over which this page moves the turret and receives the detector's answers. Carries
// out what is decided in WebAssembly.
import { get, socketAddress } from "../common/access.js";

/** @type {Status} */
export const OFF = { standing: "off", elsewhere: false, detector: true, why: "" };

export class Link {
  #number = crypto.getRandomValues(new Uint32Array(1))[0];
  /** The name by which the dashboard shows this page. */
  name = `phone-${this.#number.toString(16).padStart(8, "0")}`;
  #path = "/";
  /** @type {WebSocket | null} */
  #socket = null;
  #timer = 0;
  #takesPictures = false;
  #status = OFF;

  /** @param {(event: string) => PhoneAnswer | null} decide returns null if it cannot
   * @param {(status: Status) => void} onStatus is called with each change
   * @param {(answer: PictureAnswer) => void} onAnswer */
  constructor(decide, onStatus, onAnswer) {
    this.decide = decide;
    this.onStatus = onStatus;
    this.onAnswer = onAnswer;
  }

  /** Whether a picture would be sent at once and no command is waiting. */
  get hasRoom() {
    return this.#takesPictures && this.#socket?.bufferedAmount === 0;
  }

  /** Connects, with a new connection if there is one.
   * @param {string} path */
  open(path) {
    this.report("stop");
    this.#path = path;
    this.report("start", `${this.#number}`);
  }

  /** Sends `L` and closes, because nothing can be decided any more. */
  abandon() {
    clearTimeout(this.#timer);
    this.#takesPictures = false;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send("L");
    this.#close();
    this.#show(OFF);
  }

  /** Returns whether it was sent.
   * @param {Blob} picture */
  sendPicture(picture) {
    if (!this.hasRoom) return false;
    this.#socket?.send(picture);
    return true;
  }

  /** Reports what has happened, and does what follows. Returns what is to be shown.
   * @param {string} event
   * @param {string} content
   * @returns {Sighting | null} */
  report(event, content = "") {
    const unsent = this.#socket?.bufferedAmount ?? 0;
    const answer = this.decide(`${event} ${performance.now() / 1000} ${unsent}\n${content}`);
    if (!answer) return null;
    for (const [action, command] of answer.actions) {
      if (action === "connect") this.#connect();
      else if (action === "send") this.#socket?.send(command);
      else this.#close();
    }
    clearTimeout(this.#timer);
    if (answer.wait !== null) {
      this.#timer = setTimeout(() => this.report("passed"), answer.wait);
    }
    this.#takesPictures = answer.room;
    this.#show(answer.status);
    return answer.sighting;
  }

  /** @param {Status} status */
  #show(status) {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    this.onStatus(status);
  }

  #close() {
    this.#socket?.close();
    this.#socket = null;
  }

  #connect() {
    const socket = new WebSocket(socketAddress(this.#path, { name: this.name }));
    let wasOpen = false;
    this.#socket = socket;
    socket.onopen = () => {
      wasOpen = true;
      if (this.#socket === socket) this.report("connected");
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(event.data);
    };
    socket.onclose = async () => {
      const why = wasOpen ? "" : await this.#refusal();
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.report("closed", why);
    };
  }

  /** @param {unknown} data */
  #receive(data) {
    if (typeof data !== "string" || !data.startsWith("{")) return;
    const message = JSON.parse(data);
    if ("seq" in message) this.onAnswer(message);
    else this.report("message", data);
  }

  /** A WebSocket does not report why it was refused, but the answer to a request does. */
  async #refusal() {
    try {
      // `/` is the address of a page, too, so it would not be refused.
      const answer = await get(this.#path === "/" ? "/events" : this.#path);
      return `${answer.status} ${(await answer.text()).trim()}`;
    } catch {
      // The gateway does not answer.
      return "";
    }
  }
}
