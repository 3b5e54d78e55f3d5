// @ts-check
// Keeps the screen awake while the camera runs.

export class Wake {
  #isWanted = false;
  /** @type {WakeLockSentinel | null} */
  #lock = null;

  constructor() {
    // The browser releases the lock of a page that is hidden.
    document.addEventListener("visibilitychange", () => this.#take());
  }

  /** Whether the browser supports this. */
  get isPossible() {
    return "wakeLock" in navigator;
  }

  hold() {
    this.#isWanted = true;
    this.#take();
  }

  release() {
    this.#isWanted = false;
    this.#lock?.release();
    this.#lock = null;
  }

  async #take() {
    if (!this.#isWanted || !this.isPossible || document.visibilityState !== "visible") return;
    if (this.#lock && !this.#lock.released) return;
    try {
      this.#lock = await navigator.wakeLock.request("screen");
    } catch {
      // For example because the battery is low.
    }
  }
}
