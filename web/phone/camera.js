// @ts-check
// The camera: opens it, shows its picture, and reports each new one.
import { openRig } from "./rig.js";

/** Why there is no picture, in words for the user. */
export class CameraFailure extends Error {}

const WORDS = /** @type {Record<string, string>} */ ({
  NotAllowedError: "The browser is not allowed to use the camera. Allow it in the page's settings.",
  NotFoundError: "No camera was found.",
  NotReadableError: "Another program is using the camera.",
});

export class Camera {
  /** The camera to open.
   * @type {"environment" | "user"} */
  facing = "environment";
  /** Whether the picture is shown as in a mirror. A front camera's picture is. */
  mirrored = false;
  /** @type {MediaStream | null} */
  #stream = null;
  /** Counts calls of open and close, so that a stream that arrives too late is not used. */
  #attempt = 0;

  /** @param {HTMLVideoElement} video
   * @param {boolean} isRig whether to use the camera of the gateway's rig
   * @param {(time: number) => void} onPicture is called with the time at which a picture was
   *   taken, as performance.now() counts
   * @param {() => void} onEnd is called if the system takes the camera away */
  constructor(video, isRig, onPicture, onEnd) {
    this.video = video;
    this.isRig = isRig;
    this.onPicture = onPicture;
    this.onEnd = onEnd;
  }

  get isOpen() {
    return this.#stream !== null;
  }

  async open() {
    this.close();
    const attempt = ++this.#attempt;
    if (!this.isRig && !navigator.mediaDevices) {
      throw new CameraFailure("Browsers allow a page to use the camera only over https.");
    }
    /** @type {MediaStream} */
    let stream;
    try {
      stream = this.isRig ? await openRig() : await this.#openOwn();
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      throw new CameraFailure(WORDS[name] ?? `The camera cannot be opened: ${error}`);
    }
    if (attempt !== this.#attempt) {
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    const track = stream.getVideoTracks()[0];
    // A computer's camera does not report which way it faces.
    const facing = track.getSettings().facingMode ?? this.facing;
    this.mirrored = !this.isRig && facing === "user";
    this.video.classList.toggle("mirrored", this.mirrored);
    track.onended = () => {
      if (this.#stream !== stream) return;
      this.close();
      this.onEnd();
    };
    this.#stream = stream;
    this.video.srcObject = stream;
    try {
      await this.video.play();
    } catch (error) {
      // Another camera may have replaced it meanwhile.
      if (attempt === this.#attempt) throw new CameraFailure(`Cannot show the picture: ${error}`);
      return;
    }
    this.#await(attempt);
  }

  /** Opens a camera of this device. */
  #openOwn() {
    return navigator.mediaDevices.getUserMedia({
      audio: false,
      video: {
        facingMode: { ideal: this.facing }, width: { ideal: 1280 }, height: { ideal: 720 },
        frameRate: { ideal: 30 },
      },
    });
  }

  close() {
    this.#attempt += 1;
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
    this.video.srcObject = null;
  }

  /** @param {number} attempt */
  #await(attempt) {
    /** @param {number} time */
    const take = (time) => {
      if (attempt !== this.#attempt) return;
      this.onPicture(time);
      this.#await(attempt);
    };
    if ("requestVideoFrameCallback" in this.video) {
      this.video.requestVideoFrameCallback((now, data) => take(data.captureTime ?? now));
      return;
    }
    // Older browsers do not report new pictures.
    requestAnimationFrame((now) => take(now));
  }
}
