"""The scripts that test_phone.py runs before the page's own: cameras, a detector, faults."""

# A camera whose picture the check draws, and a stand-in for the browser's own detector, which finds
# what was drawn: a blue square, in shares of the picture from the upper left.
DRAWN = """
  const canvas = document.createElement("canvas");
  window.scene = { width: 640, height: 480, square: null };
  function draw() {
    if (canvas.width !== scene.width) canvas.width = scene.width;
    if (canvas.height !== scene.height) canvas.height = scene.height;
    const context = canvas.getContext("2d");
    context.fillStyle = "#808080";
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (scene.square) {
      const [x, y, side] = scene.square;
      const length = side * Math.min(canvas.width, canvas.height);
      context.fillStyle = "#0000ff";
      context.fillRect(x * canvas.width - length / 2, y * canvas.height - length / 2, length,
        length);
    }
  }
  setInterval(draw, 33);
  // Pages that are not secure have no devices.
  if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = async () => {
    draw();
    return canvas.captureStream();
  };
  const copy = document.createElement("canvas");
  window.FaceDetector = class {
    async detect(picture) {
      [copy.width, copy.height] = [picture.width, picture.height];
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(picture, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, copy.width, copy.height);
      let [left, top, right, bottom] = [width, height, -1, -1];
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const at = 4 * (y * width + x);
          if (data[at + 2] < 200 || data[at] > 60) continue;
          left = Math.min(left, x);
          right = Math.max(right, x + 1);
          top = Math.min(top, y);
          bottom = Math.max(bottom, y + 1);
        }
      }
      if (right < 0) return [];
      return [{ boundingBox: new DOMRect(left, top, right - left, bottom - top) }];
    }
  };
  window.locks = [];
  if (navigator.wakeLock) navigator.wakeLock.request = async (kind) => {
    const lock = new EventTarget();
    lock.released = false;
    lock.release = async () => { lock.released = true; };
    locks.push(lock);
    return lock;
  };
"""
DENIED = """
  if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = async () => {
    throw new DOMException("", "NotAllowedError");
  };
"""
# WebAssembly that traps when the check sets `window.traps`.
TRAPS = """
  const instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...given) => {
    const { instance: { exports } } = await instantiate(...given);
    const run = () => {
      if (window.traps) throw new WebAssembly.RuntimeError("unreachable");
      return exports.run();
    };
    return { instance: { exports: { ...exports, run } } };
  };
"""
HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
