// compare.mjs BENCH PAGE TRACE...  runs each trace through the page's WebAssembly and through the
// program; fails unless both print the same bytes for replay, explain, explain --json and plot.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [bench, page, ...traces] = process.argv.slice(2);
const commands = [["replay"], ["explain"], ["explain", "--json"], ["plot"]];
const module = new WebAssembly.Module(readFileSync(page));

function instantiate() {
  let memory;
  const text = (at, count) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, count));
  const instance = new WebAssembly.Instance(module, {
    page: { strtod: (at, count) => Number(text(at, count)) },
  });
  memory = instance.exports.memory;
  instance.exports.__wasm_call_ctors();
  return instance.exports;
}

function runPage(exports, number, trace) {
  new Uint8Array(exports.memory.buffer, exports.input(trace.length), trace.length).set(trace);
  const count = exports.run(number);
  const length = count < 0 ? -1 - count : count;
  const output = Buffer.from(new Uint8Array(exports.memory.buffer, exports.output(), length));
  if (count < 0) throw new Error(output.toString());
  return output;
}

let failures = 0;
let compared = 0;
const exports = instantiate();
for (const path of traces) {
  const trace = readFileSync(path);
  for (const [number, command] of commands.entries()) {
    // The page does not have the file's name, which is the title of a trace without one.
    const expected = execFileSync(bench, [...command, "-"], {
      input: trace,
      maxBuffer: 1 << 28,
      stdio: ["pipe", "pipe", "ignore"],
    });
    let found;
    try {
      found = runPage(exports, number, trace);
    } catch (error) {
      found = Buffer.from(`${error}\n`);
    }
    compared += 1;
    if (expected.equals(found)) continue;
    failures += 1;
    let at = 0;
    while (at < expected.length && expected[at] === found[at]) at += 1;
    const near = (text) => JSON.stringify(text.subarray(Math.max(0, at - 20), at + 40).toString());
    console.error(`${path}: ${command.join(" ")}: the page differs at byte ${at}:`);
    console.error(`  program: ${near(expected)}\n  page:    ${near(found)}`);
  }
}
console.log(`${compared} outputs of ${traces.length} traces compared, ${failures} differ`);
process.exit(failures > 0 || compared === 0 ? 1 : 0);
