// Written by .ci/report/pack from the files in Page.

/// The script and the style of a report's page.
enum PageFiles {
  static let script = ##"""
    'use strict';

    /**
     * Values at instants, in microseconds, in order.
     * @typedef {{t: Float64Array, v: Float64Array}} Series
     */

    /**
     * What is switched, and its changes: 1 is high, 0 is low.
     * @typedef {Series & {name: string}} Level
     */

    /** The names of what the sketch was doing, and their classes, by number. */
    const KINDS = [
      ['starting up', 'm-start'], ['idle', 'm-idle'], ['scanning ↑', 'm-up'],
      ['scanning ↓', 'm-down'], ['reading a number', 'm-number'], ['purging', 'm-purge'],
      ['sounding', 'm-sound'],
    ];
    /** The fates of bytes, by number. Those before `TAKEN` did what they were sent for. */
    const FATES = [
      'letter', 'digit', 'terminator', 'swallowed', 'skipped', 'junk', 'purged', 'abandoned',
      'ring-full', 'uart-overrun', 'booting', 'cleared', 'waiting',
    ];
    const TAKEN = 3;
    /** The fates that belong to a command. */
    const OF_COMMAND = new Set([0, 1, 2, 3, 4, 7]);
    const IDLE = 1;

    /**
     * Returns the running sum of differences, divided by `scale`.
     * @param {number[]} steps
     * @param {number} scale
     */
    function summed(steps, scale = 1) {
      const values = new Float64Array(steps.length);
      let last = 0;
      for (let i = 0; i < steps.length; i += 1) {
        last += steps[i];
        values[i] = last / scale;
      }
      return values;
    }

