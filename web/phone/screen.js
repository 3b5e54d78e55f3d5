// @ts-check
// The texts around the picture.
import { element, text } from "../common/elements.js";

/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ (element(id));

const STANDINGS = {
  off: "Not connected",
  connecting: "Connecting",
  open: "Connected",
  away: "The gateway does not answer",
  refused: "Refused",
  "no-detector": "The gateway has no detector",
};

/** Shows the state of the connection, in green if the turret is following.
 * @param {Status} status */
export function showConnection({ standing, elsewhere, detector }) {
  let words = STANDINGS[standing];
  if (standing === "open" && elsewhere) words = "Another client controls the turret";
  else if (standing === "open" && !detector) words = "The detector does not answer";
  text("connection", words);
  element("connection").className = words === STANDINGS.open ? "good" : "bad";
  element("take").hidden = !(standing === "open" && elsewhere);
}

/** @param {Sighting | null} sighting null if no picture was seen yet
 * @param {boolean} isRunning whether pictures are expected */
export function showSighting(sighting, isRunning) {
  text("title", sighting?.title ?? "Sentry mode");
  const otherwise = isRunning ? "No picture yet" : "The camera is off";
  text("description", sighting?.description ?? otherwise);
  text("degrees", sighting?.degrees == null ? "–" : `${sighting.degrees}°`);
}

/** @param {number} median in milliseconds
 * @param {number} last */
export function showLatency(median, last) {
  element("latency").dataset.last = last.toFixed(1);
  text("latency", `${Math.round(median)} ms`);
}

export function forgetLatency() {
  text("latency", "–");
}

/** Shows what keeps the page from working, over the picture; empty if nothing does.
 * @param {string} words */
export function showNotice(words) {
  text("notice", words);
}

/** Shows the panel with the explanation and the button that starts, or hides it.
 * @param {boolean} isRunning
 * @param {boolean} asksForToken */
export function showPanel(isRunning, asksForToken) {
  const isShown = !isRunning || asksForToken || element("notice").textContent !== "";
  const hadFocus = element("panel").contains(document.activeElement);
  element("panel").hidden = !isShown;
  element("ask").hidden = !asksForToken;
  button("start").hidden = isRunning;
  button("stop").disabled = !isRunning;
  button("switch").disabled = !isRunning;
  if (asksForToken) element("token").focus();
  else if (hadFocus && !isShown) button("stop").focus();
  else if (!isRunning && document.activeElement === document.body) button("start").focus();
}
