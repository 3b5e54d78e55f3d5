// @ts-check
// Passes on the newest of many values, and not more often than once in a period.

/** @template T */
export class Newest {
  #timer = 0;
  #due = 0;

  /**
   * @param {number} period in milliseconds
   * @param {(value: T) => void} pass
   */
  constructor(period, pass) {
    this.period = period;
    this.pass = pass;
  }

  /**
   * Passes a value on when the period is over, unless a newer one arrives before.
   * @param {T} value
   */
  put(value) {
    clearTimeout(this.#timer);
    const wait = this.#due - performance.now();
    if (wait <= 0) this.now(value);
    else this.#timer = setTimeout(() => this.now(value), wait);
  }

  /**
   * Passes a value on at once, in place of one that waits.
   * @param {T} value
   */
  now(value) {
    clearTimeout(this.#timer);
    this.#due = performance.now() + this.period;
    this.pass(value);
  }
}
