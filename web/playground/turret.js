// @ts-check
// The turret from above: the commanded angle, the pulse's angle, and the shaft's angle.

import { shape } from './parts.js';

export const RADIUS = 150;
export const CENTRE = { x: 180, y: 176 };

/**
 * The point of an angle on a circle around the shaft. 0 degrees is left, 180 right.
 * @param {number} degrees
 * @param {number} radius
 */
export function point(degrees, radius) {
  const angle = Math.PI - (degrees * Math.PI) / 180;
  return {
    x: CENTRE.x + radius * Math.cos(angle),
    y: CENTRE.y - radius * Math.sin(angle),
  };
}

/**
 * @param {number} degrees
 * @param {number} from
 * @param {number} to
 */
function ray(degrees, from, to) {
  const a = point(degrees, from);
  const b = point(degrees, to);
  return `M${a.x.toFixed(2)} ${a.y.toFixed(2)}L${b.x.toFixed(2)} ${b.y.toFixed(2)}`;
}

/** The drawing, with a scale of angles around it. */
export class TurretDrawing {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.svg = shape('svg', { viewBox: '-10 0 380 214', 'aria-hidden': 'true' });
    this.drawScale();
    this.commanded = shape('path', { class: 'hand-commanded' });
    this.pulse = shape('path', { class: 'hand-pulse' });
    this.head = shape('g', { class: 'head' });
    this.head.append(
      shape('circle', { class: 'body', cx: CENTRE.x, cy: CENTRE.y, r: 30 }),
      shape('path', {
        class: 'barrel',
        d: `M${CENTRE.x - 7} ${CENTRE.y - 20}V${CENTRE.y - 118}h14V${CENTRE.y - 20}z`,
      }),
      shape('circle', { class: 'cap', cx: CENTRE.x, cy: CENTRE.y, r: 9 }));
    this.svg.append(this.head, this.commanded, this.pulse);
    place.append(this.svg);
  }

  drawScale() {
    const a = point(0, RADIUS);
    const b = point(180, RADIUS);
    this.svg.append(shape('path', {
      class: 'scale', d: `M${a.x} ${a.y}A${RADIUS} ${RADIUS} 0 0 1 ${b.x} ${b.y}`,
    }));
    for (let degrees = 0; degrees <= 180; degrees += 10) {
      const isLong = degrees % 30 === 0;
      this.svg.append(shape('path', {
        class: 'scale', d: ray(degrees, RADIUS, RADIUS + (isLong ? 8 : 4)),
      }));
      if (!isLong) continue;
      // The labels at the sides need more distance, because they are wider than high.
      const aside = 6 * Math.abs(Math.cos((degrees * Math.PI) / 180));
      const { x, y } = point(degrees, RADIUS + 18 + aside);
      this.svg.append(shape('text', { class: 'figure', x, y: y + 4 }, `${degrees}°`));
    }
  }

  /**
   * Returns where a pointer is: the angle in degrees of the turret, and the radius.
   * @param {PointerEvent} event
   */
  locate(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 380 - 10 - CENTRE.x;
    const y = Math.max(0, CENTRE.y - ((event.clientY - box.top) / box.height) * 214);
    return { degrees: 180 - (Math.atan2(y, x) * 180) / Math.PI, radius: Math.hypot(x, y) };
  }

  /**
   * Draws the shaft's angle, the commanded one and that of the last pulse.
   * @param {number} shaft
   * @param {number | null} commanded
   * @param {number | null} pulse
   */
  turn(shaft, commanded, pulse = null) {
    this.head.setAttribute('transform', `rotate(${shaft - 90} ${CENTRE.x} ${CENTRE.y})`);
    this.commanded.setAttribute('d', commanded === null ? '' : ray(commanded, 34, RADIUS - 4));
    this.pulse.setAttribute('d', pulse === null ? '' : ray(pulse, RADIUS - 20, RADIUS + 2));
  }
}

export class Turret extends TurretDrawing {
  /**
   * @param {HTMLElement} place
   * @param {(degrees: number) => void} aim is called with an angle that the user chose.
   */
  constructor(place, aim) {
    super(place);
    this.aim = aim;
    /** @type {number} */
    this.degrees = 90;
    this.listen();
  }

  listen() {
    const { place } = this;
    /** @param {PointerEvent} event */
    const take = (event) => this.choose(this.locate(event).degrees);
    place.addEventListener('pointerdown', (event) => {
      place.setPointerCapture(event.pointerId);
      take(event);
    });
    place.addEventListener('pointermove', (event) => {
      if (place.hasPointerCapture(event.pointerId)) take(event);
    });
    place.addEventListener('keydown', (event) => {
      const steps = new Map([
        ['ArrowLeft', -1], ['ArrowDown', -1], ['ArrowRight', 1], ['ArrowUp', 1],
        ['PageDown', -10], ['PageUp', 10], ['Home', -180], ['End', 180],
      ]);
      const step = steps.get(event.key);
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.choose(this.degrees + step);
    });
  }

  /** @param {number} angle */
  choose(angle) {
    const degrees = Math.min(180, Math.max(0, Math.round(angle)));
    if (degrees === this.degrees) return;
    this.degrees = degrees;
    this.aim(degrees);
  }

  /**
   * @param {number | null} commanded
   * @param {number | null} pulse
   * @param {number} shaft
   */
  show(commanded, pulse, shaft) {
    this.turn(shaft, commanded, pulse);
    if (commanded !== null) this.degrees = commanded;
    this.place.setAttribute('aria-valuenow', String(commanded ?? 90));
    this.place.setAttribute('aria-valuetext', `commanded ${commanded ?? '–'} degrees, `
      + `shaft ${Math.round(shaft)} degrees`);
  }
}
