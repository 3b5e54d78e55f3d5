// @ts-check
// Saves the last minutes of the session: as the gateway's trace, or as a report that the bench's
// own code makes from it in this browser.
import { get } from "../common/access.js";
import { element, text } from "../common/elements.js";

/** The session cannot be saved, with the reason for the user. */
class Refusal extends Error {}

/** The last minutes of the session as a trace.
 * @returns {Promise<Uint8Array>} */
async function trace() {
  const answer = await get("/session.jsonl").catch(() => {
    throw new Refusal("The gateway does not answer.");
  });
  if (!answer.ok) throw new Refusal((await answer.text()).trim());
  return new Uint8Array(await answer.arrayBuffer());
}

/** The trace as a report. The playground's code is loaded when it is first needed.
 * @param {Uint8Array} trace
 * @returns {Promise<Uint8Array>} */
async function report(trace) {
  const found = await fetch("/playground/playground.wasm", { method: "HEAD" });
  if (!found.ok) {
    throw new Refusal("The playground, which makes reports, is not installed with this gateway. "
      + "Save the trace instead: `sentrybench report FILE` makes a report from it.");
  }
  const { Engine } = await import("../playground/engine.js");
  return new Promise((resolve, reject) => {
    const engine = new Engine((message) => reject(new Refusal(message)));
    engine.json("open session.jsonl", trace)
      .then(() => engine.request("report"))
      .then(resolve, (error) => reject(new Refusal(error.message)))
      .finally(() => engine.worker.terminate());
  });
}

/** @param {string} ending
 * @param {string} type
 * @param {Uint8Array} bytes */
function download(ending, type, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  link.download = `session-${time}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {() => Promise<void>} work */
async function attempt(work) {
  text("saved", "");
  try {
    await work();
    text("saved", "Saved.");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    text("saved", error.message);
  }
}

/** Makes the buttons work. */
export function listen() {
  element("save").onclick = () => attempt(async () => {
    download("jsonl", "application/x-ndjson", await trace());
  });
  element("save-report").onclick = () => attempt(async () => {
    const session = await trace();
    text("saved", "Making the report…");
    download("html", "text/html", await report(session));
  });
}
