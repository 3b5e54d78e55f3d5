// @ts-check
// A picture of the last few seconds: angles, pulses, bytes and, in slow motion, bits on the wire.

import { shape } from './parts.js';

/** @typedef {{t: number, v: number}} Sample */
/**
 * What a servo did, with its lines in the picture.
 * @typedef {{aims: Sample[], turns: Sample[], pulses: Sample[], at: number, lines: SVGElement,
 *   pulse: SVGElement, shaft: SVGElement, commanded: SVGElement, name: SVGElement}} Track
 */

const LEFT = 38;
const RIGHT = 8;
const TOP = 10;
/** The height of a servo's lines, for up to one servo, up to four, and more. */
const LANES = [146, 84, 44];
const LANE_GAP = 18;
/** Below the last servo's lines: the bytes, the wire, and the end of the picture. */
const BYTES = 20;
const WIRE = 58;
const END = 94;
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
      'The last few seconds: commanded angle, pulses, shaft of each servo, and bytes' });
    this.bottom = 0;
    place.append(this.svg);
    this.grid = shape('path', { class: 'grid' });
    this.axis = shape('g', { class: 'figures' });
    this.lanes = shape('g', {});
    this.bytes = shape('g', {});
    this.wire = shape('path', { class: 'line-wire' });
    this.tones = shape('path', { class: 'line-tone' });
    this.svg.append(this.grid, this.lanes, this.tones, this.wire, this.bytes, this.axis);
    this.clear((pin) => pin);
    new ResizeObserver(() => this.draw()).observe(place);
  }

  /**
   * Begins again.
   * @param {(pin: string) => string} label how the servo on a pin is named
   */
  clear(label) {
    this.label = label;
    /** The servos, by their pins; '' is the session's own. @type {Map<string, Track>} */
    this.tracks = new Map();
    this.own = this.track('');
    /** Those that are shown, in their order. */
    this.shown = [this.own];
    this.lanes.replaceChildren();
    /** @type {Sample[]} */ this.sounds = [];
    /** @type {import('./types.js').Frame[]} */ this.frames = [];
    /** @type {Map<number, import('./types.js').ByteRow>} */ this.rows = new Map();
    this.now = 0;
    this.span = 8e6;
  }

  /** @param {string} pin */
  track(pin) {
    let track = this.tracks.get(pin);
    if (!track) {
      track = {
        aims: [], turns: [], pulses: [], at: 90, lines: shape('g', {}),
        pulse: shape('path', { class: 'line-pulse' }),
        shaft: shape('path', { class: 'line-shaft' }),
        commanded: shape('path', { class: 'line-commanded' }),
        name: shape('text', { class: 'lane' }),
      };
      track.lines.append(track.pulse, track.shaft, track.commanded, track.name);
      this.tracks.set(pin, track);
    }
    return track;
  }

  /** All lists of samples. */
  get samples() {
    return [this.sounds, ...[...this.tracks.values()].flatMap(
      ({ aims, turns, pulses }) => [aims, turns, pulses])];
  }

  /** @param {import('./types.js').State} state */
  take(state) {
    if (state.rewound) {
      for (const list of this.samples) while ((list.at(-1)?.t ?? 0) > state.now) list.pop();
      this.frames = this.frames.filter(([start]) => start <= state.now);
      this.rows.clear();
    }
    for (const row of state.events) {
      const [t, kind, value] = row;
      const pin = row.at(-1);
      const sample = { t, v: Number(value) };
      const track = this.track(typeof pin === 'string' ? pin : '');
      if (kind === 'servo') track.aims.push(sample);
      else if (kind === 'shaft') track.turns.push(sample);
      else if (kind === 'pulse') track.pulses.push(sample);
      else if (kind === 'tone') this.sounds.push(sample);
    }
    this.frames.push(...state.frames);
    for (const row of state.bytes) this.rows.set(row[0], row);
    this.now = state.now;
    this.order(state.servos);
    this.forget();
  }

  /**
   * Finds the servos to show: all that move, or else the session's own.
   * @param {import('./types.js').ServoRow[]} servos
   */
  order(servos) {
    const before = this.shown.length;
    this.shown = servos.flatMap(([pin, commanded, , , shaft], i) => {
      const track = i === 0 ? this.own : this.track(pin);
      track.at = shaft;
      track.name.textContent = servos.length > 1 ? this.label(pin) : '';
      return i === 0 && commanded === null && servos.length > 1 ? [] : [track];
    });
    if (this.shown.length !== before || !this.lanes.childElementCount) {
      this.lanes.replaceChildren(...this.shown.map(({ lines }) => lines));
    }
  }

  /** Drops samples that are no longer shown, except the last of them, which is still needed. */
  forget() {
    const start = this.now - KEPT;
    for (const list of this.samples) while (list.length > 1 && list[1].t < start) list.shift();
    while (this.frames.length > 0 && this.frames[0][1] < start) this.frames.shift();
    for (const [number, row] of this.rows) {
      if (row[4] < start || this.rows.size > 1_000) this.rows.delete(number);
    }
  }

  draw() {
    const width = Math.max(280, this.place.clientWidth);
    const count = this.shown.length;
    const lane = LANES[count > 4 ? 2 : count > 1 ? 1 : 0];
    this.bottom = TOP + count * (lane + LANE_GAP) - LANE_GAP;
    const height = this.bottom + END;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('width', String(width));
    this.svg.setAttribute('height', String(height));
    const from = this.now - this.span;
    const scale = (width - LEFT - RIGHT) / this.span;
    /** @param {number} t */
    const x = (t) => Math.max(LEFT, LEFT + (t - from) * scale);
    this.grid.setAttribute('d', '');
    this.axis.replaceChildren();
    this.shown.forEach((track, i) => {
      const bottom = TOP + i * (lane + LANE_GAP) + lane;
      /** @param {number} v */
      const y = (v) => bottom - (v / 180) * lane;
      this.drawTrack(track, x, y);
      this.drawGrid(width, y, lane);
    });
    this.drawTimes(width, height);
    this.drawTones(x);
    this.drawWire(from, x);
    this.drawBytes(from, x);
  }

  /**
   * @param {Track} track
   * @param {(t: number) => number} x
   * @param {(v: number) => number} y
   */
  drawTrack(track, x, y) {
    track.commanded.setAttribute('d', this.steps(track.aims, x, y));
    track.shaft.setAttribute('d', this.slopes(track, x, y));
    let dots = '';
    for (const { t, v } of track.pulses) {
      if (t >= this.now - this.span) dots += `M${x(t).toFixed(1)} ${y(v).toFixed(1)}h0`;
    }
    track.pulse.setAttribute('d', dots);
    track.name.setAttribute('x', String(LEFT + 6));
    track.name.setAttribute('y', String(y(180) + 14));
  }

  /**
   * @param {number} width
   * @param {(v: number) => number} y
   * @param {number} lane its height
   */
  drawGrid(width, y, lane) {
    const marks = lane === LANES[0] ? [0, 45, 90, 135, 180] : lane === LANES[1] ? [0, 90, 180]
      : [0, 180];
    this.grid.setAttribute('d', (this.grid.getAttribute('d') ?? '')
      + marks.map((v) => `M${LEFT} ${y(v)}H${width - RIGHT}`).join(''));
    this.axis.append(...marks.map((v) => (
      shape('text', { x: LEFT - 6, y: y(v) + 4, class: 'end' }, `${v}°`))));
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  drawTimes(width, height) {
    const span = this.span >= 1e6 ? `${this.span / 1e6} s` : `${this.span / 1e3} ms`;
    this.axis.append(
      shape('text', { x: LEFT, y: height - 6 }, `${span} ago`),
      shape('text', { x: width - RIGHT, y: height - 6, class: 'end' },
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
   * @param {Track} track
   * @param {(t: number) => number} x
   * @param {(v: number) => number} y
   */
  slopes({ turns, at }, x, y) {
    const from = this.now - this.span;
    const all = [...turns.filter(({ t }) => t <= this.now), { t: this.now, v: at }];
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
    const wire = this.bottom + WIRE;
    /** @param {string} level */
    const height = (level) => (level === '1' ? wire - 10 : wire + 10);
    if (isFine) d = `M${LEFT} ${height('1')}`;
    for (const [start, end, , levels] of this.frames) {
      if (end < from) continue;
      if (!isFine) {
        d += `M${x(start).toFixed(1)} ${wire}H${Math.max(x(end), x(start) + 1).toFixed(1)}`;
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
        x: (at - Math.max(0, end - right)).toFixed(1), y: this.bottom + BYTES + 4, class: 'byte',
      });
      text.append(...rows.map(([, name, fate]) => shape('tspan', { class: `f-${fate}` }, name)));
      return text;
    }));
  }
}
