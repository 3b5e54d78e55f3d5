// @ts-check
// A small copy of the camera's picture as the page shows it: upright, and mirrored if it is shown
// as in a mirror. If the phone is turned, the browser rotates the picture, so its width and height
// are swapped.

export class Snapshot {
  #canvas = document.createElement("canvas");

  /** Copies the picture. Returns null if there is none yet.
   * @param {HTMLVideoElement} video
   * @param {number} width in pixels
   * @param {boolean} mirrored
   * @returns {HTMLCanvasElement | null} */
  take(video, width, mirrored) {
    if (video.videoWidth === 0 || video.videoHeight === 0) return null;
    const canvas = this.#canvas;
    const height = Math.max(1, Math.round((width * video.videoHeight) / video.videoWidth));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) return null;
    context.setTransform(mirrored ? -1 : 1, 0, 0, 1, mirrored ? width : 0, 0);
    context.drawImage(video, 0, 0, width, height);
    return canvas;
  }
}
