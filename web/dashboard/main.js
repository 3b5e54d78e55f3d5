// @ts-check
// The dashboard: shows what the gateway sends, and sends the user's commands.
import { hasToken, setToken } from "../common/access.js";
import { Inputs, Lamps, showForms } from "../common/board.js";
import { showDials } from "../common/dials.js";
import { element, text } from "../common/elements.js";
import { Monitor, trouble } from "../common/monitor.js";
import { Control } from "./control.js";
import { Feed } from "./feed.js";
import { showCommands, showRefusals, showState } from "./lists.js";
import { Minute } from "./minute.js";
import { listen } from "./saving.js";

const control = new Control();
const minute = new Minute();
const monitor = new Monitor(
  element("monitor"), (bytes) => control.type(bytes),
  () => (feed.state ? feed.state.time + (performance.now() - feed.heard) / 1000 : 0));
const lamps = new Lamps(element("lamps"));
const inputs = new Inputs(element("inputs"), (input) => {
  monitor.note(input);
  feed.tell(input);
});
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Partial<State>} */
let news = {};
let isOpen = false;
let drawn = 0;
/** When the session began, as performance.now(): another one began at another time, and so did one
 * that was rewound. */
let begun = 0;

const feed = new Feed(
  (message) => {
    if (feed.state) minute.take(message, feed.state);
    const begin = feed.heard - (feed.state?.time ?? 0) * 1000;
    const isAnother = message.history !== undefined && Math.abs(begin - begun) > 1500;
    if (message.serial) monitor.take(message.serial, isAnother);
    begun = begin;
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
  // With reduced motion, a line that moves all the time is drawn only once a second.
  if (!calm.matches || now - drawn > 1000) {
    drawn = now;
    minute.draw(time);
  }
  if (Object.keys(news).length === 0) return;
  const changed = news;
  news = {};
  if (changed.device) {
    const { profile, firmware, name, program, baud } = changed.device;
    text("device", `${profile ?? firmware} on ${name}`);
    monitor.describe({ sketch: profile ?? firmware, device: name, program, baud });
  }
  if (changed.device || changed.unanswered !== undefined) {
    const { baud, sender_baud: sender } = state.device;
    monitor.say(trouble(baud, sender, state.unanswered));
  }
  if (changed.forms !== undefined) {
    showForms(element("forms"), state.forms ?? [], (bytes) => monitor.act(bytes));
  }
  if (changed.pins) lamps.show(state.pins);
  if (changed.inputs) inputs.show(changed.inputs);
  if (changed.pins || changed.inputs !== undefined) {
    element("pins").hidden = state.pins.length === 0 && state.inputs === null;
    element("inputs").hidden = state.inputs === null;
  }
  if (changed.servos) showDials(state.servos);
  if (changed.commands) {
    showCommands(state.commands, state.device, state.commands_taken !== null);
  }
  if (changed.refusals) showRefusals(state.refusals);
  control.show(state);
  showState(state);
}

listen();
element("ask").onsubmit = (event) => {
  event.preventDefault();
  setToken(/** @type {HTMLInputElement} */ (element("token")).value);
  element("ask").hidden = true;
  feed.connect();
};
feed.connect();
requestAnimationFrame(frame);
