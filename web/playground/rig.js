// @ts-check
// The rig: a turret with a camera follows a face that is where the pointer is. The bench computes
// all of it; here are the clock, the controls and the drawings.

import { attempt } from './engine.js';
import { drawFace } from './face.js';
import { part, shape } from './parts.js';
import { CENTRE, RADIUS, TurretDrawing, point } from './turret.js';

/** @typedef {import('./types.js').RigState} State */

/** The most that a frame advances, in milliseconds: a slow browser shows slow motion. */
const LONGEST = 250;
/** The distances of the face, and the greatest at the scale of angles, in metres. */
const NEAREST = 0.8;
const FURTHEST = 2.8;
const METRE = RADIUS / 3;
/** The keys that move the face, by degrees and metres. */
const KEYS = new Map([
  ['ArrowLeft', [-2, 0]], ['ArrowRight', [2, 0]], ['ArrowUp', [0, 0.1]], ['ArrowDown', [0, -0.1]],
  ['PageDown', [-20, 0]], ['PageUp', [20, 0]], ['Home', [-180, 0]], ['End', [180, 0]],
]);
const PICTURE = { width: 320, height: 240 };
/** The span of the history, in microseconds. */
const SPAN = 10e6;

/** @param {number} degrees */
const angle = (degrees) => `${degrees.toFixed(1)}°`;

/** The turret and the face from above. */
class Scene extends TurretDrawing {
  /**
   * @param {HTMLElement} place
   * @param {() => void} moved is called when the face has moved.
   */
  constructor(place, moved) {
    super(place);
    this.moved = moved;
    this.degrees = 110;
    this.distance = 1.5;
    this.view = shape('path', { class: 'view' });
    this.person = shape('g', { class: 'person' });
    this.person.append(
      shape('ellipse', { rx: 17, ry: 8 }), shape('circle', { cy: 2, r: 8.5 }));
    this.svg.prepend(this.view);
    this.svg.append(this.person);
    // A finger moves the face even where it does not touch the drawing any more.
    place.addEventListener('pointerdown', (event) => {
      place.setPointerCapture(event.pointerId);
      this.point(event);
    });
    place.addEventListener('pointermove', (event) => this.point(event));
    place.addEventListener('keydown', (event) => {
      const step = KEYS.get(event.key);
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.move(this.degrees + step[0], this.distance + step[1]);
    });
    this.move(this.degrees, this.distance);
  }

  /** @param {PointerEvent} event */
  point(event) {
    const { degrees, radius } = this.locate(event);
    this.move(degrees, radius / METRE);
  }

  /**
   * @param {number} degrees
   * @param {number} distance in metres
   */
  move(degrees, distance) {
    this.degrees = Math.min(180, Math.max(0, degrees));
    this.distance = Math.min(FURTHEST, Math.max(NEAREST, distance));
    const { x, y } = point(this.degrees, this.distance * METRE);
    this.person.setAttribute('transform', `translate(${x} ${y}) rotate(${this.degrees - 90})`);
    const { place } = this;
    place.setAttribute('aria-valuenow', String(Math.round(this.degrees)));
    place.setAttribute('aria-valuetext',
      `${Math.round(this.degrees)} degrees, ${this.distance.toFixed(1)} metres away`);
    this.moved();
  }

  /** @param {State} state */
  show({ shaft, commanded, view }) {
    this.turn(shaft, commanded);
    const [a, b] = [point(shaft - view / 2, RADIUS), point(shaft + view / 2, RADIUS)];
    this.view.setAttribute('d', `M${CENTRE.x} ${CENTRE.y}L${a.x} ${a.y}`
      + `A${RADIUS} ${RADIUS} 0 0 1 ${b.x} ${b.y}z`);
  }
}

/** The picture that the program has, as late as it gets it. */
class Picture {
  /** @param {HTMLElement} place */
  constructor(place) {
    const { width, height } = PICTURE;
    this.svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': 'The camera\'s picture' });
    this.box = shape('rect', { class: 'box' });
    this.head = shape('g', {});
    this.head.append(...drawFace());
    this.face = shape('g', { class: 'face', visibility: 'hidden' });
    this.face.append(this.head, this.box);
    this.svg.append(this.face, shape('path', {
      class: 'cross', d: `M${width / 2} 0v${height}M0 ${height / 2}h${width}`,
    }));
    place.append(this.svg);
  }

  /** @param {State} state */
  show({ box }) {
    this.face.setAttribute('visibility', box ? 'visible' : 'hidden');
    if (!box) return;
    const [width, height] = [box[2] * PICTURE.width, box[3] * PICTURE.height];
    const [x, y] = [box[0] * PICTURE.width, (1 - box[1]) * PICTURE.height - height];
    for (const [key, value] of Object.entries({ x, y, width, height })) {
      this.box.setAttribute(key, value.toFixed(2));
    }
    this.head.setAttribute('transform', `translate(${x + width / 2} ${y + height / 2}) `
      + `scale(${width / 48} ${height / 58})`);
  }
}

