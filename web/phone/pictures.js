// @ts-check
// Finds faces with the gateway's detector: sends it pictures and takes its answers.
import { Snapshot } from "./snapshot.js";

const WIDTH = 320;
const QUALITY = 0.8;
/** The gateway accepts no larger picture. */
const BYTES_MAX = 200_000;
/** The shortest time between two pictures, in milliseconds: 15 a second. */
const PERIOD = 1000 / 15;
/** A camera's pictures do not arrive at exactly the same intervals. In milliseconds. */
const SLACK = 5;
/** One picture is searched while the next is on its way. */
const AWAITED_MAX = 2;

export class SentPictures {
  path = "/detect";
  #snapshot = new Snapshot();
  #isBusy = false;
  #due = 0;
  #count = 0;
  /** The pictures without an answer, by their number.
   * @type {Map<number, {time: number, mirrored: boolean}>} */
  #awaited = new Map();

  /** @param {{hasRoom: boolean, sendPicture(picture: Blob): boolean}} link
   * @param {(finding: Finding) => void} onFinding
   * @param {(why: string) => void} onTrouble */
  constructor(link, onFinding, onTrouble) {
    this.link = link;
    this.onFinding = onFinding;
    this.onTrouble = onTrouble;
  }

  /** Sends a picture, unless it is too early for one: a newer one will follow.
   * @param {HTMLVideoElement} video
   * @param {number} time
   * @param {boolean} mirrored */
  offer(video, time, mirrored) {
    const now = performance.now();
    if (this.#isBusy || now < this.#due - SLACK || !this.link.hasRoom) return;
    if (this.#awaited.size >= AWAITED_MAX) return;
    const picture = this.#snapshot.take(video, WIDTH, mirrored);
    if (!picture) return;
    this.#due = Math.max(this.#due, now - SLACK) + PERIOD;
    this.#isBusy = true;
    picture.toBlob((blob) => {
      this.#isBusy = false;
      if (!blob || blob.size > BYTES_MAX || !this.link.sendPicture(blob)) return;
      this.#count += 1;
      this.#awaited.set(this.#count, { time, mirrored });
    }, "image/jpeg", QUALITY);
  }

  /** Takes the answer to a picture.
   * @param {PictureAnswer} answer */
  answer(answer) {
    const sent = this.#awaited.get(answer.seq);
    this.#awaited.delete(answer.seq);
    if (!sent) return;
    if (answer.error !== undefined) this.onTrouble(answer.error);
    else if (answer.found && answer.image) {
      this.onFinding({ found: answer.found, image: answer.image, ...sent });
    }
  }

  /** On a new connection, the pictures are numbered from 1. */
  forget() {
    this.#awaited.clear();
    this.#count = 0;
  }
}
