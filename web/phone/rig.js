// @ts-check
// The camera of the gateway's rig, in place of one of this device: /phone?camera=rig. The pictures
// are of the same origin as the page, so it can read the canvas on which it draws them.
import { get } from "../common/access.js";

const PATH = "/camera.mjpg";
/** More than a part of the stream can have, in bytes. */
const BYTES_MAX = 8_000_000;

/** Opens the camera. Its track ends when the gateway has no more pictures.
 * @returns {Promise<MediaStream>} */
export async function openRig() {
  const answer = await get(PATH);
  if (!answer.ok || !answer.body) {
    // A refusal has a sentence, and an answer of another server perhaps not.
    const why = (await answer.text()).slice(0, 200).trim();
    throw new Error(why || `${PATH} has no pictures`);
  }
  const canvas = document.createElement("canvas");
  // Without a context there would be no pictures to capture.
  const context = canvas.getContext("2d", { alpha: false });
  // A picture is captured when it has been drawn, and not by a clock.
  const stream = canvas.captureStream(0);
  const track = /** @type {CanvasCaptureMediaStreamTrack} */ (stream.getVideoTracks()[0]);
  const reader = answer.body.getReader();
  /** The newest picture that has not been drawn.
   * @type {Uint8Array | null} */
  let waiting = null;
  let isDrawing = false;

  async function draw() {
    if (isDrawing) return;
    isDrawing = true;
    while (waiting) {
      const picture = new Blob([waiting], { type: "image/jpeg" });
      waiting = null;
      try {
        const image = await createImageBitmap(picture);
        if (canvas.width !== image.width) canvas.width = image.width;
        if (canvas.height !== image.height) canvas.height = image.height;
        context?.drawImage(image, 0, 0);
        image.close();
        track.requestFrame();
      } catch {
        // A damaged picture is skipped, like one that is late.
      }
    }
    isDrawing = false;
  }

  async function read() {
    const parts = new Parts();
    while (track.readyState === "live") {
      const { done, value } = await reader.read();
      if (done) return;
      for (const part of parts.take(value)) waiting = part;
      draw();
    }
  }

  read().catch(() => {}).finally(() => {
    reader.cancel().catch(() => {});
    if (track.readyState !== "live") return;
    track.stop();
    // A page that stops a track itself gets no event.
    track.dispatchEvent(new Event("ended"));
  });
  return stream;
}

/** Takes the bytes of the stream, and gives the pictures in them. Each part states its length. */
class Parts {
  /** @type {Uint8Array} */
  #bytes = new Uint8Array();

  /** Throws if it is not such a stream.
   * @param {Uint8Array} more */
  take(more) {
    const bytes = new Uint8Array(this.#bytes.length + more.length);
    bytes.set(this.#bytes);
    bytes.set(more, this.#bytes.length);
    /** @type {Uint8Array[]} */
    const pictures = [];
    let begin = 0;
    while (true) {
      const end = headEnd(bytes, begin);
      if (end < 0) break;
      const head = new TextDecoder("latin1").decode(bytes.subarray(begin, end));
      const length = Number(/^content-length: *([0-9]{1,8})\r$/im.exec(head)?.[1] ?? NaN);
      if (!(length <= BYTES_MAX)) throw new Error("a part does not state its length");
      if (bytes.length < end + length) break;
      pictures.push(bytes.slice(end, end + length));
      begin = end + length;
    }
    this.#bytes = bytes.slice(begin);
    if (this.#bytes.length > BYTES_MAX + 10_000) throw new Error("a part is too long");
    return pictures;
  }
}

/** Returns where the head of a part ends: after an empty line; -1 if it has not arrived.
 * @param {Uint8Array} bytes
 * @param {number} begin */
function headEnd(bytes, begin) {
  for (let at = bytes.indexOf(13, begin); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4;
  }
  return -1;
}