/** The angles of the last ten seconds, as the page has drawn them. */
class History {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.svg = shape('svg', { class: 'timeline', role: 'img',
      'aria-label': 'The last ten seconds: face, commanded angle, and shaft' });
    this.grid = shape('path', { class: 'grid' });
    this.axis = shape('g', { class: 'figures' });
    this.lines = new Map(/** @type {const} */ (['shaft', 'face', 'commanded']).map((name) => [
      name, shape('path', { class: `line-${name}` })]));
    this.svg.append(this.grid, ...this.lines.values(), this.axis);
    place.append(this.svg);
    /** @type {State[]} */
    this.states = [];
  }

  /** @param {State} state */
  take(state) {
    const last = this.states.at(-1)?.now ?? 0;
    if (state.now < last) this.states = [];
    // While no time passes, only the face moves.
    else if (state.now === last) this.states.pop();
    this.states.push(state);
    while (this.states[0].now < state.now - SPAN) this.states.shift();
    this.draw(state.now);
  }

  /** @param {number} now */
  draw(now) {
    const width = Math.max(280, this.place.clientWidth);
    const [left, right, top, bottom] = [38, width - 8, 10, 186];
    for (const [key, value] of [['width', width], ['height', 214]]) {
      this.svg.setAttribute(String(key), String(value));
    }
    /** @param {number} t */
    const x = (t) => (right - ((now - t) / SPAN) * (right - left)).toFixed(1);
    /** @param {number} v */
    const y = (v) => (bottom - (v / 180) * (bottom - top)).toFixed(1);
    const marks = [0, 45, 90, 135, 180];
    this.grid.setAttribute('d', marks.map((v) => `M${left} ${y(v)}H${right}`).join(''));
    this.axis.replaceChildren(
      ...marks.map((v) => shape('text', { x: left - 6, y: Number(y(v)) + 4, class: 'end' },
        `${v}°`)),
      shape('text', { x: left, y: 208 }, '10 s ago'),
      shape('text', { x: right, y: 208, class: 'end' }, `${(now / 1e6).toFixed(1)} s`));
    for (const [name, line] of this.lines) {
      let d = '';
      for (const state of this.states) {
        const value = state[name];
        if (value !== null) d += `${d ? 'L' : 'M'}${x(state.now)} ${y(value)}`;
      }
      line.setAttribute('d', d);
    }
  }
}

export class Rig {
  /** @param {import('./engine.js').Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.isShown = false;
    this.isBusy = false;
    /** Whether something changed while a request was under way. */
    this.isStale = true;
    this.hasReset = false;
    this.last = performance.now();
    // Who prefers less motion starts it.
    this.isRunning = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.picture = new Picture(part('picture', HTMLElement));
    this.history = new History(part('rig-history', HTMLElement));
    this.scene = new Scene(part('scene', HTMLElement), () => { this.isStale = true; });
    this.delay = part('rig-delay', HTMLInputElement);
    this.zone = part('rig-zone', HTMLInputElement);
    this.program = part('rig-program', HTMLSelectElement);
    this.servo = part('rig-servo', HTMLSelectElement);
    this.settings = '';
    this.listen();
    this.nameButton();
    requestAnimationFrame((now) => this.frame(now));
  }

  listen() {
    for (const slider of [this.delay, this.zone]) {
      slider.addEventListener('input', () => this.describe());
    }
    for (const control of [this.delay, this.zone, this.program, this.servo]) {
      control.addEventListener('change', () => this.choose());
    }
    part('rig-pause', HTMLElement).addEventListener('click', () => {
      this.isRunning = !this.isRunning;
      this.nameButton();
    });
    part('rig-reset', HTMLElement).addEventListener('click', () => {
      this.hasReset = true;
      this.isStale = true;
    });
    this.choose();
  }

  nameButton() { part('rig-pause', HTMLElement).textContent = this.isRunning ? 'Pause' : 'Run'; }

  describe() {
    part('rig-delay-shown', HTMLElement).textContent = `${this.delay.value} ms`;
    part('rig-zone-shown', HTMLElement).textContent = `${this.zone.value}°`;
  }

  /** Takes the settings, with which the bench begins a session. */
  choose() {
    this.describe();
    this.settings = [this.delay, this.zone, this.program, this.servo]
      .map((control) => control.value).join(' ');
    this.isStale = true;
  }

  /** @param {number} now */
  async frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    if (this.isBusy) return;
    const passed = this.isRunning && !document.hidden ? Math.min(now - this.last, LONGEST) : 0;
    this.last = now;
    if (!this.isShown || (passed <= 0 && !this.isStale)) return;
    this.isBusy = true;
    this.isStale = false;
    const begin = this.hasReset ? 'begin' : String(Math.floor(passed * 1000));
    this.hasReset = false;
    const { degrees, distance } = this.scene;
    const state = await attempt(() => this.engine.json(
      `rig ${begin} ${degrees.toFixed(2)} ${distance.toFixed(2)} ${this.settings}`));
    if (state) this.show(state);
    this.isBusy = false;
  }

  /** @param {State} state */
  show(state) {
    this.scene.show(state);
    this.picture.show(state);
    this.history.take(state);
    /** @param {string} name @param {string} text */
    const set = (name, text) => {
      const place = part(`rig-${name}`, HTMLElement);
      if (place.textContent !== text) place.textContent = text;
    };
    const { error, onTarget, commanded, age, box } = state;
    set('error', angle(Math.abs(error)));
    set('target', onTarget === null ? '–' : `${Math.floor(onTarget * 100)} %`);
    set('rate', state.rate.toFixed(1));
    set('face', angle(state.face));
    set('commanded', commanded === null ? '–' : `${commanded}°${state.sweeping ? ', sweeps' : ''}`);
    set('shaft', angle(state.shaft));
    set('picture', age === null ? 'No picture has arrived yet.'
      : `The camera's picture, ${age} ms old${box ? '' : ': no face in it'}`);
  }
}
