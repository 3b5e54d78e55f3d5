// @ts-check
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const ANGLES = [-5, 187];
/** If more bytes than this are visible, they are drawn without text. */
const WORDS_MAX = 400;
/** The height of a row of levels and the space below it. */
const ROW = 18;

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

/**
 * Draws the part of a session that is in view into its own SVG.
 *
 * Paths are in tenths of a pixel: whole numbers are converted to text three times as fast.
 */
class Drawing {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.svg = element('svg', { class: 'r-svg', 'aria-hidden': 'true', focusable: 'false' });
    /** @type {Map<string, Element>} */
    this.paths = new Map();
    this.back = this.svg.appendChild(element('g'));
    this.lines = this.svg.appendChild(element('g', { transform: 'scale(0.1)' }));
    for (const [, style] of KINDS) {
      this.add(`band ${style}`, `band ${style}`);
      this.add(`strip ${style}`, `strip ${style}`);
    }
    for (const name of ['grid', 'limits', 'shade', 'shaft', 'pulses', 'expected', 'commanded',
      'tone', 'reset', 'divergence', 'axis']) {
      this.add(name, name);
    }
    this.paths.get('pulses')?.setAttribute('stroke-width', '3');
    // All bytes that were taken look the same.
    for (const fate of FATES.slice(TAKEN - 1)) {
      this.add(`tick ${fate}`, `tick f-${fate}`);
      this.add(`mark ${fate}`, `mark open f-${fate}`);
    }
    session.levels.forEach((_, i) => {
      this.add(`high ${i}`, 'high');
      this.add(`level ${i}`, 'level');
    });
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
    return this.lines.appendChild(path);
  }

  /** @param {number} width */
  resize(width) {
    this.width = Math.max(260, Math.round(width));
    const { levels } = this.session;
    // The longest label of a level has room.
    this.left = Math.max(40, ...levels.map((level) => 12 + 7 * level.name.length));
    this.right = this.width - 12;
    this.strip = [4, 20];
    this.panel = [20, 250];
    this.rows = levels.map((_, i) => [260 + i * ROW, 274 + i * ROW]);
    const down = levels.length > 0 ? levels.length * ROW + 6 : 0;
    this.lane = [260 + down, 334 + down];
    this.ticks = [276 + down, 293 + down];
    this.height = 356 + down;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    const panels = [[this.strip[0], this.panel[1]], ...this.rows, this.lane];
    this.back.replaceChildren(...panels.map(([top, bottom]) => element('rect', {
      class: 'panel', x: this.left, y: top,
      width: this.right - this.left, height: bottom - top })));
  }

  /**
   * The y position of an angle, in tenths of a pixel.
   * @param {number} angle
   */
  y(angle) {
    const part = (Math.min(Math.max(angle, ANGLES[0]), ANGLES[1]) - ANGLES[0])
      / (ANGLES[1] - ANGLES[0]);
    return Math.round((this.panel[1] - part * (this.panel[1] - this.panel[0])) * 10);
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
    this.from = from;
    this.to = to;
    this.factor = ((this.right - this.left) * 10) / (to - from);
    this.texts.replaceChildren();
    this.drawAxes();
    this.drawModes();
    this.set('commanded', this.steps(session.commanded));
    this.set('expected', this.steps(session.expected));
    const shaft = this.line(session.shaft);
    this.set('shaft', shaft.d);
    this.set('shade', shaft.d && `${shaft.d}V${this.panel[1] * 10}H${shaft.start}Z`);
    this.drawPulses();
    this.drawMoments();
    this.rows.forEach((row, i) => this.drawLevel(i, row));
    this.drawBytes();
    const isShown = at !== null && at >= from && at <= to;
    this.set('cursor', isShown ? this.upright(this.x(at), this.strip[0], this.lane[1]) : '');
  }

  /**
   * The x position of an instant, limited to the view, in tenths of a pixel.
   * @param {number} time
   */
  x(time) {
    const inside = time < this.from ? this.from : time > this.to ? this.to : time;
    return Math.round(this.left * 10 + (inside - this.from) * this.factor);
  }

  /**
   * A vertical line at `x`, in tenths of a pixel, from `top` to `bottom`, in pixels.
   * @param {number} x
   * @param {number} top
   * @param {number} bottom
   */
  upright(x, top, bottom) { return `M${x} ${top * 10}V${bottom * 10}`; }

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

  drawAxes() {
    const { from, to } = this;
    let grid = '';
    for (const angle of [0, 45, 90, 135, 180]) {
      grid += `M${this.left * 10} ${this.y(angle)}H${this.right * 10}`;
      this.write(`${angle}°`, this.left - 6, this.y(angle) / 10 + 4, 't-axis', 'end');
    }
    const count = Math.max(2, Math.floor((this.right - this.left) / 110));
    let step = 10 ** Math.floor(Math.log10((to - from) / count));
    while ((to - from) / step > count) step *= (to - from) / step > 2.5 * count ? 5 : 2;
    const [size, unit] = to < 1000 ? [1, 'µs'] : to < 1e5 ? [1000, 'ms'] : [1e6, 's'];
    const places = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    const last = to + step * 1e-6;
    for (let tick = Math.ceil(from / step - 1e-9) * step; tick <= last; tick += step) {
      const at = this.x(tick);
      grid += this.upright(at, this.strip[1], this.panel[1])
        + this.upright(at, this.lane[0], this.lane[1]);
      const isLast = at / 10 > this.right - 30;
      const anchor = isLast ? 'end' : at / 10 < this.left + 20 ? 'start' : 'middle';
      this.write(`${(tick / size).toFixed(places)} ${unit}`, at / 10, this.height - 6, 't-axis',
        anchor);
    }
    this.set('grid', grid);
    this.set('limits', this.session.scan.map(
      (angle) => `M${this.left * 10} ${this.y(angle)}H${this.right * 10}`).join(''));
    this.set('axis', `M${this.left * 10} ${this.panel[1] * 10}H${this.right * 10}`
      + `M${this.left * 10} ${this.lane[1] * 10}H${this.right * 10}`);
  }

  /** Draws what the sketch was doing. Of the modes in one pixel, only the first is drawn. */
  drawModes() {
    const { modes, lengths, kinds } = this.session;
    const bands = KINDS.map(() => '');
    const strips = KINDS.map(() => '');
    const [low, high] = [this.strip[1] * 10, this.panel[1] * 10];
    let taken = -1;
    const end = after(modes, this.to);
    for (let i = Math.max(0, after(modes, this.from) - 1); i < end; i += 1) {
      const stop = modes[i] + lengths[i];
      if (kinds[i] === IDLE || stop < this.from) continue;
      const right = this.x(stop);
      if (right < taken) continue;
      const left = Math.max(this.x(modes[i]), taken);
      const wide = Math.max(right - left, 12);
      taken = left + wide;
      bands[kinds[i]] += `M${left} ${low}h${wide}V${high}h${-wide}Z`;
      strips[kinds[i]] += `M${left} ${this.strip[0] * 10}h${wide}V${low}h${-wide}Z`;
      const text = KINDS[kinds[i]][0];
      if (wide > text.length * 66 + 80) {
        this.write(text, (left + wide / 2) / 10, this.strip[1] - 4, 't-mode', 'middle');
      }
    }
    KINDS.forEach(([, style], i) => {
      this.set(`band ${style}`, bands[i]);
      this.set(`strip ${style}`, strips[i]);
    });
  }

  /**
   * A line that keeps each value until the next. In a pixel with several values, it
   * passes through the least, the greatest and the last.
   * @param {Series} series
   */
  steps(series) {
    const { t, v } = series;
    const { resets } = this.session;
    const end = after(t, this.to);
    let first = Math.max(0, after(t, this.from) - 1);
    let d = '';
    // A restart interrupts the line.
    while (first < end) {
      const reset = resets[after(resets, t[first])] ?? Infinity;
      const stop = reset === Infinity ? end : Math.min(end, after(t, reset - 1));
      const y = this.y(v[first]);
      d += `M${this.x(t[first])} ${y}${this.columns(series, first + 1, stop, y, true)}`;
      d += `H${this.x(Math.min(this.to, reset, this.session.end))}`;
      first = Math.max(stop, first + 1);
    }
    return d;
  }

  /**
   * A line that connects the values, thinned in the same way.
   * @param {Series} series
   */
  line(series) {
    const { t } = series;
    if (t.length === 0) return { d: '', start: 0 };
    const start = this.x(Math.max(this.from, t[0]));
    const y = this.y(joined(series, this.from) ?? series.v[0]);
    let d = `M${start} ${y}${
      this.columns(series, after(t, this.from), after(t, this.to), y, false)}`;
    const last = joined(series, this.to);
    if (last !== null) d += `L${this.x(Math.min(this.to, this.session.end))} ${this.y(last)}`;
    return { d, start };
  }

  /**
   * The path of the samples from `first` up to but not including `end`, pixel by pixel. It
   * continues from a point at the height `y`.
   * @param {Series} series
   * @param {number} first
   * @param {number} end
   * @param {number} y
   * @param {boolean} isStepped
   */
  columns(series, first, end, y, isStepped) {
    const { t, v } = series;
    const left = this.left * 10;
    // One pixel, or a bit more if each has many samples.
    const width = end - first > 8 * (this.right - this.left) ? 15 : 10;
    const factor = this.factor / width;
    const { from } = this;
    let d = '';
    for (let i = first; i < end;) {
      const column = Math.floor((t[i] - from) * factor);
      const begin = v[i];
      let low = begin;
      let high = begin;
      let last = begin;
      const x = Math.round(left + (t[i] - from) * this.factor);
      for (i += 1; i < end && (t[i] - from) * factor < column + 1; i += 1) {
        last = v[i];
        if (last < low) low = last; else if (last > high) high = last;
      }
      const next = this.y(begin);
      if (isStepped && next !== y) d += `H${x}V${next}`;
      else if (!isStepped) d += `L${x} ${next}`;
      y = next;
      if (low === high) continue;
      if (isStepped) d += `H${x}`;
      if (low < begin && low !== last) d += `V${this.y(low)}`;
      if (high > begin && high !== last) d += `V${this.y(high)}`;
      y = this.y(last);
      d += `V${y}`;
    }
    return d;
  }

  /** Draws pulses as dots if there is room for separate ones. */
  drawPulses() {
    const { t, v } = this.session.pulses;
    const first = after(t, this.from);
    const end = after(t, this.to);
    let d = '';
    if (end - first <= (this.right - this.left) / 3) {
      for (let i = first; i < end; i += 1) {
        d += `M${this.x(t[i])} ${this.y(((v[i] - 544) * 180) / 1856)}h0`;
      }
    }
    this.set('pulses', d);
  }

  /** Draws tones, restarts and the divergence. */
  drawMoments() {
    const { from, to } = this;
    const { tones, sounding, hertz, resets, divergence } = this.session;
    let d = '';
    let free = 0;
    for (let i = 0; i < tones.length; i += 1) {
      const end = tones[i] + sounding[i];
      if (end < from || tones[i] > to) continue;
      const at = this.x(tones[i]);
      d += `M${at} ${this.panel[1] * 10 - 30}H${Math.max(this.x(end), at + 1)}`;
      if (at < free) continue;
      this.write(`♪ ${hertz[i]} Hz`, at / 10, this.panel[1] - 8, 't-limit');
      free = at + 600;
    }
    this.set('tone', d);
    d = '';
    for (const reset of resets) {
      if (reset < from || reset > to) continue;
      d += this.upright(this.x(reset), this.panel[0], this.lane[1]);
      this.write('reset', this.x(reset) / 10 + 4, this.panel[1] - 6, 't-limit');
    }
    this.set('reset', d);
    if (divergence === null || divergence < from || divergence > to) {
      this.set('divergence', '');
      return;
    }
    const at = this.x(divergence);
    this.set('divergence', this.upright(at, this.strip[0], this.lane[1]));
    const isRight = at / 10 > this.right - 120;
    this.write('first divergence', at / 10 + (isRight ? -5 : 5), this.panel[0] + 14, 't-flag',
      isRight ? 'end' : 'start');
  }

  /**
   * Draws a level: a line that is high or low, filled while it is high. In a pixel with several
   * changes it passes through both.
   * @param {number} number
   * @param {number[]} row
   */
  drawLevel(number, row) {
    const { name, t, v } = this.session.levels[number];
    this.write(name, this.left - 6, row[1] - 3, 't-axis', 'end');
    const [top, bottom] = [row[0] * 10 + 10, row[1] * 10 - 10];
    const end = after(t, this.to);
    const first = Math.max(0, after(t, this.from) - 1);
    let line = '';
    let high = '';
    for (let i = first; i < end;) {
      const x = this.x(t[i]);
      let isHigh = false;
      let changes = -1;
      for (const column = Math.floor(x / 10); i < end; i += 1) {
        if (Math.floor(this.x(t[i]) / 10) > column) break;
        isHigh = isHigh || v[i] > 0;
        changes += 1;
      }
      const y = v[i - 1] > 0 ? top : bottom;
      line += line === '' ? `M${x} ${y}` : `H${x}`;
      if (changes > 0) line += `V${top}V${bottom}`;
      line += `V${y}`;
      const next = this.x(i < t.length ? t[i] : this.session.end);
      line += `H${next}`;
      if (isHigh) {
        const wide = v[i - 1] > 0 ? Math.max(next - x, 12) : 12;
        high += `M${x} ${top}h${wide}V${bottom}h${-wide}Z`;
      }
    }
    this.set(`level ${number}`, line);
    this.set(`high ${number}`, high);
  }

  /**
   * Draws a tick for each byte, but only one per pixel and fate, a shape above bytes that were
   * not taken, and the text of bytes where there is room.
   */
  drawBytes() {
    const { arrived, fates } = this.session;
    const first = after(arrived, this.from - 0.5);
    const end = after(arrived, this.to);
    const ticks = FATES.map(() => '');
    const marks = FATES.map(() => '');
    const columns = new Int32Array(FATES.length).fill(-1);
    const marked = new Float64Array(FATES.length).fill(-90);
    const [top, bottom] = this.ticks;
    const left = this.left * 10;
    const { from, factor } = this;
    for (let i = first; i < end; i += 1) {
      const fate = fates[i] < TAKEN ? TAKEN - 1 : fates[i];
      const at = left + (arrived[i] - from) * factor;
      const column = (at / 10) | 0;
      if (columns[fate] === column) continue;
      columns[fate] = column;
      const x = Math.round(at);
      ticks[fate] += `M${x} ${top * 10}V${bottom * 10}`;
      if (fate >= TAKEN && x - marked[fate] >= 40) {
        marked[fate] = x;
        marks[fate] += shape(fate, x, top * 10, 36);
      }
    }
    for (let fate = TAKEN - 1; fate < FATES.length; fate += 1) {
      this.set(`tick ${FATES[fate]}`, ticks[fate]);
      this.set(`mark ${FATES[fate]}`, marks[fate]);
    }
    if (end - first <= WORDS_MAX) this.drawWords(first, end);
  }

  /**
   * Writes runs of bytes as words, in three rows, as far as there is room.
   * @param {number} first
   * @param {number} end
   */
  drawWords(first, end) {
    const { arrived, fates, bytes } = this.session;
    const rows = [0, 0, 0];
    let i = first;
    while (i < end) {
      const start = i;
      const room = i + 1 < end ? (arrived[i + 1] - arrived[i]) * this.factor / 10 : 99;
      i += 1;
      // Separate letters if there is room, words otherwise.
      if (room < 12) {
        const most = Math.min(end, start + 16);
        while (i < most && (arrived[i] - arrived[i - 1]) * this.factor < 120) i += 1;
      }
      const at = this.x(arrived[start]) / 10 - 3;
      const row = rows.findIndex((taken) => taken <= at);
      if (row < 0) continue;
      const text = this.write('', at, this.ticks[1] + 13 + row * 13, 't-byte');
      let letters = 0;
      for (let from = start; from < i;) {
        let next = from;
        let run = '';
        while (next < i && fates[next] === fates[from]) {
          run += byteName(bytes[next]);
          next += 1;
        }
        text.appendChild(element('tspan', { class: `f-${FATES[fates[from]]}` }, run));
        letters += run.length;
        from = next;
      }
      rows[row] = at + letters * 6.8 + 9;
      if (rows[row] > this.width + 12) text.remove();
    }
  }
}

/**
 * A shape of the size `r` that distinguishes fates without colour.
 * @param {number} fate
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function shape(fate, x, y, r) {
  switch (FATES[fate]) {
    case 'swallowed': case 'skipped':
      return `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}Z`;
    case 'junk': case 'purged':
      return `M${x - r} ${y - r}h${2 * r}l${-r} ${2 * r}Z`;
    case 'ring-full': case 'parity': case 'booting':
      return `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    case 'uart-overrun': return `M${x - r} ${y}h${2 * r}m${-r} ${-r}v${2 * r}`;
    case 'cleared': return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}
