// @ts-check
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
  ['starting up', 'm-start'], ['idle', 'm-idle'], ['sweeping ↑', 'm-up'],
  ['sweeping ↓', 'm-down'], ['reading a number', 'm-number'], ['purging', 'm-purge'],
  ['sounding', 'm-sound'],
];
/** The fates of bytes, by number. Those before `TAKEN` did what they were sent for. */
const FATES = [
  'letter', 'digit', 'terminator', 'swallowed', 'skipped', 'junk', 'purged', 'abandoned',
  'ring-full', 'uart-overrun', 'parity', 'booting', 'cleared', 'waiting',
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
      byte.taken === null ? `${byte.fate === 'waiting' ? 'not yet' : 'never'} taken`
        : `taken ${byte.taken.toFixed(6)} s`, byte.fate,
    ];
    if (byte.command !== null) parts.push(`command ${byte.command}`);
    if (byte.ended_scan) parts.push('ended the sweep');
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
