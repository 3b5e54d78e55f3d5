// compare_aim.mjs BENCH FOLDER OBSERVATIONS...  runs each file of observations through
// FOLDER/phone.wasm, unchanged and as if the camera were turned, mirrored or shown in another view.
// Fails unless the page's commands, written as a trace, are the same bytes that `BENCH aim` prints.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { ask, load } from "../../web/wasm/node.mjs";

const [bench, folder, ...files] = process.argv.slice(2);
const cameras = [
  {}, { mirrored: true }, { view: [390, 844] }, { image: [480, 640], view: [844, 390] },
  { orientation: "left" }, { crop: "square", mirrored: true }, { fov: 60 },
];
const options = [
  {}, { mirror: true, stick: 1.2 }, { gravity: "aspect-fill" }, { gravity: "aspect-fit" },
  { "min-confidence": 0.9, "max-overlap": 0.3 }, { "min-height": 0.15 }, { label: "cat" },
  { mapping: "fov" },
];
const page = load(folder, "phone");
let compared = 0;
let commands = 0;
let failures = 0;

/** The options on the command line. */
function written(options) {
  return Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, `${value}`]);
}

/** The commands that the page sends, as the events of a trace. */
function sent(header, frames, options) {
  ask(page, `camera ${JSON.stringify(options)}`, header);
  // The same page is reused for each camera, as when a phone is turned.
  const events = frames.map((frame) => {
    const { command } = JSON.parse(ask(page, "see 0 0", frame)).sighting;
    return command === null ? "" : `[${JSON.parse(frame).t.toFixed(6)}, "rx", "${command}"]\n`;
  });
  return events.join("");
}

for (const file of files) {
  const [first, ...frames] = readFileSync(file, "utf8").trimEnd().split("\n");
  for (const camera of cameras) {
    const header = JSON.stringify({ ...JSON.parse(first), ...camera });
    for (const option of options) {
      if (option.mapping === "fov" && JSON.parse(header).fov === undefined) continue;
      const printed = execFileSync(bench, ["aim", "-", "--to", "-", ...written(option)], {
        input: [header, ...frames].join("\n") + "\n",
        stdio: ["pipe", "pipe", "ignore"],
      }).toString();
      // The first line is the trace's header.
      const expected = printed.slice(printed.indexOf("\n") + 1);
      const found = sent(header, frames, option);
      compared += 1;
      commands += found.split("\n").length - 1;
      if (expected === found && printed.startsWith("{")) continue;
      failures += 1;
      console.error(`${file} with ${JSON.stringify(camera)}, ${JSON.stringify(option)}:`);
      console.error(`  aim prints ${JSON.stringify(expected.slice(0, 200))}`);
      console.error(`  the page   ${JSON.stringify(found.slice(0, 200))}`);
    }
  }
}
console.log(`${commands} commands in ${compared} runs compared, ${failures} runs differ`);
process.exit(failures > 0 || commands < 1000 ? 1 : 0);
