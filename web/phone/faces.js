// @ts-check
// Finds faces with the browser's own detector.
import { Snapshot } from "./snapshot.js";

/** The width of the picture that is searched, in pixels. */
const WIDTH = 480;

export class BrowserFaces {
  /** The gateway's path for commands. */
  path = "/";
  #snapshot = new Snapshot();
  #isBusy = false;

  /** Returns a detector if the browser has one that works.
   * @param {(finding: Finding) => void} onFinding */
  static async make(onFinding) {
    if (!("FaceDetector" in window)) return null;
    try {
      const detector = new FaceDetector({ fastMode: true, maxDetectedFaces: 10 });
      const probe = document.createElement("canvas");
      probe.getContext("2d");
      // Some browsers define the class without having a detector.
      await detector.detect(probe);
      return new BrowserFaces(detector, onFinding);
    } catch {
      return null;
    }
  }

  /** @param {FaceDetector} detector
   * @param {(finding: Finding) => void} onFinding */
  constructor(detector, onFinding) {
    this.detector = detector;
    this.onFinding = onFinding;
  }

  /** Searches a picture, unless an older one is being searched.
   * @param {HTMLVideoElement} video
   * @param {number} time
   * @param {boolean} mirrored */
  async offer(video, time, mirrored) {
    if (this.#isBusy) return;
    const picture = this.#snapshot.take(video, WIDTH, mirrored);
    if (!picture) return;
    this.#isBusy = true;
    try {
      const { width, height } = picture;
      const faces = await this.detector.detect(picture);
      const found = faces.map(({ boundingBox: box }) => ({
        kind: "face",
        // Fractions of the picture, with the origin at the lower left.
        box: [box.x / width, 1 - (box.y + box.height) / height, box.width / width,
          box.height / height],
        confidence: 1,
      }));
      this.onFinding({ found, image: [width, height], time, mirrored });
    } catch {
      // A picture that cannot be searched is skipped, like one that is late.
    } finally {
      this.#isBusy = false;
    }
  }

  /** Does nothing: no answer of the gateway is awaited. */
  forget() {}
}
