// @ts-check
// A program of the user's: what is known of its sketch, what is wired to its board, and its servos,
// pins and inputs.

import { Inputs, Lamps, showForms } from '../common/board.js';
import { showDials } from '../common/dials.js';
import { Refusal } from './engine.js';
import { part, say } from './parts.js';

/**
 * A profile: the names of servos and pins by their pins, and the commands. See Emulator.describe.
 * @typedef {{name: string, servos: Record<string, string>, pins: Record<string, string>,
 *   forms: import('../common/board.js').Form[]}} Profile
 */

export class Own {
  /** @param {import('./drive.js').Drive} drive */
  constructor(drive) {
    this.drive = drive;
    /** The program that the user chose. @type {{name: string, bytes: Uint8Array} | null} */
    this.program = null;
    /** Whether it is what is driven. */
    this.isDriven = false;
    /** What the profile is made from. */
    this.text = { name: '', bytes: new Uint8Array() };
    /** @type {Profile | null} */
    this.profile = null;
    /**
     * The names of the parts that are wired to the board.
     * @type {string[]}
     */
    this.parts = [];
    /**
     * What the parts can be told.
     * @type {import('../common/board.js').BoardInput[]}
     */
    this.told = [];
    /** The pins and inputs that are shown, as JSON. */
    this.shown = '';
    this.lamps = new Lamps(part('lamps', HTMLElement));
    this.inputs = new Inputs(part('board-inputs', HTMLElement), (input) => {
      drive.monitor.note(input);
      drive.ask('input', JSON.stringify(input));
    });
    this.listen();
  }

  listen() {
    part('profile', HTMLInputElement).addEventListener('change', async (event) => {
      const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
      if (file) await this.describe(file.name, new Uint8Array(await file.arrayBuffer()));
    });
    part('profile-use', HTMLElement).addEventListener('click', () => {
      const { value } = part('profile-text', HTMLTextAreaElement);
      this.describe(this.text.name || `${this.sketch}.yaml`, new TextEncoder().encode(value.trim() && value));
    });
    part('parts', HTMLInputElement).addEventListener('change', (event) => {
      const names = /** @type {HTMLInputElement} */ (event.target).value.split(/[\s,]+/);
      this.change(() => this.attach(names.filter((name) => name !== '')));
    });
  }

  /** The name of the sketch. */
  get sketch() { return this.profile?.name ?? this.program?.name.replace(/\.[^.]*$/, '') ?? ''; }

  /**
   * Takes the profile of the user's sketch; an empty one removes it.
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async describe(name, bytes) {
    if (!this.program) {
      say('A profile describes the commands of your program: load that first.', true);
      return;
    }
    this.drive.sketch.value = 'chip:own';
    part('own', HTMLDetailsElement).open = true;
    part('profile-text', HTMLTextAreaElement).value = new TextDecoder().decode(bytes);
    await this.change(() => this.take(name.replaceAll(/[\r\n]/g, ' '), bytes));
  }

  /**
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async take(name, bytes) {
    const found = await this.drive.engine.text(`profile ${name}`, bytes);
    this.text = { name, bytes };
    this.profile = found ? JSON.parse(found) : null;
  }

  /** @param {string[]} parts */
  async attach(parts) {
    this.told = await this.drive.engine.json(`parts ${parts.join(' ')}`);
    this.parts = parts;
  }

  /**
   * Changes what is known of the sketch or wired to its board, and starts it again, unless the
   * change is wrong.
   * @param {() => Promise<void>} work
   */
  async change(work) {
    const trouble = part('own-trouble', HTMLElement);
    try {
      await work();
      trouble.textContent = '';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      trouble.textContent = error.message;
    }
    trouble.hidden = trouble.textContent === '';
    if (trouble.hidden || !this.isDriven) await this.drive.begin();
  }

  /** Repeats what was chosen, for a worker that may have been replaced. */
  async prepare() {
    await this.take(this.text.name, this.text.bytes);
    await this.attach(this.parts);
  }

  /**
   * Shows the controls of a model, or what any other sketch has.
   * @param {boolean} isDriven
   */
  choose(isDriven) {
    this.isDriven = isDriven;
    this.shown = '';
    // Not before, because a form is for the session that has begun.
    showForms(part('forms', HTMLElement), this.profile?.forms ?? [], (text) => {
      this.drive.monitor.act(text);
    });
    for (const [name, isHidden] of [['for-model', isDriven], ['for-own', !isDriven]]) {
      for (const place of document.getElementsByClassName(String(name))) {
        if (place instanceof HTMLElement) place.hidden = Boolean(isHidden);
      }
    }
  }

  /**
   * How a servo is named.
   * @param {string} pin
   */
  label(pin) {
    const name = this.isDriven && this.profile?.servos[pin];
    return name ? `${name} ${pin}` : pin;
  }

  /** @param {import('./types.js').State} state */
  show({ servos, pins, inputs, fault }) {
    if (!this.isDriven) return;
    showDials(servos.flatMap(([pin, commanded, pulse, degrees, shaft]) => (
      commanded === null ? [] : [{
        pin, label: this.label(pin), commanded, pulse, pulse_degrees: degrees, shaft,
        moving: shaft !== degrees,
      }])));
    part('own-fault', HTMLElement).textContent = fault;
    const shown = JSON.stringify([pins, inputs]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.showPins(pins);
    this.showInputs(inputs);
  }

  /** @param {[string, boolean, number][]} levels */
  showPins(levels) {
    const names = this.profile?.pins ?? {};
    const known = levels.map(([pin, high, changes]) => (
      { pin, name: names[pin] ?? null, high: /** @type {boolean | null} */ (high), changes }));
    for (const [pin, name] of Object.entries(names)) {
      if (!known.some((lamp) => lamp.pin === pin)) {
        known.push({ pin, name, high: null, changes: 0 });
      }
    }
    this.lamps.show(known);
  }

  /** @param {['set' | 'analog' | 'part', string, number][]} applied */
  showInputs(applied) {
    const names = this.profile?.pins ?? {};
    this.inputs.show([
      ...applied.filter(([kind]) => kind !== 'part').map(([kind, target, value]) => ({
        kind, target, name: names[target] ?? null, value, low: 0, high: kind === 'set' ? 1 : 5,
      })),
      ...this.told.map((input) => ({
        ...input, value: applied.find(([, target]) => target === input.target)?.[2] ?? null,
      })),
    ]);
  }
}
