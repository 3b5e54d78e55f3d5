// Runs a page's WebAssembly in node, for checks, measurements and pictures.
import { readFileSync } from "node:fs";

/** Loads FOLDER/NAME.wasm. */
export function load(folder, name) {
  const module = new WebAssembly.Module(readFileSync(`${folder}/${name}.wasm`));
  let memory;
  const text = (at, count) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, count));
  const instance = new WebAssembly.Instance(module, {
    page: { strtod: (at, count) => Number(text(at, count)) },
  });
  memory = instance.exports.memory;
  instance.exports.__wasm_call_ctors();
  return instance.exports;
}

/** Returns the bytes of the answer; throws if it is not a result. */
export function ask(exports, head, payload = "") {
  const request = Buffer.concat([Buffer.from(`${head}\n`), Buffer.from(payload)]);
  // Making room can grow the memory, which then has another buffer.
  const at = exports.input(request.length);
  new Uint8Array(exports.memory.buffer, at, request.length).set(request);
  const kind = exports.run();
  const output = Buffer.from(
    new Uint8Array(exports.memory.buffer, exports.output(), exports.count()));
  if (kind !== 0) throw new Error(output.toString());
  return output;
}
