// @ts-check
// The phone's page: camera, faces, where to aim, and the gateway.
import { hasToken, setToken } from "../common/access.js";
import { element, text } from "../common/elements.js";
import { Aim } from "./aim.js";
import { Camera, CameraFailure } from "./camera.js";
import { BrowserFaces } from "./faces.js";
import { Latency } from "./latency.js";
import { Link } from "./link.js";
import { showBoxes } from "./overlay.js";
import { SentPictures } from "./pictures.js";
import {
  forgetLatency, showConnection, showLatency, showNotice, showPanel, showSighting,
} from "./screen.js";
import { Wake } from "./wake.js";

/** If no answer about a picture arrives for this time, in milliseconds, the face counts as lost. */
const BLIND = 1000;
/** A target is kept until another one is this many times as big. */
const STICK = 1.2;
const REVERSE = "sentrybench-reverse";

const video = /** @type {HTMLVideoElement} */ (element("preview"));
const reverse = /** @type {HTMLInputElement} */ (element("reverse"));
const switcher = /** @type {HTMLButtonElement} */ (element("switch"));
const start = /** @type {HTMLButtonElement} */ (element("start"));
/** @type {Aim | null} */
let aim = null;
/** @type {BrowserFaces | SentPictures | null} */
let faces = null;
/** @type {Standing} */
let standing = "off";
let hasDetector = true;
let isRunning = false;
let isRefused = false;
/** When the last answer about a picture arrived. */
let heard = 0;
/** When the newest picture with an answer was taken. */
let seen = 0;

const wake = new Wake();
const latency = new Latency(showLatency);
const asked = new URLSearchParams(location.search);
/** Whether the pictures are those of the gateway's rig. */
const isRig = asked.get("camera") === "rig";
/** The camera's horizontal field of view in degrees, if the address states it: then angles are those
 * of the world. */
const fov = number("fov");
/** How far a moving face is led, in seconds: the time from a picture until the turret has turned. */
const lead = fov === null ? null : number("follow");
const camera = new Camera(video, isRig, (time) => {
  // A hidden page sends no pictures, and without a detector they would be refused.
  if (document.visibilityState !== "visible" || !hasDetector) return;
  faces?.offer(video, time, camera.mirrored);
}, () => {
  lose();
  if (isRunning && document.visibilityState === "visible") openCamera();
});
const link = new Link((now, why) => {
  // While it tries again, the reason for that stays visible.
  if (now === "connecting" && (standing === "away" || standing === "no-detector")) return;
  standing = now;
  isRefused = now === "refused";
  hasDetector = true;
  faces?.forget();
  if (now === "open") {
    latency.open();
    greet();
  } else {
    latency.close();
    forgetLatency();
    lose();
  }
  if (isRefused) showNotice(hasToken() ? `The gateway refuses this page: ${why}.` : `${why}.`);
  else if (now === "no-detector") {
    showNotice("This browser cannot find faces. Start `sentry-camera serve` on the gateway's "
      + "computer, and the gateway with --detector.");
  } else showNotice("");
  show();
}, ({ code, message }) => {
  if (code === "control-gained") greet();
  else if (code === "detector-away") hasDetector = false;
  else if (code === "detector-ready") hasDetector = true;
  else if (code === "no-board" || code === "leaving") showNotice(`${message}.`);
  if (code === "control-gained" || code === "detector-ready") showNotice("");
  show();
}, (answer) => {
  if (faces instanceof SentPictures) faces.answer(answer);
});

/** Returns a number above 0 in the page's address; null if there is none.
 * @param {string} name */
function number(name) {
  const value = Number(asked.get(name) ?? NaN);
  return value > 0 && Number.isFinite(value) ? value : null;
}

/** Queries the aiming code. Returns null if it fails or is not loaded.
 * @template Answer
 * @param {(aim: Aim) => Answer} question
 * @returns {Answer | null} */
function ask(question) {
  if (!aim) return null;
  try {
    return question(aim);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      // The next start loads it again.
      aim = null;
      stop();
      showNotice(`The page can no longer aim (${error}). Start the camera again.`);
      show();
    } else showTrouble(`${error}`);
    return null;
  }
}

