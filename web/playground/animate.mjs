// animate.mjs FOLDER TRACE  draws the turret of a trace as it turns, as an animated SVG for a page
// that has no script. FOLDER contains playground.wasm. The trace's inputs must be plain text.
//
//     node web/playground/animate.mjs .build/playground traces/classic/truncated.jsonl \
//       >docs/turret.svg
import { readFileSync } from "node:fs";
import { ask, load } from "../wasm/node.mjs";

const [folder, path] = process.argv.slice(2);
const text = readFileSync(path, "utf8").trim();
const [header, ...lines] = text.split("\n").map((line) => JSON.parse(line));
/** The picture begins shortly before the first input, as nothing moves before. In seconds. */
const inputs = lines.filter(([, kind]) => kind === "rx");
const first = Math.max(0, inputs[0][0] - 0.5);
const length = header.duration - first;
/** What is drawn: aims, corners of the shaft's path, bytes with fates. Times in microseconds. */
const aims = [];
const corners = [];
const fates = new Map();

const bench = load(folder, "playground");
const take = (answer) => {
  const state = JSON.parse(answer);
  for (const [time, kind, value] of state.events) {
    if (kind === "servo") aims.push([time, value]);
    if (kind === "shaft") corners.push([time, value]);
  }
  for (const [number, name, fate, , arrived] of state.bytes) {
    fates.set(number, { name, fate, arrived });
  }
  return state;
};
take(ask(bench, `drive ${header.firmware}`));
let now = 0;
const pass = (end) => {
  while (now < end) {
    const state = take(ask(bench, `advance ${Math.min(end - now, 1_000_000)}`));
    now = state.now;
    corners.push([now, state.servos[0][4]]);
  }
};
for (const [time, , text] of inputs) {
  pass(Math.round(time * 1e6));
  take(ask(bench, "send", text));
}
pass(Math.round(header.duration * 1e6));

const percent = (time) => Math.min(100, Math.max(0, (time / 1e6 - first) / length * 100));
/** Returns a keyframes rule. With `steps`, a value holds until the next one. */
function frames(name, samples, steps) {
  const rows = [];
  let last = null;
  for (const [time, value] of samples) {
    const at = percent(time).toFixed(2);
    if (steps && last !== null && last !== value) rows.push(`${at}%{transform:rotate(${last}deg)}`);
    rows.push(`${at}%{transform:rotate(${value}deg)}`);
    last = value;
  }
  rows.push(`100%{transform:rotate(${last}deg)}`);
  return `@keyframes ${name}{${rows.join("")}}`;
}
const turned = (samples) =>
  samples.map(([time, degrees]) => [time, Math.round((degrees - 90) * 10) / 10]);

const scale = [];
for (let degrees = 0; degrees <= 180; degrees += 10) {
  const angle = Math.PI - degrees * Math.PI / 180;
  const end = degrees % 30 === 0 ? 158 : 154;
  const point = (radius) => `${(180 + radius * Math.cos(angle)).toFixed(1)} ${(
    176 - radius * Math.sin(angle)).toFixed(1)}`;
  scale.push(`<path class="s" d="M${point(150)}L${point(end)}"/>`);
  if (degrees % 30 !== 0) continue;
  // The labels at the sides need more distance, because they are wider than high.
  const [x, y] = point(169 + 6 * Math.abs(Math.cos(angle))).split(" ");
  scale.push(`<text x="${x}" y="${(Number(y) + 4).toFixed(1)}">${degrees}°</text>`);
}
/** The width of a byte's letter. */
const LETTER = 9.2;
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const bytes = [];
const rules = [];
let x = 0;
let y = 226;
const starts = inputs.reduce((all, [, , text]) => [...all, all.at(-1) + text.length], [0]);
[...fates.values()].forEach(({ name, fate, arrived }, i) => {
  // Bytes that were sent together are drawn together.
  if (starts.includes(i)) {
    x += 10;
    const length = inputs[starts.indexOf(i)][2].length;
    if (x + length * LETTER > 360) [x, y] = [10, y + 22];
  }
  const isTaken = ["letter", "digit", "terminator"].includes(fate);
  bytes.push(`<text class="b${isTaken ? "" : " x"}" id="b${i}" x="${x.toFixed(1)}" y="${y}">${
    escaped(name)}</text>`);
  x += LETTER;
  const at = percent(arrived);
  rules.push(`#b${i}{animation-name:k${i}}@keyframes k${i}{0%,${at.toFixed(2)}%{opacity:0}${
    (at + 0.01).toFixed(2)}%,100%{opacity:1}}`);
});

const height = y + 18;
const label = `A turret that turns: ${escaped(header.title ?? path)}`;
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -6 380 ${height}" \
width="760" height="${height * 2}" role="img" aria-label="${label}">
<style>
svg{color:#1d2733}
text{font:12px system-ui,sans-serif;fill:currentColor;text-anchor:middle}
.s{fill:none;stroke:currentColor;stroke-width:1.5;opacity:.5}
.h{fill:#e69100}
.c{stroke:#0a5fa8;stroke-width:4;stroke-linecap:round}
.b{font:15px ui-monospace,monospace;text-anchor:start;opacity:0}
.x{fill:#b3261e;text-decoration:line-through}
.h,.c{transform-origin:180px 176px}
.h,.c,.b{animation-duration:${length.toFixed(3)}s;animation-iteration-count:infinite;\
animation-timing-function:linear}
.h{animation-name:h}.c{animation-name:c}
@media(prefers-color-scheme:dark){svg{color:#dfe6ee}.h{fill:#f0a832}.c{stroke:#7cc0ff}\
.x{fill:#ff8f77}}
@media(prefers-reduced-motion:reduce){.h,.c,.b{animation-play-state:paused;\
animation-delay:-${(length * 0.6).toFixed(1)}s}}
${frames("h", turned(corners), false)}
${frames("c", turned(aims), true)}
${rules.join("\n")}
</style>
<path class="s" d="M30 176A150 150 0 0 1 330 176"/>
${scale.join("\n")}
<g class="h"><circle cx="180" cy="176" r="30"/><path d="M173 156V58h14V156z"/></g>
<path class="c" d="M180 142V30"/>
${bytes.join("\n")}
</svg>
`);
