// web.mjs PAGE FOLDER RUNS TRACE [HEX]  replays a trace in the WebAssembly of PAGE, on the model
// or, with HEX, on the emulated chip. Prints JSON: the shortest time of a replay and of loading the
// file, in seconds. The replay is left in FOLDER/web.jsonl.
import { readFileSync, writeFileSync } from "node:fs";
import { ask, load } from "../web/wasm/node.mjs";

const [page, folder, runs, path, hex] = process.argv.slice(2);
const trace = readFileSync(path);
let seconds = Infinity;
let start = Infinity;
for (let i = 0; i < Number(runs); i += 1) {
  const before = performance.now();
  const part = load(page, hex ? "emulation" : "playground");
  if (hex) ask(part, `program ${hex}`, readFileSync(hex));
  const ready = performance.now();
  const replayed = ask(part, hex ? "replay chip" : "replay model", trace);
  seconds = Math.min(seconds, (performance.now() - ready) / 1000);
  start = Math.min(start, (ready - before) / 1000);
  writeFileSync(`${folder}/web.jsonl`, replayed);
}
console.log(JSON.stringify({ seconds, start }));
