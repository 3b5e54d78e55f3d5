// @ts-check
// A simulated camera picture in which a face follows the pointer or the arrow keys.

import { Newest } from './newest.js';
import { shape } from './parts.js';

/** The shortest time between two pictures, in milliseconds: 30 a second, as from a camera. */
const PACE = 33;
const STEP = 0.04;

/** A face of 44 by 54 around the origin. */
export function drawFace() {
  return [
    shape('ellipse', { class: 'skin', rx: 22, ry: 27 }),
    shape('path', { class: 'features', d: 'M-8 -7v4M8 -7v4M-9 10q9 8 18 0' }),
  ];
}

export class FacePad {
  /**
   * @param {HTMLElement} place
   * @param {(head: string) => void} see is called with the face's position, or '' if there is none.
   */
  constructor(place, see) {
    this.place = place;
    this.seen = new Newest(PACE, see);
    this.x = 0.5;
    this.y = 0.5;
    this.svg = shape('svg', { viewBox: '0 0 320 120', 'aria-hidden': 'true' });
    this.face = shape('g', { class: 'face', visibility: 'hidden' });
    this.face.append(
      shape('rect', { class: 'box', x: -30, y: -34, width: 60, height: 68 }), ...drawFace());
    this.hint = shape('text', { class: 'figure', x: 160, y: 64 },
      'Move the pointer in here, and a face follows it.');
    this.svg.append(this.hint, this.face);
    place.append(this.svg);
    place.addEventListener('pointermove', (event) => {
      const box = this.svg.getBoundingClientRect();
      this.move((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    });
    place.addEventListener('pointerleave', () => this.lose());
    place.addEventListener('blur', () => this.lose());
    place.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.move(this.x - STEP, this.y, true);
      else if (event.key === 'ArrowRight') this.move(this.x + STEP, this.y, true);
      else if (event.key === 'Escape') this.lose();
      else return;
      event.preventDefault();
    });
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  move(x, y, isAlways = false) {
    this.x = Math.min(1, Math.max(0, x));
    this.y = Math.min(1, Math.max(0, y));
    this.face.setAttribute('transform', `translate(${this.x * 320} ${this.y * 120})`);
    this.face.setAttribute('visibility', 'visible');
    this.hint.setAttribute('visibility', 'hidden');
    const head = `${this.x.toFixed(4)} ${(1 - this.y).toFixed(4)}`;
    if (isAlways) this.seen.now(head);
    else this.seen.put(head);
  }

  lose() {
    if (this.face.getAttribute('visibility') === 'hidden') return;
    this.face.setAttribute('visibility', 'hidden');
    this.hint.setAttribute('visibility', 'visible');
    this.seen.now('');
  }
}
