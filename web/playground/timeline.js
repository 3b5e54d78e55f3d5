// @ts-check
// A picture of the last few seconds: angles, pulses, bytes and, in slow motion, bits on the wire.

import { shape } from './parts.js';

/** @typedef {{t: number, v: number}} Sample */

const HEIGHT = 250;
const LEFT = 38;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 156;
const BYTES = 176;
const WIRE = 214;
/** Samples older than this are dropped, in microseconds. */
const KEPT = 20e6;
/** The longest span in which single bits can be seen, in microseconds. */
const BITS_MAX = 100_000;
/** The maximum number of bytes with names. */
const NAMES_MAX = 120;
/** The width of a letter of their names, and the minimum gap between separate names. */
const LETTER = 7.9;
const GAP = 6;

export class Timeline {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.svg = shape('svg', { class: 'timeline', role: 'img', 'aria-label':
      'The last few seconds: commanded angle, pulses, shaft, and bytes' });
    place.append(this.svg);
    this.grid = shape('path', { class: 'grid' });
    this.axis = shape('g', { class: 'figures' });
    this.pulse = shape('path', { class: 'line-pulse' });
    this.shaft = shape('path', { class: 'line-shaft' });
    this.commanded = shape('path', { class: 'line-commanded' });
    this.bytes = shape('g', {});
    this.wire = shape('path', { class: 'line-wire' });
    this.tones = shape('path', { class: 'line-tone' });
    this.svg.append(this.grid, this.pulse, this.shaft, this.commanded, this.tones, this.wire,
      this.bytes, this.axis);
    this.clear();
    new ResizeObserver(() => this.draw()).observe(place);
  }

  clear() {
    /** @type {Sample[]} */ this.aims = [];
    /** @type {Sample[]} */ this.turns = [];
    /** @type {Sample[]} */ this.pulses = [];
    /** @type {Sample[]} */ this.sounds = [];
    /** @type {import('./types.js').Frame[]} */ this.frames = [];
    /** @type {Map<number, import('./types.js').ByteRow>} */ this.rows = new Map();
    this.now = 0;
    this.at = 90;
    this.span = 8e6;
  }

  /** @param {import('./types.js').State} state */
  take(state) {
    if (state.rewound) {
      for (const list of [this.aims, this.turns, this.pulses, this.sounds]) {
        while ((list.at(-1)?.t ?? 0) > state.now) list.pop();
      }
      this.frames = this.frames.filter(([start]) => start <= state.now);
      this.rows.clear();
    }
    for (const [t, kind, value] of state.events) {
      const v = Number(value);
      if (kind === 'servo') this.aims.push({ t, v });
      else if (kind === 'shaft') this.turns.push({ t, v });
      else if (kind === 'pulse') this.pulses.push({ t, v });
      else if (kind === 'tone') this.sounds.push({ t, v });
    }
    this.frames.push(...state.frames);
    for (const row of state.bytes) this.rows.set(row[0], row);
    this.now = state.now;
    this.at = state.shaft;
    this.forget();
  }

  /** Drops samples that are no longer shown, except the last of them, which is still needed. */
  forget() {
    const start = this.now - KEPT;
    for (const list of [this.aims, this.turns, this.pulses, this.sounds]) {
      while (list.length > 1 && list[1].t < start) list.shift();
    }
    while (this.frames.length > 0 && this.frames[0][1] < start) this.frames.shift();
    for (const [number, row] of this.rows) {
      if (row[4] < start || this.rows.size > 1_000) this.rows.delete(number);
    }
  }

  draw() {
    const width = Math.max(280, this.place.clientWidth);
    this.svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.svg.setAttribute('width', String(width));
    this.svg.setAttribute('height', String(HEIGHT));
    const from = this.now - this.span;
    const scale = (width - LEFT - RIGHT) / this.span;
    /** @param {number} t */
    const x = (t) => Math.max(LEFT, LEFT + (t - from) * scale);
    /** @param {number} v */
    const y = (v) => BOTTOM - (v / 180) * (BOTTOM - TOP);
    this.drawGrid(width, y);
    this.commanded.setAttribute('d', this.steps(this.aims, x, y));
    this.shaft.setAttribute('d', this.slopes(x, y));
    let dots = '';
    for (const { t, v } of this.pulses) {
      if (t >= from) dots += `M${x(t).toFixed(1)} ${y(v).toFixed(1)}h0`;
    }
    this.pulse.setAttribute('d', dots);
    this.drawTones(x);
    this.drawWire(from, x);
    this.drawBytes(from, x);
  }

  /**
   * @param {number} width
   * @param {(v: number) => number} y
   */
  drawGrid(width, y) {
    const marks = [0, 45, 90, 135, 180];
    this.grid.setAttribute('d',
      marks.map((v) => `M${LEFT} ${y(v)}H${width - RIGHT}`).join(''));
    const span = this.span >= 1e6 ? `${this.span / 1e6} s` : `${this.span / 1e3} ms`;
    this.axis.replaceChildren(
      ...marks.map((v) => shape('text', { x: LEFT - 6, y: y(v) + 4, class: 'end' }, `${v}°`)),
      shape('text', { x: LEFT, y: HEIGHT - 6 }, `${span} ago`),
      shape('text', { x: width - RIGHT, y: HEIGHT - 6, class: 'end' },
        `${(this.now / 1e6).toFixed(this.span < 1e6 ? 4 : 2)} s`));
  }

  /**
   * @param {Sample[]} samples
   * @param {(t: number) => number} x
   * @param {(v: number) => number} y
   */
  steps(samples, x, y) {
    let d = '';
    for (const { t, v } of samples) {
      d += d === '' ? `M${x(t).toFixed(1)} ${y(v).toFixed(1)}`
        : `H${x(t).toFixed(1)}V${y(v).toFixed(1)}`;
    }
    return d === '' ? '' : `${d}H${x(this.now).toFixed(1)}`;
  }

  /**
   * @param {(t: number) => number} x
   * @param {(v: number) => number} y
   */
  slopes(x, y) {
    const from = this.now - this.span;
    const all = [...this.turns.filter(({ t }) => t <= this.now), { t: this.now, v: this.at }];
    let d = '';
    all.forEach(({ t, v }, i) => {
      const next = all[i + 1];
      if (next && next.t < from) return;
      let place = { t, v };
      if (t < from && next) {
        place = { t: from, v: v + ((next.v - v) * (from - t)) / (next.t - t) };
      }
      d += `${d === '' ? 'M' : 'L'}${x(place.t).toFixed(1)} ${y(place.v).toFixed(1)}`;
    });
    return d;
  }

  /** @param {(t: number) => number} x */
  drawTones(x) {
    let d = '';
    this.sounds.forEach(({ t, v }, i) => {
      const end = this.sounds[i + 1]?.t ?? this.now;
      if (v > 0 && end > this.now - this.span) {
        d += `M${x(t).toFixed(1)} ${TOP}H${x(end).toFixed(1)}`;
      }
    });
    this.tones.setAttribute('d', d);
  }

  /**
   * @param {number} from
   * @param {(t: number) => number} x
   */
  drawWire(from, x) {
    let d = '';
    const isFine = this.span <= BITS_MAX;
    /** @param {string} level */
    const height = (level) => (level === '1' ? WIRE - 10 : WIRE + 10);
    if (isFine) d = `M${LEFT} ${height('1')}`;
    for (const [start, end, , levels] of this.frames) {
      if (end < from) continue;
      if (!isFine) {
        d += `M${x(start).toFixed(1)} ${WIRE}H${Math.max(x(end), x(start) + 1).toFixed(1)}`;
        continue;
      }
      const bit = (end - start) / 10;
      for (let i = 0; i < 10; i += 1) {
        const at = start + i * bit;
        if (at > this.now) break;
        d += `H${x(at).toFixed(1)}V${height(levels[i])}`;
      }
    }
    if (isFine) d += `H${x(this.now).toFixed(1)}`;
    this.wire.setAttribute('d', d);
    this.wire.classList.toggle('is-fine', isFine);
  }

  /**
   * Draws bytes that are close together side by side, beginning where the first one arrived.
   * @param {number} from
   * @param {(t: number) => number} x
   */
  drawBytes(from, x) {
    const shown = [...this.rows.values()].filter((row) => row[4] >= from).slice(-NAMES_MAX);
    /** @type {{at: number, end: number, rows: import('./types.js').ByteRow[]}[]} */
    const groups = [];
    for (const row of shown) {
      const at = x(row[4]);
      const group = groups.at(-1);
      if (group && at < group.end + GAP) {
        group.rows.push(row);
        group.end += row[1].length * LETTER;
      } else {
        groups.push({ at, end: at + row[1].length * LETTER, rows: [row] });
      }
    }
    const right = this.place.clientWidth - 4;
    this.bytes.replaceChildren(...groups.map(({ at, end, rows }) => {
      const text = shape('text', {
        x: (at - Math.max(0, end - right)).toFixed(1), y: BYTES + 4, class: 'byte',
      });
      text.append(...rows.map(([, name, fate]) => shape('tspan', { class: `f-${fate}` }, name)));
      return text;
    }));
  }
}
