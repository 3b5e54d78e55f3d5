// @ts-check
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const ANGLES = [-5, 187];
/** More visible bytes than this are drawn without their text. */
const WORDS_MAX = 400;

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} text
 */
function element(name, attributes = {}, text = '') {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

/** @param {number} value */
const short = (value) => Math.round(value * 10) / 10;

/** Draws the part of a session that is in view, into an SVG of its own. */
class Drawing {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.svg = element('svg', { class: 'r-svg', 'aria-hidden': 'true', focusable: 'false' });
    /** @type {Map<string, Element>} */
    this.paths = new Map();
    this.back = this.svg.appendChild(element('g'));
    this.bands = this.svg.appendChild(element('g'));
    for (const name of ['grid', 'limits', 'shade', 'shaft', 'pulses', 'expected', 'commanded',
      'tone', 'reset', 'divergence', 'axis']) {
      this.add(name, name);
    }
    this.paths.get('pulses')?.setAttribute('stroke-width', '3');
    for (const fate of FATES) {
      this.add(`tick ${fate}`, `tick f-${fate}`);
      this.add(`mark ${fate}`, `mark open f-${fate}`);
    }
    this.cursor = this.add('cursor', 'r-cursor');
    this.texts = this.svg.appendChild(element('g'));
    this.resize(900);
  }

  /**
   * @param {string} key
   * @param {string} style
   */
  add(key, style) {
    const path = element('path', { class: style });
    this.paths.set(key, path);
    return this.svg.appendChild(path);
  }

  /** @param {number} width */
  resize(width) {
    this.width = Math.max(260, Math.round(width));
    this.left = 40;
    this.right = this.width - 12;
    this.strip = [4, 20];
    this.panel = [20, 250];
    this.lane = [260, 334];
    this.ticks = [276, 293];
    this.height = 356;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    const wide = this.right - this.left;
    this.back.replaceChildren(
      element('rect', { class: 'panel', x: this.left, y: this.strip[0], width: wide,
        height: this.panel[1] - this.strip[0] }),
      element('rect', { class: 'panel', x: this.left, y: this.lane[0], width: wide,
        height: this.lane[1] - this.lane[0] }));
  }

  /** @param {number} angle */
  y(angle) {
    const part = (Math.min(Math.max(angle, ANGLES[0]), ANGLES[1]) - ANGLES[0])
      / (ANGLES[1] - ANGLES[0]);
    return short(this.panel[1] - part * (this.panel[1] - this.panel[0]));
  }

  /**
   * @param {string} key
   * @param {string} d
   */
  set(key, d) { this.paths.get(key)?.setAttribute('d', d); }

  /**
   * Draws the session from `from` to `to`, with a line at `at` unless that is null.
   * @param {number} from
   * @param {number} to
   * @param {number | null} at
   */
  draw(from, to, at) {
    const session = this.session;
    const factor = (this.right - this.left) / (to - from);
    /** @param {number} time */
    const x = (time) => short(this.left + (Math.min(Math.max(time, from), to) - from) * factor);
    this.texts.replaceChildren();
    this.drawAxes(from, to, x);
    this.drawModes(from, to, x);
    this.set('commanded', this.steps(session.commanded, from, to, x));
    this.set('expected', this.steps(session.expected, from, to, x));
    const shaft = this.line(session.shaft, from, to, x);
    this.set('shaft', shaft.d);
    this.set('shade', shaft.d && `${shaft.d}V${this.panel[1]}H${shaft.start}Z`);
    this.drawPulses(from, to, x);
    this.drawMoments(from, to, x);
    this.drawBytes(from, to, x);
    this.drawCursor(from, to, at, x);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {number | null} at
   * @param {(time: number) => number} x
   */
  drawCursor(from, to, at, x) {
    const isShown = at !== null && at >= from && at <= to;
    this.set('cursor', isShown ? `M${x(at)} ${this.strip[0]}V${this.lane[1]}` : '');
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {string} style
   * @param {string} anchor
   */
  write(text, x, y, style, anchor = 'start') {
    const made = element('text', { class: style, x, y, 'text-anchor': anchor }, text);
    this.texts.appendChild(made);
    return made;
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  drawAxes(from, to, x) {
    let grid = '';
    for (const angle of [0, 45, 90, 135, 180]) {
      grid += `M${this.left} ${this.y(angle)}H${this.right}`;
      this.write(`${angle}°`, this.left - 6, this.y(angle) + 4, 't-axis', 'end');
    }
    const count = Math.max(2, Math.floor((this.right - this.left) / 110));
    let step = 10 ** Math.floor(Math.log10((to - from) / count));
    while ((to - from) / step > count) step *= (to - from) / step > 2.5 * count ? 5 : 2;
    const unit = to < 1000 ? [1, 'µs'] : to < 1e5 ? [1000, 'ms'] : [1e6, 's'];
    const places = Math.max(0, -Math.floor(Math.log10(step / Number(unit[0])) + 1e-9));
    const last = to + step * 1e-6;
    for (let tick = Math.ceil(from / step - 1e-9) * step; tick <= last; tick += step) {
      const at = x(tick);
      grid += `M${at} ${this.strip[1]}V${this.panel[1]}M${at} ${this.lane[0]}V${this.lane[1]}`;
      const text = `${(tick / Number(unit[0])).toFixed(places)} ${unit[1]}`;
      const anchor = at > this.right - 30 ? 'end' : at < this.left + 20 ? 'start' : 'middle';
      this.write(text, at, this.height - 6, 't-axis', anchor);
    }
    this.set('grid', grid);
    this.set('limits', this.session.scan.map(
      (angle) => `M${this.left} ${this.y(angle)}H${this.right}`).join(''));
    this.set('axis', `M${this.left} ${this.panel[1]}H${this.right}`
      + `M${this.left} ${this.lane[1]}H${this.right}`);
  }

  /**
   * Draws what the sketch was doing. Of those in the same column of pixels, the first is drawn.
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  drawModes(from, to, x) {
    const { modes, lengths, kinds } = this.session;
    /** @type {Element[]} */
    const made = [];
    let taken = -1;
    const first = Math.max(0, after(modes, from) - 1);
    for (let i = first; i < modes.length && modes[i] <= to; i += 1) {
      const end = modes[i] + lengths[i];
      if (kinds[i] === IDLE || end < from) continue;
      const start = Math.max(x(modes[i]), taken);
      const wide = Math.max(x(end) - start, 1.2);
      if (x(end) < taken) continue;
      taken = start + wide;
      const [text, style] = KINDS[kinds[i]];
      for (const [kind, area] of /** @type {const} */ ([['band', this.panel],
        ['strip', this.strip]])) {
        made.push(element('rect', { class: `${kind} ${style}`, x: start, y: area[0],
          width: short(wide), height: area[1] - area[0] }));
      }
      if (wide > text.length * 6.6 + 8) {
        this.write(text, short(start + wide / 2), this.strip[1] - 4, 't-mode', 'middle');
      }
    }
    this.bands.replaceChildren(...made);
  }

  /**
   * A line that keeps each value until the next. In a column of pixels with many values, it
   * goes from the least to the greatest.
   * @param {Series} series
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  steps(series, from, to, x) {
    const { t, v } = series;
    const { resets } = this.session;
    let i = Math.max(0, after(t, from) - 1);
    let reset = i < t.length ? after(resets, t[i]) : 0;
    /** @type {string[]} */
    const d = [];
    let isOpen = false;
    let column = -1;
    let low = 0;
    let high = 0;
    for (; i < t.length && t[i] <= to; i += 1) {
      while (reset < resets.length && resets[reset] <= t[i]) {
        if (isOpen) d.push(`H${x(resets[reset])}`);
        isOpen = false;
        column = -1;
        reset += 1;
      }
      const at = x(t[i]);
      const y = this.y(v[i]);
      if (isOpen && Math.floor(at) === column) {
        if (y >= low && y <= high) continue;
        low = Math.min(low, y);
        high = Math.max(high, y);
        d.push(`V${y}`);
        continue;
      }
      d.push(isOpen ? `H${at}V${y}` : `M${at} ${y}`);
      isOpen = true;
      column = Math.floor(at);
      low = y;
      high = y;
    }
    if (isOpen) d.push(`H${x(Math.min(to, resets[reset] ?? this.session.end))}`);
    return d.join('');
  }

  /**
   * A line that joins values, thinned in the same way.
   * @param {Series} series
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  line(series, from, to, x) {
    const { t, v } = series;
    if (t.length === 0) return { d: '', start: 0 };
    const first = joined(series, from) ?? v[0];
    const start = x(Math.max(from, t[0]));
    const d = [`M${start} ${this.y(first)}`];
    let column = -1;
    let low = 0;
    let high = 0;
    for (let i = after(t, from); i < t.length && t[i] <= to; i += 1) {
      const at = x(t[i]);
      const y = this.y(v[i]);
      if (Math.floor(at) === column) {
        if (y >= low && y <= high) continue;
        low = Math.min(low, y);
        high = Math.max(high, y);
      } else {
        column = Math.floor(at);
        low = y;
        high = y;
      }
      d.push(`L${at} ${y}`);
    }
    const last = joined(series, to);
    if (last !== null) d.push(`L${x(Math.min(to, this.session.end))} ${this.y(last)}`);
    return { d: d.join(''), start };
  }

  /**
   * Draws pulses as dots, if they can be told apart.
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  drawPulses(from, to, x) {
    const { t, v } = this.session.pulses;
    const first = Math.max(0, after(t, from));
    const end = after(t, to);
    if (end - first > (this.right - this.left) / 3) {
      this.set('pulses', '');
      return;
    }
    const d = [];
    for (let i = first; i < end; i += 1) {
      d.push(`M${x(t[i])} ${this.y(((v[i] - 544) * 180) / 1856)}h0`);
    }
    this.set('pulses', d.join(''));
  }

  /**
   * Draws tones, restarts and the divergence.
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  drawMoments(from, to, x) {
    const { tones, sounding, hertz, resets, divergence } = this.session;
    let d = '';
    let free = 0;
    for (let i = 0; i < tones.length; i += 1) {
      const end = tones[i] + sounding[i];
      if (end < from || tones[i] > to) continue;
      const at = x(tones[i]);
      d += `M${at} ${this.panel[1] - 3}H${Math.max(x(end), at + 0.1)}`;
      if (at < free) continue;
      this.write(`♪ ${hertz[i]} Hz`, at, this.panel[1] - 8, 't-limit');
      free = at + 60;
    }
    this.set('tone', d);
    d = '';
    for (const reset of resets) {
      if (reset < from || reset > to) continue;
      d += `M${x(reset)} ${this.panel[0]}V${this.lane[1]}`;
      this.write('reset', x(reset) + 4, this.panel[1] - 6, 't-limit');
    }
    this.set('reset', d);
    const isShown = divergence !== null && divergence >= from && divergence <= to;
    this.set('divergence', isShown ? `M${x(divergence)} ${this.strip[0]}V${this.lane[1]}` : '');
    if (isShown) {
      const isRight = x(divergence) > this.right - 120;
      this.write('first divergence', x(divergence) + (isRight ? -5 : 5), this.panel[0] + 14,
        't-flag', isRight ? 'end' : 'start');
    }
  }

  /**
   * Draws a tick for each byte, one in a column of pixels for each fate, a shape above those
   * that were not taken, and their text where there is room.
   * @param {number} from
   * @param {number} to
   * @param {(time: number) => number} x
   */
  drawBytes(from, to, x) {
    const { arrived, fates } = this.session;
    const first = after(arrived, from - 0.5);
    const end = after(arrived, to);
    const ticks = FATES.map(() => /** @type {string[]} */ ([]));
    const marks = FATES.map(() => /** @type {string[]} */ ([]));
    const columns = FATES.map(() => -1);
    const marked = FATES.map(() => -9);
    const [top, bottom] = this.ticks;
    for (let i = first; i < end; i += 1) {
      const fate = fates[i];
      const at = x(arrived[i]);
      const column = Math.floor(at * 2);
      if (columns[fate] === column) continue;
      columns[fate] = column;
      ticks[fate].push(`M${at} ${top}V${bottom}`);
      if (fate >= TAKEN && at - marked[fate] >= 4) {
        marked[fate] = at;
        marks[fate].push(shape(fate, at, top));
      }
    }
    FATES.forEach((fate, i) => {
      this.set(`tick ${fate}`, ticks[i].join(''));
      this.set(`mark ${fate}`, marks[i].join(''));
    });
    if (end - first <= WORDS_MAX) this.drawWords(first, end, x);
  }

  /**
   * Writes runs of bytes as words, in three rows, as far as there is room.
   * @param {number} first
   * @param {number} end
   * @param {(time: number) => number} x
   */
  drawWords(first, end, x) {
    const { arrived, fates, bytes } = this.session;
    const rows = [0, 0, 0];
    let i = first;
    while (i < end) {
      const start = i;
      const room = i + 1 < end ? x(arrived[i + 1]) - x(arrived[i]) : 99;
      i += 1;
      // Letters of their own if there is room, words otherwise.
      if (room < 12) {
        while (i < end && x(arrived[i]) - x(arrived[i - 1]) < 12 && i - start < 16) i += 1;
      }
      const at = x(arrived[start]) - 3;
      const row = rows.findIndex((taken) => taken <= at);
      if (row < 0) continue;
      const text = this.write('', at, this.ticks[1] + 13 + row * 13, 't-byte');
      let letters = 0;
      for (let from = start; from < i;) {
        let next = from;
        let run = '';
        while (next < i && fates[next] === fates[from]) {
          run += name(bytes[next]);
          next += 1;
        }
        text.appendChild(element('tspan', { class: `f-${FATES[fates[from]]}` }, run));
        letters += run.length;
        from = next;
      }
      rows[row] = at + letters * 6.8 + 6;
    }
  }
}

/**
 * A shape that tells fates apart without colour.
 * @param {number} fate
 * @param {number} x
 * @param {number} y
 */
function shape(fate, x, y) {
  const r = 3.6;
  switch (FATES[fate]) {
    case 'swallowed': case 'skipped':
      return `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}Z`;
    case 'junk': case 'purged':
      return `M${short(x - r)} ${y - 3}h${2 * r}l${-r} ${r + 3}Z`;
    case 'ring-full': case 'booting':
      return `M${short(x - 3)} ${y - 3}l6 6m0 -6l-6 6`;
    case 'uart-overrun': return `M${short(x - r)} ${y}h${2 * r}m${-r} ${-r}v${2 * r}`;
    case 'cleared': return `M${short(x - 3)} ${y - 3}h6v6h-6Z`;
    default:
      return `M${short(x - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}