    /**
     * Returns the index of the first value in `times` that is greater than `time`.
     * @param {Float64Array} times
     * @param {number} time
     */
    function after(times, time) {
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] <= time) low = middle + 1; else high = middle;
      }
      return low;
    }

    /** The data of a picture, decoded from what the report contains. */
    class Session {
      /** @param {any} json */
      constructor(json) {
        /** @param {any} s @returns {Series} */
        const series = (s) => ({ t: summed(s.t), v: summed(s.v, s.scale) });
        /** @type {number} */ this.start = json.start;
        /** @type {number} */ this.end = Math.max(json.end, json.start + 1);
        /** @type {[number, number]} */ this.scan = json.scan;
        this.commanded = series(json.commanded);
        this.expected = series(json.expected);
        this.pulses = series(json.pulses);
        this.shaft = series(json.shaft);
        this.modes = summed(json.modes);
        this.lengths = Float64Array.from(json.lengths);
        this.kinds = Uint8Array.from(json.kinds);
        this.tones = summed(json.tones);
        this.sounding = Float64Array.from(json.sounding);
        this.hertz = Float64Array.from(json.hertz);
        this.resets = summed(json.resets);
        /** @type {Level[]} */
        this.levels = json.levels.map((/** @type {any} */ level) => (
          { name: level.name, ...series(level) }));
        this.bytes = Uint8Array.from(json.bytes);
        this.arrived = summed(json.arrived);
        this.waits = Float64Array.from(json.waits);
        this.fates = Uint8Array.from(json.fates);
        this.commands = summed(json.commands);
        this.ended = new Set(json.ended);
        /** @type {number | null} */ this.divergence = json.divergence ? json.divergence[0] : null;
      }

      /**
       * Reads compressed data from the page.
       * @param {string} base64
       */
      static async read(base64) {
        return new Session(JSON.parse(await (await inflated(base64)).text()));
      }

      /**
       * A byte as `explain --json` prints it.
       * @param {number} i
       */
      byte(i) {
        const taken = this.waits[i] < 0 ? null : (this.arrived[i] + this.waits[i]) / 1e6;
        return {
          byte: this.bytes[i], arrived: this.arrived[i] / 1e6, taken, fate: FATES[this.fates[i]],
          ended_scan: this.ended.has(i),
          command: OF_COMMAND.has(this.fates[i]) ? this.commands[i] : null,
        };
      }

      /**
       * The byte whose arrival is closest; -1 if there is none.
       * @param {number} time
       */
      nearest(time) {
        const i = after(this.arrived, time);
        if (i === 0) return this.arrived.length > 0 ? 0 : -1;
        if (i === this.arrived.length) return i - 1;
        return time - this.arrived[i - 1] <= this.arrived[i] - time ? i - 1 : i;
      }

      /**
       * The state at an instant, in words.
       * @param {number} time
       */
      words(time) {
        const parts = [`${(time / 1e6).toFixed(6)} s`];
        const angle = held(this.commanded, time, this.resets);
        if (angle !== null) parts.push(`commanded ${angle}°`);
        const pulse = held(this.pulses, time, this.resets);
        if (pulse !== null) parts.push(`pulse ${Math.round(pulse * 10) / 10} µs`);
        const shaft = joined(this.shaft, time);
        if (shaft !== null) parts.push(`shaft ${shaft.toFixed(1)}°`);
        const mode = after(this.modes, time) - 1;
        if (mode >= 0 && time <= this.modes[mode] + this.lengths[mode]) {
          parts.push(KINDS[this.kinds[mode]][0]);
        }
        const tone = after(this.tones, time) - 1;
        if (tone >= 0 && time <= this.tones[tone] + this.sounding[tone]) {
          parts.push(`${this.hertz[tone]} Hz`);
        }
        for (const level of this.levels) {
          const last = after(level.t, time) - 1;
          if (last >= 0) parts.push(`${level.name} ${level.v[last] > 0 ? 'high' : 'low'}`);
        }
        return parts.join(' · ');
      }

      /**
       * A byte and its fate, in words.
       * @param {number} i
       */
      byteWords(i) {
        const byte = this.byte(i);
        const parts = [
          `byte ${byteName(byte.byte)}`, `arrived ${byte.arrived.toFixed(6)} s`,
          byte.taken === null ? 'never taken' : `taken ${byte.taken.toFixed(6)} s`, byte.fate,
        ];
        if (byte.command !== null) parts.push(`command ${byte.command}`);
        if (byte.ended_scan) parts.push('ended the scan');
        return parts.join(' · ');
      }
    }

    /**
     * The value that holds at an instant; null before the first one, and after a later restart.
     * @param {Series} series
     * @param {number} time
     * @param {Float64Array} resets
     */
    function held(series, time, resets) {
      const i = after(series.t, time) - 1;
      if (i < 0) return null;
      const reset = after(resets, time) - 1;
      return reset >= 0 && resets[reset] > series.t[i] ? null : series.v[i];
    }

    /**
     * The value on the line that connects the samples; null before the first sample, and the last
     * value after the last one.
     * @param {Series} series
     * @param {number} time
     */
    function joined(series, time) {
      const i = after(series.t, time);
      if (i === 0 || series.t.length === 0) return null;
      if (i === series.t.length) return series.v[i - 1];
      const part = (time - series.t[i - 1]) / (series.t[i] - series.t[i - 1]);
      return series.v[i - 1] + part * (series.v[i] - series.v[i - 1]);
    }

    /**
     * A byte in readable form.
     * @param {number} byte
     */
    function byteName(byte) {
      if (byte > 0x20 && byte < 0x7f) return byte === 0x5c ? '\\\\' : String.fromCharCode(byte);
      const known = { 9: '\\t', 10: '\\n', 13: '\\r', 32: '␣' };
      return known[/** @type {9} */ (byte)]
        ?? `‹${byte.toString(16).toUpperCase().padStart(2, '0')}›`;
    }

    /**
     * Decompresses base64 of gzip.
     * @param {string} base64
     */
    async function inflated(base64) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      return new Response(stream).blob();
    }

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
        case 'ring-full': case 'booting':
          return `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
        case 'uart-overrun': return `M${x - r} ${y}h${2 * r}m${-r} ${-r}v${2 * r}`;
        case 'cleared': return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
        default:
          return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
      }
    }

    /** The shortest time that a picture can show, in microseconds. */
    const SPAN_MIN = 200;
    const HELP = 'Wheel, + and - zoom; drag, ← and → move; Home shows all; '
      + ', and . go from byte to byte.';

    /** The pictures of one session, which all show the same period. */
    class Group {
      constructor() {
        /** @type {Picture[]} */
        this.pictures = [];
        this.from = 0;
        this.to = 1;
        this.start = 0;
        this.end = 1;
        /** @type {number | null} */
        this.at = null;
        this.isDue = false;
      }

      /** @param {Picture} picture */
      add(picture) {
        const { start, end } = picture.session;
        const isFirst = this.pictures.length === 0;
        this.start = isFirst ? start : Math.min(this.start, start);
        this.end = isFirst ? end : Math.max(this.end, end);
        this.pictures.push(picture);
        this.show(this.start, this.end);
      }

      /**
       * Shows a part of the session, within its limits.
       * @param {number} from
       * @param {number} to
       */
      show(from, to) {
        const all = this.end - this.start;
        const span = Math.min(Math.max(to - from, Math.min(SPAN_MIN, all)), all);
        const middle = (from + to) / 2;
        this.from = Math.min(Math.max(middle - span / 2, this.start), this.end - span);
        this.to = this.from + span;
        this.redraw();
      }

      /**
       * @param {number} factor
       * @param {number} about
       */
      zoom(factor, about) {
        this.show(about - (about - this.from) * factor, about + (this.to - about) * factor);
      }

      /** @param {number} part */
      pan(part) {
        const way = (this.to - this.from) * part;
        this.show(this.from + way, this.to + way);
      }

      /**
       * Moves the cursor, and also the view if its span changes or the cursor is outside it.
       * @param {number} time
       * @param {number} span
       */
      go(time, span = this.to - this.from) {
        this.at = time;
        if (span !== this.to - this.from || time < this.from || time > this.to) {
          this.show(time - span / 2, time + span / 2);
        } else {
          this.redraw();
        }
      }

      /** Draws once before the next frame, however many changes there are. */
      redraw() {
        if (this.isDue) return;
        this.isDue = true;
        requestAnimationFrame(() => {
          this.isDue = false;
          this.draw();
        });
      }

      /** Draws the pictures that are visible. The others are drawn when they become visible. */
      draw() {
        for (const picture of this.pictures) {
          if (picture.isSeen) picture.draw();
        }
      }
    }

    /** A picture that can be enlarged, in place of the one of fixed size. */
    class Picture {
      /**
       * @param {HTMLElement} figure
       * @param {Session} session
       * @param {Group} group
       */
      constructor(figure, session, group) {
        this.figure = figure;
        this.session = session;
        this.group = group;
        this.drawing = new Drawing(session);
        this.live = document.createElement('div');
        this.live.className = 'r-live';
        this.live.tabIndex = 0;
        this.live.setAttribute('role', 'application');
        this.live.setAttribute('aria-label', `${figure.getAttribute('aria-label')}. ${HELP}`);
        this.live.appendChild(this.drawing.svg);
        this.output = document.createElement('output');
        this.output.className = 'r-output';
        this.bar = document.createElement('div');
        this.bar.className = 'r-bar';
        this.help = document.createElement('p');
        this.help.className = 'r-help';
        this.help.textContent = HELP;
        figure.prepend(this.bar, this.live, this.output, this.legend(), this.help);
        figure.classList.add('r-on');
        /** @type {Map<number, {x: number, y: number}>} */
        this.pointers = new Map();
        this.isSeen = true;
        group.add(this);
        this.addButtons();
        this.listen();
        new ResizeObserver(() => {
          this.drawing.resize(this.live.clientWidth);
          group.redraw();
        }).observe(this.live);
        new IntersectionObserver((entries) => {
          this.isSeen = entries.some((entry) => entry.isIntersecting);
          group.redraw();
        }).observe(this.live);
        window.addEventListener('beforeprint', () => this.draw());
      }

      /** Makes the legend of the lines and shapes that occur. */
      legend() {
        const { session } = this;
        const list = document.createElement('ul');
        list.className = 'r-legend';
        /**
         * @param {string} text
         * @param {string} style
         * @param {string} d
         */
        const add = (text, style, d) => {
          const item = document.createElement('li');
          const svg = element('svg', { viewBox: '0 0 26 14', 'aria-hidden': 'true' });
          svg.appendChild(element('path', { class: style, d, 'stroke-width': 3 }));
          item.append(svg, text);
          list.appendChild(item);
        };
        if (session.commanded.t.length > 0) add('commanded', 'commanded', 'M1 11H13V3H25');
        if (session.expected.t.length > 0) add('the trace expects', 'expected', 'M1 11H13V3H25');
        if (session.shaft.t.length > 0) add('shaft', 'shaft', 'M2 7H24');
        if (session.pulses.t.length > 0) add('pulse', 'pulses', 'M5 7h0M13 7h0M21 7h0');
        if (session.scan.length > 0) add('scan limits', 'limits', 'M1 7H25');
        FATES.forEach((fate, i) => {
          if (i < TAKEN || !session.fates.includes(i)) return;
          add(fate, `mark open f-${fate}`, `M13 6V14${shape(i, 13, 5, 3.6)}`);
        });
        return list;
      }

      addButtons() {
        const { group } = this;
        const middle = () => group.at !== null && group.at >= group.from && group.at <= group.to
          ? group.at : (group.from + group.to) / 2;
        /** @type {[string, string, () => void][]} */
        const buttons = [
          ['+', 'Zoom in', () => group.zoom(0.5, middle())],
          ['−', 'Zoom out', () => group.zoom(2, middle())],
          ['←', 'Earlier', () => group.pan(-0.25)],
          ['→', 'Later', () => group.pan(0.25)],
          ['All', 'Show all', () => group.show(group.start, group.end)],
        ];
        if (this.session.fates.some((fate) => fate >= TAKEN)) {
          buttons.push(['Next problem', 'Go to the next byte that was not taken', () => {
            this.goToTrouble();
          }]);
        }
        const { divergence } = this.session;
        if (divergence !== null) {
          buttons.push(['Divergence', 'Go to the first divergence', () => {
            group.go(divergence, Math.min(group.end - group.start, 200_000));
          }]);
        }
        for (const [text, label, act] of buttons) {
          const button = document.createElement('button');
          button.type = 'button';
          button.textContent = text;
          if (text.length < 4) button.setAttribute('aria-label', label);
          button.title = label;
          button.addEventListener('click', act);
          this.bar.appendChild(button);
        }
      }

      goToTrouble() {
        const { fates, arrived } = this.session;
        const from = this.group.at === null ? 0 : after(arrived, this.group.at);
        for (let i = 0; i < fates.length; i += 1) {
          const place = (from + i) % fates.length;
          if (fates[place] < TAKEN) continue;
          const { group } = this;
          group.go(arrived[place], Math.min(group.to - group.from, 100_000));
          return;
        }
      }

      /**
       * Moves to the next byte in a direction: 1 is later, -1 is earlier.
       * @param {number} way
       */
      goToByte(way) {
        const { arrived } = this.session;
        if (arrived.length === 0) return;
        const { group } = this;
        const at = group.at ?? group.from;
        const i = way > 0 ? after(arrived, at) : after(arrived, at - 0.5) - 1;
        group.go(arrived[Math.min(Math.max(i, 0), arrived.length - 1)]);
      }

      /** @param {number} clientX */
      time(clientX) {
        const box = this.live.getBoundingClientRect();
        const { drawing, group } = this;
        const x = ((clientX - box.left) / box.width) * drawing.width;
        const part = (x - drawing.left) / (drawing.right - drawing.left);
        return group.from + Math.min(Math.max(part, 0), 1) * (group.to - group.from);
      }

      listen() {
        const { live, group } = this;
        live.addEventListener('keydown', (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const act = this.action(event.key);
          if (!act) return;
          event.preventDefault();
          act();
        });
        live.addEventListener('wheel', (event) => {
          const isWhole = group.to - group.from >= group.end - group.start;
          if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            group.pan(Math.sign(event.deltaX) * 0.05);
          } else if (event.deltaY < 0 || !isWhole) {
            event.preventDefault();
            group.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.time(event.clientX));
          }
        }, { passive: false });
        live.addEventListener('dblclick', (event) => group.zoom(0.4, this.time(event.clientX)));
        live.addEventListener('pointerdown', (event) => {
          this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
          live.setPointerCapture(event.pointerId);
        });
        live.addEventListener('pointermove', (event) => this.move(event));
        for (const name of /** @type {const} */ (['pointerup', 'pointercancel'])) {
          live.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
        }
        live.addEventListener('pointerleave', () => {
          if (document.activeElement === live) return;
          group.at = null;
          group.redraw();
        });
      }

      /**
       * @param {string} key
       * @returns {(() => void) | undefined}
       */
      action(key) {
        const { group } = this;
        const about = group.at ?? (group.from + group.to) / 2;
        switch (key) {
          case '+': case '=': case 'ArrowUp': return () => group.zoom(0.5, about);
          case '-': case '_': case 'ArrowDown': return () => group.zoom(2, about);
          case 'ArrowLeft': return () => group.pan(-0.1);
          case 'ArrowRight': return () => group.pan(0.1);
          case 'PageUp': return () => group.pan(-1);
          case 'PageDown': return () => group.pan(1);
          case 'Home': case '0': return () => group.show(group.start, group.end);
          case '.': return () => this.goToByte(1);
          case ',': return () => this.goToByte(-1);
          default: return undefined;
        }
      }

      /** @param {PointerEvent} event */
      move(event) {
        const { group } = this;
        const before = this.pointers.get(event.pointerId);
        group.at = this.time(event.clientX);
        if (before) {
          const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
          if (others.length === 0) {
            const way = this.time(before.x) - group.at;
            group.show(group.from + way, group.to + way);
          } else {
            const other = others[0][1];
            const wide = Math.max(20, Math.abs(before.x - other.x));
            const now = Math.max(20, Math.abs(event.clientX - other.x));
            group.zoom(wide / now, this.time((event.clientX + other.x) / 2));
          }
          this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        }
        group.redraw();
      }

      draw() {
        const { from, to, at } = this.group;
        this.drawing.draw(from, to, at);
        this.output.textContent = at === null ? this.viewWords() : this.words(at);
      }

      viewWords() {
        const { from, to } = this.group;
        return `${(from / 1e6).toFixed(6)} s to ${(to / 1e6).toFixed(6)} s`;
      }

      /** @param {number} at */
      words(at) {
        const { from, to } = this.group;
        const { session, drawing } = this;
        const near = ((to - from) / (drawing.right - drawing.left)) * 8;
        const byte = session.nearest(at);
        const isNear = byte >= 0 && Math.abs(session.arrived[byte] - at) <= near;
        return session.words(at) + (isNear ? ` — ${session.byteWords(byte)}` : '');
      }
    }

    /**
     * Makes it possible to enlarge the pictures of the page or of a part of it.
     * @param {ParentNode} part
     */
    async function start(part = document) {
      /** @type {Map<string, Group>} */
      const groups = new Map();
      for (const figure of part.querySelectorAll('figure.r-picture')) {
        if (!(figure instanceof HTMLElement)) continue;
        const data = document.getElementById(figure.dataset.data ?? '');
        if (!data) continue;
        const session = await Session.read(data.textContent ?? '');
        const key = figure.dataset.group ?? '';
        const group = groups.get(key) ?? new Group();
        groups.set(key, group);
        Object.assign(figure, { picture: new Picture(figure, session, group) });
      }
      for (const link of part.querySelectorAll('a.r-time')) {
        if (!(link instanceof HTMLAnchorElement)) continue;
        const group = groups.get((link.getAttribute('href') ?? '').slice(2));
        if (!group) continue;
        link.addEventListener('click', (event) => {
          event.preventDefault();
          const span = Math.min(group.to - group.from, 200_000);
          group.go(Number(link.dataset.at), span);
          const { live } = group.pictures[0];
          live.scrollIntoView({ block: 'nearest' });
          live.focus({ preventScroll: true });
        });
      }
      document.documentElement.classList.add('r-ready');
    }

    /** Makes the links save the traces uncompressed. */
    function saveWhole() {
      for (const link of document.querySelectorAll('a.r-download')) {
        if (!(link instanceof HTMLAnchorElement)) continue;
        link.addEventListener('click', async (event) => {
          if (link.href.startsWith('blob:')) return;
          event.preventDefault();
          const data = link.href.slice(link.href.indexOf(',') + 1);
          link.href = URL.createObjectURL(await inflated(data));
          link.download = link.dataset.name ?? 'trace.jsonl';
          link.click();
        });
      }
    }

    // An old browser shows the page as it is without scripts.
    if ('DecompressionStream' in window) {
      saveWhole();
      start();
    }

    """##

  static let style = ##"""
    :root {
      color-scheme: light dark;
      --r-ground: #ffffff;
      --r-raised: #f5f7f9;
      --r-ink: #1b2430;
      --r-muted: #566170;
      --r-rule: #d5dbe3;
      --r-link: #0059a0;
      --r-good: #00693f;
      --r-bad: #b00d27;
      --r-open: #7a5200;
    }

    @media (prefers-color-scheme: dark) {
      :root {
        --r-ground: #0d1117;
        --r-raised: #161d27;
        --r-ink: #e8edf3;
        --r-muted: #a3aebc;
        --r-rule: #303a47;
        --r-link: #79c0ff;
        --r-good: #4ad295;
        --r-bad: #ff8080;
        --r-open: #e8bd4a;
      }
    }

    * {
      box-sizing: border-box;
    }

    body {
      margin: 0;
      background: var(--r-ground);
      color: var(--r-ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
        sans-serif;
    }

    main {
      max-width: 1180px;
      margin: 0 auto;
      padding: 28px 20px 60px;
    }

    h1 {
      margin: 0 0 14px;
      font-size: 26px;
      line-height: 1.25;
    }

    h2,
    h3 {
      margin: 38px 0 12px;
      font-size: 19px;
      line-height: 1.3;
    }

    h3 {
      margin-top: 28px;
      font-size: 17px;
    }

    h1,
    h2,
    h3,
    p,
    li,
    td,
    dd {
      overflow-wrap: anywhere;
    }

    td code,
    td .r-time {
      white-space: nowrap;
    }

    a {
      color: var(--r-link);
    }

    :focus-visible {
      outline: 3px solid var(--r-link);
      outline-offset: 2px;
    }

    code,
    pre,
    .r-time {
      font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: 14px;
    }

    .r-defs {
      position: absolute;
    }

    .r-session + .r-session {
      margin-top: 56px;
      border-top: 2px solid var(--r-rule);
    }

    .r-kind {
      margin: 0 0 4px;
      color: var(--r-muted);
      font-size: 14px;
    }

    .r-verdict {
      margin: 0 0 10px;
      padding: 12px 16px;
      border-left: 5px solid currentColor;
      border-radius: 4px;
      background: var(--r-raised);
      font-size: 18px;
      line-height: 1.45;
    }

    .r-word {
      font-weight: 650;
    }

    .r-verdict .r-word {
      display: inline-block;
      margin-right: 6px;
    }

    .r-verdict .r-word::first-letter {
      text-transform: uppercase;
    }

    .r-verdict .r-word::after {
      content: ".";
    }

    .r-good {
      color: var(--r-good);
    }

    .r-bad {
      color: var(--r-bad);
    }

    .r-open {
      color: var(--r-open);
    }

    .r-lead {
      margin: 0 0 8px;
    }

    .r-remark,
    .r-help,
    figcaption {
      margin: 6px 0;
      color: var(--r-muted);
      font-size: 14px;
    }

    .r-text {
      overflow-x: auto;
      padding: 12px 14px;
      border-radius: 4px;
      background: var(--r-raised);
      font-size: 13px;
    }

    .r-scroll {
      overflow-x: auto;
    }

    .r-picture {
      margin: 0;
    }

    .r-picture .r-scroll > svg {
      display: block;
      width: 100%;
      min-width: 660px;
      height: auto;
    }

    .r-on > .r-scroll {
      display: none;
    }

    .r-live {
      border: 1px solid var(--r-rule);
      border-radius: 6px;
      cursor: crosshair;
      touch-action: pan-y;
      user-select: none;
    }

    .r-svg {
      display: block;
      width: 100%;
      height: auto;
    }

    .r-svg path {
      vector-effect: non-scaling-stroke;
    }

    .r-cursor {
      fill: none;
      stroke: var(--r-muted);
      stroke-width: 1;
    }

    .r-output {
      display: block;
      min-height: 3em;
      overflow-wrap: anywhere;
      margin-top: 6px;
      font-size: 14px;
      font-variant-numeric: tabular-nums;
    }

    .r-legend {
      display: flex;
      flex-wrap: wrap;
      gap: 2px 16px;
      margin: 6px 0;
      padding: 0;
      color: var(--r-muted);
      font-size: 14px;
      list-style: none;
    }

    .r-legend svg {
      width: 26px;
      height: 14px;
      margin-right: 5px;
      vertical-align: -2px;
    }

    .r-bar {
      display: flex;
      flex-wrap: wrap;
      gap: 6px;
      margin-bottom: 8px;
    }

    .r-bar button {
      min-width: 38px;
      min-height: 34px;
      padding: 3px 10px;
      border: 1px solid var(--r-rule);
      border-radius: 5px;
      background: var(--r-raised);
      color: var(--r-ink);
      font: inherit;
      font-size: 14px;
      cursor: pointer;
    }

    .r-bar button:hover {
      border-color: var(--r-muted);
    }

    .r-table {
      width: 100%;
      border-collapse: collapse;
      font-size: 14px;
    }

    .r-table caption {
      padding-bottom: 6px;
      color: var(--r-muted);
      text-align: left;
    }

    .r-table th,
    .r-table td {
      padding: 5px 14px 5px 0;
      border-bottom: 1px solid var(--r-rule);
      text-align: left;
      vertical-align: top;
    }

    .r-table thead th {
      color: var(--r-muted);
      font-weight: 600;
    }

    .r-commands,
    .r-events,
    .r-index {
      min-width: 640px;
    }

    .r-index th {
      overflow-wrap: anywhere;
    }

    .r-number {
      font-variant-numeric: tabular-nums;
      white-space: nowrap;
    }

    .r-trouble td {
      background: var(--r-raised);
    }

    .r-trouble small {
      color: var(--r-bad);
      font-size: 13px;
    }

    .r-marked td {
      background: var(--r-raised);
      color: var(--r-bad);
      font-weight: 600;
    }

    .r-facts {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(230px, 1fr));
      gap: 10px 24px;
      margin: 0;
    }

    .r-facts dt {
      color: var(--r-muted);
      font-size: 14px;
    }

    .r-facts dd {
      margin: 0;
    }

    @media (max-width: 600px) {
      main {
        padding: 18px 12px 40px;
      }

      h1 {
        font-size: 22px;
      }
    }

    @media print {
      :root {
        color-scheme: light;
        --r-ground: #ffffff;
        --r-raised: #f5f7f9;
        --r-ink: #1b2430;
        --r-muted: #566170;
        --r-rule: #d5dbe3;
        --r-link: #0059a0;
        --r-good: #00693f;
        --r-bad: #b00d27;
        --r-open: #7a5200;
      }

      body {
        font-size: 12px;
      }

      main {
        max-width: none;
        padding: 0;
      }

      .r-bar,
      .r-help,
      .r-output {
        display: none;
      }

      .r-scroll {
        overflow: visible;
      }

      .r-picture .r-scroll > svg,
      .r-commands,
      .r-events {
        min-width: 0;
      }

      .r-picture,
      tr {
        break-inside: avoid;
      }

      h2,
      h3 {
        break-after: avoid;
      }
    }

    """##
}
