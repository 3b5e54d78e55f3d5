// compare_playground.mjs BENCH FOLDER TRACE...  runs each trace through the page's WebAssembly in
// FOLDER and through the program; fails unless both print the same bytes for replay, explain,
// explain --json, plot and convert --to vcd, and for the replay of classic's and guarded's traces
// on the chip.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { ask, load } from "../../web/wasm/node.mjs";

const [bench, folder, ...traces] = process.argv.slice(2);
const commands = [["replay"], ["explain"], ["explain", "--json"], ["plot"]];
const requests = ["replay model", "explain model", "explain-json model", "plot model"];
// The sketches whose traces are also replayed on the chip.
const chips = ["classic", "guarded"];

let failures = 0;
let compared = 0;
const playground = load(folder, "playground");
const emulation = load(folder, "emulation");
const conversion = load(folder, "conversion");

/** What the program prints. plot ends with status 1 if the trace does not show its session. */
function run(command, trace) {
  try {
    return execFileSync(bench, [...command, "-"], {
      input: trace,
      maxBuffer: 1 << 28,
      stdio: ["pipe", "pipe", "ignore"],
    });
  } catch (error) {
    if (command[0] === "plot" && error.status === 1) return error.stdout;
    throw error;
  }
}

/** Compares one output of the page with that of the program. */
function compare(exports, path, command, head, trace) {
  // The trace is passed on standard input, because the page does not know the file's name, which
  // would become the title of a trace without one.
  let expected = run(command, trace);
  let found;
  try {
    found = ask(exports, head, trace);
  } catch (error) {
    found = Buffer.from(`${error}\n`);
  }
  compared += 1;
  // What is wrong with a recording comes first. The page has neither its path nor options about it.
  if (expected.subarray(0, 3).equals(Buffer.from("-: "))) {
    const end = found.indexOf("\n");
    const begins = expected.subarray(3, 3 + end).equals(found.subarray(0, end));
    if (begins) expected = Buffer.concat([
      found.subarray(0, end), expected.subarray(expected.indexOf("\n"))]);
  }
  if (expected.equals(found)) return;
  failures += 1;
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const near = (text) => JSON.stringify(text.subarray(Math.max(0, at - 20), at + 40).toString());
  console.error(`${path}: ${command.join(" ")}: the page differs at byte ${at}:`);
  console.error(`  program: ${near(expected)}\n  page:    ${near(found)}`);
}

for (const path of traces) {
  const trace = readFileSync(path);
  commands.forEach((command, i) => compare(playground, path, command, requests[i], trace));
  compare(conversion, path, ["convert", "--to", "vcd"], "vcd -", trace);
}
for (const sketch of chips) {
  const hex = `firmware/${sketch}/${sketch}.hex`;
  ask(emulation, `program ${hex}`, readFileSync(hex));
  for (const path of traces.filter((path) => path.includes(`/${sketch}/`))) {
    const command = ["replay", "--device", `avr:${hex}`];
    compare(emulation, path, command, "replay chip", readFileSync(path));
  }
}
console.log(`${compared} outputs of ${traces.length} traces compared, ${failures} differ`);
process.exit(failures > 0 || compared === 0 ? 1 : 0);
