// @ts-check
// The playground in WebAssembly: a file that every visit needs, and two that are loaded when they
// are first used: for the emulated chip and lines with faults, and for other tools' recordings.
// Requests are answered one after the other. A trap ends the instance, and the page replaces this
// worker.

import { piped } from './piped.js';

/**
 * @typedef {{memory: WebAssembly.Memory, input(count: number): number, run(): number,
 *   output(): number, count(): number, __wasm_call_ctors(): void}} Exports
 */

/** The kinds of an answer: PageAnswer.Kind. */
const RESULT = 0;
const FAILURE = 1;
const INFLATE = 2;
const COMPRESS = 3;
const CONVERT = 4;
const CHIP = 5;
const DRAW = 6;
/** The maximum size of the output of a compression or decompression, in bytes. */
const INFLATED_MAX = 512 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @param {string} name
 * @returns {Promise<Exports>}
 */
async function load(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  /** @type {WebAssembly.Memory} */
  let memory;
  const imports = {
    page: {
      /** @param {number} at @param {number} count */
      strtod: (at, count) => Number(decoder.decode(new Uint8Array(memory.buffer, at, count))),
    },
  };
  // Not every server sends the content type that instantiateStreaming requires.
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), imports);
  const exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
  memory = exports.memory;
  exports.__wasm_call_ctors();
  return exports;
}

/**
 * @param {Exports} exports
 * @param {Uint8Array} request
 */
function run(exports, request) {
  const at = exports.input(request.length);
  new Uint8Array(exports.memory.buffer, at, request.length).set(request);
  const kind = exports.run();
  return { kind, bytes: new Uint8Array(exports.memory.buffer, exports.output(), exports.count())
    .slice() };
}

/**
 * @param {string} head
 * @param {Uint8Array} payload
 */
function joined(head, payload) {
  const line = encoder.encode(`${head}\n`);
  const request = new Uint8Array(line.length + payload.length);
  request.set(line);
  request.set(payload, line.length);
  return request;
}

/**
 * Answers a request, and does the compression that it needs.
 * @param {Exports} exports
 * @param {string} head
 * @param {Uint8Array} payload
 * @returns {Promise<{bytes?: Uint8Array, failure?: string}>}
 */
async function answer(exports, head, payload) {
  const request = joined(head, payload);
  for (;;) {
    const { kind, bytes } = run(exports, request);
    if (kind === RESULT) return { bytes };
    if (kind === FAILURE) return { failure: decoder.decode(bytes) };
    if (kind === CONVERT) return convert(exports, head, payload);
    if (kind === CHIP) return answer(await optional('emulation.wasm'), head, payload);
    if (kind === DRAW) return answer(await optional('conversion.wasm'), head, payload);
    try {
      const stream = kind === INFLATE
        ? new DecompressionStream('deflate-raw') : new CompressionStream('gzip');
      run(exports, joined('done', await piped(
        bytes, stream, INFLATED_MAX, 'expected at most 512 MB of data')));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return { failure: `error: the compressed data cannot be read: ${error}` };
    }
  }
}

/** @type {Map<string, Promise<Exports>>} */
const parts = new Map();

/**
 * Returns the exports of a file that is loaded when it is first needed.
 * @param {string} name
 */
function optional(name) {
  const part = parts.get(name) ?? load(name);
  parts.set(name, part);
  // The next request tries again.
  part.catch(() => parts.delete(name));
  return part;
}

/**
 * Opens another tool's recording, which conversion.wasm first converts to a trace.
 * @param {Exports} exports
 * @param {string} head
 * @param {Uint8Array} payload
 * @returns {Promise<{bytes?: Uint8Array, failure?: string}>}
 */
async function convert(exports, head, payload) {
  const name = head.slice(head.indexOf(' ') + 1);
  const converted = await answer(await optional('conversion.wasm'), `convert ${name}`, payload);
  return converted.bytes ? answer(exports, `converted ${name}`, converted.bytes) : converted;
}

const loaded = load('playground.wasm');
/** @type {Promise<void>} */
let last = Promise.resolve();
loaded.then(() => postMessage({ ready: true }), (error) => postMessage({ trap: String(error) }));

addEventListener('message', ({ data }) => {
  last = last.then(async () => {
    try {
      const result = await answer(await loaded, data.head, data.payload);
      postMessage({ id: data.id, ...result });
    } catch (error) {
      postMessage({ trap: String(error) });
    }
  });
});
