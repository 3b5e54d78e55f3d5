// @ts-check
// The page's end of the worker: sends requests in order, returns their answers, and replaces a
// worker that trapped or does not answer.

import { say } from './parts.js';

/** How long a request can take, in milliseconds. */
const PATIENCE = 120_000;
/** How many workers are started in a row without any answer. */
const ATTEMPTS = 5;

/**
 * @typedef {{resolve: (bytes: Uint8Array) => void, reject: (error: Error) => void,
 *   timer: number}} Pending
 */

/** A request that has no result. The message is for the user. */
export class Refusal extends Error {}

/**
 * Does something, and shows the user why it was refused. Returns null then.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T | null>}
 */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.message) say(error.message, true);
    return null;
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Engine {
  /** @param {(message: string) => void} replaced is called after a worker was replaced. */
  constructor(replaced) {
    this.replaced = replaced;
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    this.next = 1;
    this.attempts = 0;
    /** @type {Promise<void>} */
    this.ready = Promise.resolve();
    this.worker = this.start();
  }

  start() {
    const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.attempts += 1;
    this.ready = new Promise((resolve) => {
      worker.addEventListener('message', ({ data }) => {
        if (worker !== this.worker) return;
        if (data.ready) resolve();
        else if (data.trap !== undefined) this.replace(data.trap);
        else this.finish(data);
      });
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker === this.worker) this.replace(event.message || 'the worker cannot be loaded');
    });
    return worker;
  }

  /** @param {{id: number, bytes?: Uint8Array, failure?: string}} answer */
  finish({ id, bytes, failure }) {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.attempts = 0;
    this.pending.delete(id);
    clearTimeout(pending.timer);
    if (bytes) pending.resolve(bytes);
    else pending.reject(new Refusal(failure));
  }

  /** @param {string} cause */
  replace(cause) {
    this.worker.terminate();
    const lost = [...this.pending.values()];
    this.pending.clear();
    for (const { reject, timer } of lost) {
      clearTimeout(timer);
      // The page is notified once, below.
      reject(new Refusal(''));
    }
    const isOver = this.attempts >= ATTEMPTS;
    if (!isOver) this.worker = this.start();
    this.replaced(isOver
      ? `The bench cannot be started (${cause}). Reload the page to try again.`
      : `The bench stopped (${cause}) and was restarted. Its session is lost.`);
  }

  /**
   * @param {string} head
   * @param {string | Uint8Array} payload
   * @returns {Promise<Uint8Array>}
   */
  request(head, payload = '') {
    const id = this.next;
    this.next += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.replace('it did not answer for two minutes'), PATIENCE);
      this.pending.set(id, { resolve, reject, timer });
      const bytes = typeof payload === 'string' ? encoder.encode(payload) : payload;
      this.worker.postMessage({ id, head, payload: bytes });
    });
  }

  /**
   * @param {string} head
   * @param {string | Uint8Array} payload
   */
  async text(head, payload = '') {
    return decoder.decode(await this.request(head, payload));
  }

  /**
   * @param {string} head
   * @param {string | Uint8Array} payload
   */
  async json(head, payload = '') {
    return JSON.parse(await this.text(head, payload));
  }
}
