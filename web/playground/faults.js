// @ts-check
// The faults on the line of the session that is driven: what can be requested, and what struck.

import { part } from './parts.js';
import { Refusal, attempt } from './engine.js';

/** The maximum number of faults in the list of those that struck. */
const LISTED = 100;

/**
 * A fault that can be requested: see PageFaults.list.
 * @typedef {{name: string, does: string, value: string, choices: [string, string, string][],
 *   returns: boolean}} Fault
 */

export class Faults {
  /** @param {import('./drive.js').Drive} drive */
  constructor(drive) {
    this.drive = drive;
    /** What `drive` requests: the seed and each fault on a line; empty for none. */
    this.request = '';
    /**
     * For each fault that can be requested, returns its spec; null if it is not chosen.
     * @type {(() => string | null)[]}
     */
    this.specs = [];
    this.seed = part('seed', HTMLInputElement);
    this.list = part('strikes', HTMLElement);
    const box = part('faults', HTMLDetailsElement);
    box.addEventListener('toggle', () => this.offer());
    box.addEventListener('change', () => this.choose());
  }

  /** Lists what can be requested, once. */
  async offer() {
    if (this.specs.length > 0) return;
    /** @type {Fault[] | null} */
    const faults = await attempt(() => this.drive.engine.json('faults'));
    if (!faults || this.specs.length > 0) return;
    part('fault-list', HTMLElement).append(...faults.map((fault) => this.row(fault)));
  }

  /** @param {Fault} fault */
  row({ name, does, value, choices, returns }) {
    const row = document.createElement('li');
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    label.append(box, name);
    const field = document.createElement('input');
    field.setAttribute('aria-label', `Parameter of ${name}`);
    field.value = value;
    const text = document.createElement('p');
    text.textContent = does;
    text.id = `does-${name}`;
    box.setAttribute('aria-describedby', text.id);
    row.append(label, field, text);
    const which = document.createElement('select');
    if (choices.length > 0) {
      which.setAttribute('aria-label', `Which ${name}`);
      which.append(...choices.map(([choice]) => new Option(choice)));
      const show = () => {
        const [, what, usual] = choices[which.selectedIndex];
        text.textContent = what;
        field.value = usual;
        field.hidden = usual === '';
      };
      which.addEventListener('change', show);
      label.after(which);
      show();
    }
    const way = document.createElement('input');
    if (returns) {
      const label = document.createElement('label');
      way.type = 'checkbox';
      label.append(way, 'on what the board sends');
      text.before(label);
    }
    this.specs.push(() => {
      const values = [which.value, field.value.trim(), way.checked ? 'on=tx' : '']
        .filter((text) => text !== '');
      return box.checked ? [name, values.join(',')].filter((text) => text !== '').join(':') : null;
    });
    return row;
  }

  /** Disturbs the session with what is chosen, unless it is wrong. */
  async choose() {
    const chosen = this.specs.map((spec) => spec()).filter((spec) => spec !== null);
    const request = chosen.length > 0 ? [this.seed.value.trim(), ...chosen].join('\n') : '';
    const trouble = part('fault-trouble', HTMLElement);
    try {
      const options = request && await this.drive.engine.text('faults', request);
      part('fault-options', HTMLElement).textContent = options;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      trouble.textContent = error.message;
      trouble.hidden = false;
      return;
    }
    trouble.hidden = true;
    if (request === this.request) return;
    this.request = request;
    part('struck', HTMLElement).hidden = request === '';
    this.drive.begin();
  }

  clear() { this.list.replaceChildren(); }

  /** @param {import('./types.js').State} state */
  show({ now, rewound, events }) {
    if (rewound) {
      for (const item of [...this.list.children]) {
        if (item instanceof HTMLElement && Number(item.dataset.time) > now) item.remove();
      }
    }
    for (const [time, kind, fault, sentence] of events) {
      if (kind !== 'fault') continue;
      const item = document.createElement('li');
      item.dataset.time = String(time);
      const word = document.createElement('b');
      word.textContent = String(fault);
      item.append(`${(time / 1e6).toFixed(3)} s`, word, String(sentence));
      this.list.prepend(item);
      if (this.list.childElementCount > LISTED) this.list.lastElementChild?.remove();
    }
  }
}