/** Makes the next command go out even if nothing changed: the turret may have missed the last. */
function greet() {
  ask((aim) => aim.reconnect());
  if (performance.now() - heard > BLIND) lose("L");
}

/** @param {Finding} finding */
function find({ found, image, time, mirrored }) {
  // Ignore what was found in a picture of the other camera.
  if (!isRunning || mirrored !== camera.mirrored) return;
  heard = performance.now();
  const view = [video.clientWidth, video.clientHeight];
  if (view[0] < 1 || view[1] < 1) return;
  seen = Math.max(seen, time);
  const sighting = ask((aim) => {
    aim.use({ image, mirrored, view, ...(fov === null ? {} : { fov }) }, {
      gravity: "aspect-fill", mirror: reverse.checked, stick: STICK,
      ...(fov === null ? {} : { mapping: "fov" }),
      // The time of a frame is that of its picture, so the picture has no age.
      ...(lead === null ? {} : { follow: true, age: 0, lead }),
    });
    return aim.see(seen / 1000, found);
  });
  if (!sighting) return;
  showSighting(sighting, true);
  showBoxes(sighting, view[0], view[1]);
  if (!sighting.command) return;
  if (!link.isElsewhere) latency.sent(sighting.command, time);
  link.send(sighting.command);
}

/** Handles that no face can be seen.
 * @param {string} otherwise the command to send if no picture was ever searched; empty for none */
function lose(otherwise = "") {
  const sighting = ask((aim) => aim.lose());
  if (isRunning) showSighting(sighting, true);
  showBoxes(null, 1, 1);
  const command = sighting ? sighting.command : otherwise;
  if (command) link.sendLast(command);
}

async function openCamera() {
  try {
    await camera.open();
    showNotice("");
  } catch (error) {
    if (!(error instanceof CameraFailure)) throw error;
    stop();
    showNotice(error.message);
  }
  show();
}

async function begin() {
  start.disabled = true;
  try {
    aim ??= await Aim.load();
    faces ??= await BrowserFaces.make(find) ?? new SentPictures(link, find, showTrouble);
  } catch (error) {
    showNotice(`The page cannot be loaded: ${error}. Reload it to try again.`);
    return;
  } finally {
    start.disabled = false;
  }
  isRunning = true;
  showSighting(aim.lose(), true);
  await openCamera();
  if (!isRunning) return;
  wake.hold();
  link.open(faces.path);
}

function stop() {
  lose("L");
  isRunning = false;
  isRefused = false;
  wake.release();
  camera.close();
  latency.close();
  link.close();
  standing = "off";
  forgetLatency();
  showSighting(null, false);
  showNotice("");
  show();
}

/** @param {string} why */
function showTrouble(why) {
  text("description", why);
}

function show() {
  showConnection(standing, link.isElsewhere, hasDetector);
  showPanel(isRunning, isRefused);
  switcher.hidden = isRig;
  switcher.textContent = camera.facing === "user" ? "Use the back camera" : "Use the front camera";
}

start.onclick = begin;
element("stop").onclick = stop;
element("take").onclick = () => faces && link.open(faces.path);
switcher.onclick = () => {
  camera.facing = camera.facing === "user" ? "environment" : "user";
  lose();
  openCamera();
};
element("ask").onsubmit = (event) => {
  event.preventDefault();
  setToken(/** @type {HTMLInputElement} */ (element("token")).value);
  isRefused = false;
  showNotice("");
  show();
  if (faces) link.open(faces.path);
};
document.addEventListener("visibilitychange", () => {
  // Locking the phone hides the page, too.
  if (document.visibilityState === "hidden") lose();
  else if (isRunning && !camera.isOpen) openCamera();
});
addEventListener("pagehide", () => {
  lose();
  link.close();
});
addEventListener("pageshow", (event) => {
  // The browser kept the page and shows it again.
  if (event.persisted && isRunning && faces) link.open(faces.path);
});
setInterval(() => {
  if (isRunning && link.isOpen && performance.now() - heard > BLIND) lose();
}, 250);

// The turret is mounted the same way at the next visit.
reverse.checked = localStorage.getItem(REVERSE) !== null;
reverse.onchange = () => {
  if (reverse.checked) localStorage.setItem(REVERSE, "yes");
  else localStorage.removeItem(REVERSE);
};

start.disabled = false;
show();
