// @ts-check
// The dashboard: shows what the gateway sends, and sends the user's commands.
import { hasToken, setToken } from "../common/access.js";
import { Control } from "./control.js";
import { showDials } from "./dials.js";
import { element, text } from "../common/elements.js";
import { Feed } from "./feed.js";
import { showCommands, showRefusals, showState } from "./lists.js";
import { Minute } from "./minute.js";
import { listen } from "./saving.js";

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
  // With reduced motion, a line that moves all the time is drawn only once a second.
  if (!calm.matches || now - drawn > 1000) {
    drawn = now;
    minute.draw(time);
  }
  if (Object.keys(news).length === 0) return;
  const changed = news;
  news = {};
  if (changed.device) {
    const { profile, firmware, name } = changed.device;
    text("device", `${profile ?? firmware} on ${name}`);
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
