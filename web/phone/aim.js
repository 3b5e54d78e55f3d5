// @ts-check
// Decides where to aim and what to send, in WebAssembly, with the code of `sentrybench aim`.

/**
 * @typedef {{memory: WebAssembly.Memory, input(count: number): number, run(): number,
 *   output(): number, count(): number, __wasm_call_ctors(): void}} Exports
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Aim {
  #begun = "";

  /** Loads the WebAssembly. */
  static async load() {
    const answer = await fetch("phone.wasm");
    if (!answer.ok) throw new Error(`phone.wasm: ${answer.status} ${answer.statusText}`);
    /** @type {WebAssembly.Memory} */
    let memory;
    const imports = {
      page: {
        /** @param {number} at @param {number} count */
        strtod: (at, count) => Number(decoder.decode(new Uint8Array(memory.buffer, at, count))),
      },
    };
    const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), imports);
    const exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    memory = exports.memory;
    exports.__wasm_call_ctors();
    return new Aim(exports);
  }

  /** @param {Exports} exports */
  constructor(exports) {
    this.exports = exports;
  }

  /** Starts with a camera, or continues if it is the same.
   * @param {{image: number[], mirrored: boolean, view: number[], fov?: number}} camera
   * @param {Record<string, string | number | boolean>} options */
  use(camera, options) {
    const header = { format: "sentry-observations", version: 1, ...camera };
    const request = `camera ${JSON.stringify(options)}\n${JSON.stringify(header)}`;
    if (request === this.#begun) return;
    this.#ask(request);
    this.#begun = request;
  }

  /** Reports what has happened, and returns what must be done.
   * @param {string} event a request of Sources/Pages/PhoneAim.swift
   * @returns {PhoneAnswer} */
  report(event) {
    return JSON.parse(this.#ask(event));
  }

  /** @param {string} text */
  #ask(text) {
    const { exports } = this;
    const request = encoder.encode(text);
    const at = exports.input(request.length);
    new Uint8Array(exports.memory.buffer, at, request.length).set(request);
    const kind = exports.run();
    const answer = decoder.decode(
      new Uint8Array(exports.memory.buffer, exports.output(), exports.count()));
    if (kind !== 0) throw new Error(answer);
    return answer;
  }
}
