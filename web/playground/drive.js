// @ts-check
// Drives a turret: the clock, the controls and the displays.

import { Monitor, trouble } from '../common/monitor.js';
import { part, say, save } from './parts.js';
import { share } from './address.js';
import { attempt } from './engine.js';
import { Faults } from './faults.js';
import { Newest } from './newest.js';
import { Own } from './own.js';
import { Buzzer } from './sound.js';
import { Timeline } from './timeline.js';
import { Turret } from './turret.js';
import { FacePad } from './face.js';

/** The maximum number of bytes in the list. */
const LISTED = 40;
/** The shortest time between two aims of a pointer, in milliseconds. */
const PACE = 33;
/** The span of the timeline for each speed, in microseconds. */
const SPANS = new Map([[1, 8e6], [0.5, 4e6], [0.1, 8e5], [0.01, 40_000]]);
/** The speeds of the line that can be chosen. */
const SPEEDS = [300, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 250_000, 500_000,
  1_000_000];
const TAKEN = new Set(['letter', 'digit', 'terminator']);

export class Drive {
  /**
   * @param {import('./engine.js').Engine} engine
   * @param {(name: string, trace: Uint8Array) => void} open shows a recording.
   */
  constructor(engine, open) {
    this.engine = engine;
    this.open = open;
    this.isRunning = true;
    this.isShown = true;
    this.isBusy = false;
    this.speed = 1;
    this.last = performance.now();
    /** The angles of the turret as it is dragged. @type {Newest<number>} */
    this.angles = new Newest(PACE, (degrees) => this.send(`X${degrees}.`));
    /** The time that is shown, in microseconds. */
    this.now = 0;
    this.monitor = new Monitor(
      part('monitor', HTMLElement), (bytes) => this.ask('send', bytes), () => this.now / 1e6);
    this.own = new Own(this);
    this.timeline = new Timeline(part('timeline', HTMLElement));
    this.turret = new Turret(part('turret', HTMLElement), (degrees) => this.angles.put(degrees));
    this.face = new FacePad(part('face', HTMLElement), (head) => this.look(head));
    this.buzzer = new Buzzer();
    this.faults = new Faults(this);
    this.sketch = part('sketch', HTMLSelectElement);
    this.baud = part('baud', HTMLSelectElement);
    this.isSettingBaud = false;
    for (const speed of SPEEDS) this.baud.append(new Option(String(speed)));
    /** The last start of a sketch. @type {Promise<void>} */
    this.begun = this.offer();
    this.list = part('bytes', HTMLElement);
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  listen() {
    /** @param {string} id @param {() => void} act */
    const on = (id, act) => part(id, HTMLElement).addEventListener('click', act);
    on('aim', () => this.send(`X${part('degrees', HTMLInputElement).value}.`));
    on('sweep', () => this.send('L'));
    on('pause', () => this.pause());
    on('step', () => this.step());
    on('back', () => this.ask('back'));
    on('reset', () => this.ask('reset'));
    on('sound', () => {
      const isOn = this.buzzer.toggle();
      part('sound', HTMLElement).setAttribute('aria-pressed', String(isOn));
    });
    on('examine', async () => {
      const trace = await attempt(() => this.engine.request('driven'));
      if (trace) this.open('driven.jsonl', trace);
    });
    on('keep', async () => {
      const trace = await attempt(() => this.engine.request('driven'));
      if (trace) save('driven.jsonl', 'application/jsonl', trace);
    });
    on('share', () => this.share());
    part('speed', HTMLSelectElement).addEventListener('change', (event) => {
      this.speed = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.timeline.span = SPANS.get(this.speed) ?? 8e6;
      this.timeline.draw();
    });
    this.sketch.addEventListener('change', () => this.begin());
    this.baud.addEventListener('change', async () => {
      this.isSettingBaud = true;
      await this.ask(`speed ${this.baud.value}`);
      this.isSettingBaud = false;
    });
    part('program', HTMLInputElement).addEventListener('change', async (event) => {
      const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
      if (file) await this.load(file.name, new Uint8Array(await file.arrayBuffer()));
    });
    document.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const isField = event.target instanceof Element
      && event.target.closest('input, select, textarea, button, summary, a') !== null;
    if (!this.isShown || isField || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ') this.pause();
    else if (event.key === '.') this.step();
    else if (event.key === 'b') this.ask('back');
    else if (event.key === 'l' && !this.own.isDriven) this.send('L');
    else return;
    event.preventDefault();
  }

  /** Offers the sketches that have models, before those that run on the chip. */
  async offer() {
    const names = await attempt(() => this.engine.json('sketches'));
    this.sketch.prepend(...(names ?? []).map((/** @type {string} */ name) => new Option(name)));
    this.sketch.selectedIndex = 0;
  }

  /** Starts the chosen sketch. Requests that are made meanwhile apply to its session. */
  begin() {
    const begun = this.begun.then(() => this.choose());
    this.begun = begun.catch(() => undefined);
    return begun;
  }

  async choose() {
    const { value } = this.sketch;
    if (!value.startsWith('chip:')) {
      return this.start(value, { sketch: value, device: 'model', program: null });
    }
    const { program } = this.own;
    if (value === 'chip:own' && program) {
      await attempt(() => this.own.prepare());
      await this.run('own', program.name, program.bytes);
      return undefined;
    }
    const name = value.slice(5);
    const answer = await fetch(`programs/${name}`).catch(() => null);
    if (!answer?.ok) return say(`programs/${name} cannot be loaded from the server.`, true);
    await this.run('chip', name, new Uint8Array(await answer.arrayBuffer()));
    return undefined;
  }

  /**
   * Runs a program that the user chose, unless it is none.
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async load(name, bytes) {
    const clean = name.replaceAll(/[\r\n]/g, ' ');
    if (await attempt(() => this.engine.request(`program ${clean}`, bytes)) === null) return;
    this.own.program = { name: clean, bytes };
    const option = part('own-option', HTMLOptionElement);
    option.hidden = false;
    option.textContent = `${clean} on the chip`;
    this.sketch.value = 'chip:own';
    await this.begin();
  }

  /**
   * Runs a program on the chip.
   * @param {string} device `own` if it is the user's, with a profile and parts.
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async run(device, name, bytes) {
    if (await attempt(() => this.engine.request(`program ${name}`, bytes)) === null) return;
    const isOwn = device === 'own';
    await this.start(device, {
      sketch: isOwn ? this.own.sketch : name.replace(/\.[^.]*$/, ''), device: 'chip',
      program: name, parts: isOwn ? this.own.parts : [],
      isOurs: !isOwn,
    });
  }

  /**
   * @param {string} sketch
   * @param {Omit<import('../common/monitor.js').Subject, 'baud'>} subject
   */
  async start(sketch, subject) {
    const { request } = this.faults;
    const state = await attempt(() => this.engine.json(`drive ${sketch}`, request));
    if (!state) return;
    // Only now, because answers about the session before can still arrive meanwhile.
    this.own.choose(sketch === 'own');
    this.timeline.clear((pin) => this.own.label(pin));
    this.timeline.span = SPANS.get(this.speed) ?? 8e6;
    this.list.replaceChildren();
    this.faults.clear();
    this.monitor.describe({ ...subject, baud: state.baud });
    this.monitor.take({ from: 0, entries: [] }, true);
    this.show(state);
  }

  /** @param {string} text */
  send(text) { return this.ask('send', text); }

  /** @param {string} head */
  async look(head) {
    const command = await attempt(() => this.engine.text(`look ${head}`));
    if (command) await this.send(command);
  }

  pause() {
    this.isRunning = !this.isRunning;
    part('pause', HTMLElement).textContent = this.isRunning ? 'Pause' : 'Run';
  }

  step() {
    if (this.isRunning) this.pause();
    return this.ask('step');
  }

  async share() {
    const trace = await attempt(() => this.engine.request('driven'));
    if (trace) await share(trace);
  }

  /**
   * @param {string} head
   * @param {string | Uint8Array} payload
   */
  async ask(head, payload = '') {
    await this.begun;
    const state = await attempt(() => this.engine.json(head, payload));
    if (state) this.show(state);
  }

  /** @param {number} now */
  async frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const passed = Math.min(now - this.last, 250);
    if (!this.isRunning || !this.isShown || document.hidden || this.isBusy) {
      if (!this.isBusy) this.last = now;
      return;
    }
    const microseconds = Math.floor(passed * 1000 * this.speed);
    if (microseconds < 1) return;
    this.last = now;
    this.isBusy = true;
    await this.ask(`advance ${microseconds}`);
    this.isBusy = false;
  }

  /** @param {import('./types.js').State} state */
  show(state) {
    const [, commanded, , pulse, shaft] = state.servos[0];
    this.now = state.now;
    this.timeline.take(state);
    this.timeline.draw();
    this.turret.show(commanded, pulse, shaft);
    this.own.show(state);
    if (state.rewound) this.monitor.rewind(state.now / 1e6, state.serial.from);
    this.monitor.take(state.serial);
    this.monitor.say(trouble(state.baud, state.senderBaud, state.unanswered));
    this.showBaud(String(state.senderBaud));
    this.buzzer.sound(this.isRunning && this.speed === 1 ? state.tone : null);
    /** @param {string} id @param {string} text */
    const set = (id, text) => {
      const place = part(id, HTMLElement);
      if (place.textContent !== text) place.textContent = text;
    };
    /** @param {number | null} degrees */
    const angle = (degrees) => (degrees === null ? '–' : `${Math.round(degrees * 10) / 10}°`);
    set('clock', `${(state.now / 1e6).toFixed(this.speed < 1 ? 4 : 1)} s`);
    set('activity', state.fault ?? state.activity ?? 'not visible on the chip');
    set('commanded', angle(commanded));
    set('pulse', angle(pulse));
    set('shaft', angle(shaft));
    set('waiting', state.waiting === null ? '–' : `${state.waiting} of 63 bytes`);
    set('tone', state.tone === null ? 'silent' : `${state.tone} Hz`);
    set('remarks', state.remarks.join('\n'));
    if (state.rewound) this.list.replaceChildren();
    for (const row of state.bytes) this.showByte(row);
    this.faults.show(state);
    part('nofates', HTMLElement).hidden = state.showsFates;
  }

  /** @param {string} speed */
  showBaud(speed) {
    if (this.baud.value === speed || this.isSettingBaud) return;
    this.baud.value = speed;
    if (this.baud.value !== speed) this.baud.append(new Option(speed, speed, false, true));
  }

  /** @param {import('./types.js').ByteRow} row */
  showByte([number, name, fate, meaning]) {
    const id = `byte-${number}`;
    let item = document.getElementById(id);
    if (!item) {
      item = document.createElement('li');
      item.id = id;
      this.list.prepend(item);
      if (this.list.childElementCount > LISTED) this.list.lastElementChild?.remove();
    }
    const code = document.createElement('code');
    code.textContent = name;
    const word = document.createElement('b');
    word.textContent = TAKEN.has(fate) ? '✓ taken' : `${fate === 'waiting' ? '…' : '✗'} ${fate}`;
    item.className = `f-${fate}`;
    item.replaceChildren(code, word, document.createTextNode(meaning));
  }
}
