// @ts-check
// The dashboard: shows what the gateway sends, and sends what a person does.
import { get, hasToken, setToken } from "../shared/access.js";
import { Control } from "./control.js";
import { showDials } from "./dials.js";
import { element, text } from "../shared/elements.js";
import { Feed } from "./feed.js";
import { showCommands, showRefusals, showState } from "./lists.js";
import { Minute } from "./minute.js";

const control = new Control();
const minute = new Minute();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Partial<State>} */
let news = {};
let isOpen = false;
let drawn = 0;

const feed = new Feed(
  (message) => {
    if (feed.state) minute.take(message, feed.state);
    Object.assign(news, message);
  },
  (standing, why) => {
    isOpen = standing === "open";
    document.body.classList.toggle("stale", !isOpen);
    text("connection", {
      open: "Live", away: "The gateway does not answer. Trying again.", refused: "Refused",
    }[standing]);
    element("connection").className = isOpen ? "good" : "bad";
    element("ask").hidden = standing !== "refused";
    if (standing === "refused") {
      text("why", hasToken() ? `The gateway refuses this page: ${why}.` : `${why}.`);
      element("token").focus();
    }
    if (isOpen) control.reconnect();
    else control.show(null);
  });

function frame() {
  requestAnimationFrame(frame);
  const state = feed.state;
  if (!state || !isOpen) return;
  const now = performance.now();
  const time = state.time + Math.min(now - feed.heard, 1500) / 1000;
  // A line that moves all the time is what reduced motion is about.
  if (!calm.matches || now - drawn > 1000) {
    drawn = now;
    minute.draw(time);
  }
  if (Object.keys(news).length === 0) return;
  const changed = news;
  news = {};
  if (changed.device) {
    text("device", `${changed.device.firmware} on ${changed.device.name}`);
  }
  if (changed.servos) showDials(state.servos);
  if (changed.commands) showCommands(state.commands, state.commands_taken !== null);
  if (changed.refusals) showRefusals(state.refusals);
  control.show(state);
  showState(state);
}

async function save() {
  text("saved", "");
  try {
    const answer = await get("/session.jsonl");
    if (!answer.ok) return text("saved", (await answer.text()).trim());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = `session-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    text("saved", "Saved. `sentrybench report FILE` makes a page of it.");
  } catch {
    text("saved", "The gateway does not answer.");
  }
}

element("save").onclick = save;
element("ask").onsubmit = (event) => {
  event.preventDefault();
  setToken(/** @type {HTMLInputElement} */ (element("token")).value);
  element("ask").hidden = true;
  feed.connect();
};
feed.connect();
requestAnimationFrame(frame);
