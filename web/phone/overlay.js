// @ts-check
// The boxes over the camera's picture.
import { element, svg } from "../common/elements.js";

const boxes = element("boxes");

/** Draws the target in red and the others in yellow.
 * @param {Sighting | null} sighting
 * @param {number} width of the view, in points
 * @param {number} height */
export function showBoxes(sighting, width, height) {
  boxes.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const marks = (sighting?.others ?? []).map((mark) => rectangle(mark, "other"));
  if (sighting?.target) marks.push(rectangle(sighting.target, "target"));
  boxes.replaceChildren(...marks);
}

/** @param {Mark} mark
 * @param {string} name */
function rectangle({ box: [x, y, width, height] }, name) {
  return svg("rect", { class: name, x, y, width, height, rx: 4 });
}
