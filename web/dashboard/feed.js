// @ts-check
// The state of the session as the gateway sends it. Reconnects when the connection is lost.
import { get, socketAddress } from "../common/access.js";

/** In milliseconds. The gateway sends something every second. */
const SILENCE_MAX = 4000;
const DELAY_MIN = 500;
const DELAY_MAX = 5000;

export class Feed {
  /** @type {State | null} */
  state = null;
  /** When the last message arrived, as performance.now(). */
  heard = 0;
  /** @type {WebSocket | null} */
  #socket = null;
  #delay = DELAY_MIN;
  #timer = 0;

  /** @param {(message: Partial<State>) => void} onMessage
   * @param {(standing: "open" | "away" | "refused", why: string) => void} onStanding */
  constructor(onMessage, onStanding) {
    this.onMessage = onMessage;
    this.onStanding = onStanding;
    setInterval(() => {
      if (this.#socket && performance.now() - this.heard > SILENCE_MAX) this.#lost(this.#socket);
    }, 1000);
  }

  /** Tells a pin or a part of the board something, if the gateway is there.
   * @param {(string | number)[]} input */
  tell(input) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(input));
  }

  connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(socketAddress("/events", { as: "dashboard" }));
    this.#socket = socket;
    this.heard = performance.now();
    let isOpen = false;
    socket.onmessage = (event) => {
      if (this.#socket !== socket) return;
      this.heard = performance.now();
      this.#delay = DELAY_MIN;
      const message = JSON.parse(event.data);
      // The first message contains everything.
      const isWhole = "history" in message;
      if (!isWhole && !isOpen) return;
      this.state = isWhole ? message : Object.assign(this.state ?? {}, message);
      if (!isOpen) {
        isOpen = true;
        this.onStanding("open", "");
      }
      this.onMessage(message);
    };
    socket.onclose = () => this.#lost(socket);
  }

  /** @param {WebSocket} socket */
  async #lost(socket) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    socket.onclose = null;
    socket.close();
    // A WebSocket does not report why it was refused, but the answer to a request does.
    let why = "";
    try {
      const answer = await get("/events?as=dashboard");
      if (answer.status === 401 || answer.status === 403) why = (await answer.text()).trim();
    } catch {
      // The gateway does not answer.
    }
    if (this.#socket) return;
    this.onStanding(why === "" ? "away" : "refused", why);
    if (why !== "") return;
    this.#timer = setTimeout(() => this.connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, DELAY_MAX);
  }
}
