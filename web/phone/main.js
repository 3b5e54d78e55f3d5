// @ts-check
// The phone's page: camera, faces, where to aim, and the gateway.
import { hasToken, setToken } from "../common/access.js";
import { element, text } from "../common/elements.js";
import { Aim } from "./aim.js";
import { Camera, CameraFailure } from "./camera.js";
import { BrowserFaces } from "./faces.js";
import { Latency } from "./latency.js";
import { Link, OFF } from "./link.js";
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
let status = OFF;
let isRunning = false;
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
  if (document.visibilityState !== "visible" || !status.detector) return;
  faces?.offer(video, time, camera.mirrored);
}, () => {
  lose();
  if (isRunning && document.visibilityState === "visible") openCamera();
});
const link = new Link((event) => ask((aim) => aim.report(event)), (now) => {
  if (now.standing !== status.standing) {
    faces?.forget();
    latency.close();
    forgetLatency();
    if (now.standing === "open") latency.open();
  }
  status = now;
  showNotice(problem());
  show();
}, (answer) => {
  if (faces instanceof SentPictures) faces.answer(answer);
});

/** Returns what keeps the connection from working, as a sentence; empty if nothing does. */
function problem() {
  const { standing, why } = status;
  if (standing === "no-detector") {
    return "This browser cannot find faces. Start `sentry-camera serve` on the gateway's "
      + "computer, and the gateway with --detector.";
  }
  if (standing !== "refused") return why;
  return hasToken() ? `The gateway refuses this page: ${why}.` : `${why}.`;
}

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
      link.abandon();
      stop();
      showNotice(`The page can no longer aim (${error}). Start the camera again.`);
      show();
    } else showTrouble(`${error}`);
    return null;
  }
}

/** @param {Finding} finding */
function find({ found, image, time, mirrored }) {
  // Ignore what was found in a picture of the other camera.
  if (!isRunning || mirrored !== camera.mirrored) return;
  heard = performance.now();
  const view = [video.clientWidth, video.clientHeight];
  if (view[0] < 1 || view[1] < 1) return;
  seen = Math.max(seen, time);
  const begun = ask((aim) => {
    aim.use({ image, mirrored, view, ...(fov === null ? {} : { fov }) }, {
      gravity: "aspect-fill", mirror: reverse.checked, stick: STICK,
      ...(fov === null ? {} : { mapping: "fov" }),
      // The time of a frame is that of its picture, so the picture has no age.
      ...(lead === null ? {} : { follow: true, age: 0, lead }),
    });
    return true;
  });
  const frame = { t: seen / 1000, found };
  const sighting = begun && link.report("see", JSON.stringify(frame));
  if (!sighting) return;
  showSighting(sighting, true);
  showBoxes(sighting, view[0], view[1]);
  if (sighting.command && !status.elsewhere) latency.sent(sighting.command, time);
}

/** Handles that no face can be seen. */
function lose() {
  const sighting = link.report("lose");
  if (isRunning) showSighting(sighting, true);
  showBoxes(null, 1, 1);
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
  lose();
  await openCamera();
  if (!isRunning) return;
  wake.hold();
  link.open(faces.path);
}

function stop() {
  lose();
  isRunning = false;
  wake.release();
  camera.close();
  link.report("stop");
  showSighting(null, false);
  showNotice("");
  show();
}

/** @param {string} why */
function showTrouble(why) {
  text("description", why);
}

function show() {
  showConnection(status);
  showPanel(isRunning, status.standing === "refused");
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
  if (faces) link.open(faces.path);
};
document.addEventListener("visibilitychange", () => {
  // Locking the phone hides the page, too.
  if (document.visibilityState === "hidden") lose();
  else if (isRunning && !camera.isOpen) openCamera();
});
addEventListener("pagehide", () => {
  lose();
  link.report("sleep");
});
// The browser can keep a page, and show it again.
addEventListener("pageshow", () => link.report("wake"));
setInterval(() => {
  if (isRunning && performance.now() - heard > BLIND) lose();
}, 250);

// The turret is mounted the same way at the next visit.
reverse.checked = localStorage.getItem(REVERSE) !== null;
reverse.onchange = () => {
  if (reverse.checked) localStorage.setItem(REVERSE, "yes");
  else localStorage.removeItem(REVERSE);
};

start.disabled = false;
show();
