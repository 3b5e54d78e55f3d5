// @ts-check
// The boxes and the landmarks over the camera's picture.
import { element, svg } from "../common/elements.js";

const boxes = element("boxes");

/** Draws the target in red and the others in yellow.
 * @param {Sighting | null} sighting
 * @param {number} width of the view, in points
 * @param {number} height */
export function showBoxes(sighting, width, height) {
  boxes.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const marks = (sighting?.others ?? []).flatMap((mark) => drawing(mark, "other"));
  if (sighting?.target) marks.push(...drawing(sighting.target, "target"));
  boxes.replaceChildren(...marks);
}

/** @param {Mark} mark
 * @param {string} name */
function drawing(mark, name) {
  return [rectangle(mark, name), ...outlines(mark, name)];
}

/** The landmarks: lines along their points, or a dot. Eyes and lips are closed.
 * @param {Mark} mark
 * @param {string} name */
function outlines({ landmarks = {} }, name) {
  const found = Object.entries(landmarks).filter(([, points]) => points.length > 0);
  return found.map(([what, points]) => {
    const isClosed = points.length === 1 || /(Eye|Lips)$/.test(what);
    const way = isClosed ? [...points, points[0]] : points;
    return svg("polyline", { class: name, points: way.join(" ") });
  });
}

/** @param {Mark} mark
 * @param {string} name */
function rectangle({ box: [x, y, width, height] }, name) {
  return svg("rect", { class: name, x, y, width, height, rx: 4 });
}
