// @ts-check
// What a sender must do: twelve sessions that the user can change.

import { Refusal } from './engine.js';
import { part } from './parts.js';
import { showSection } from './recording.js';

/** @typedef {{happens: string, sender: string, trace: string}} Lesson */

/**
 * Shows text in which code is in backquotes.
 * @param {Element} place
 * @param {string} text
 */
function write(place, text) {
  place.replaceChildren(...text.split('`').map((piece, i) => {
    if (i % 2 === 0) return document.createTextNode(piece);
    const code = document.createElement('code');
    code.textContent = piece;
    return code;
  }));
}

export class Learn {
  /** @param {import('./engine.js').Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {Lesson[]} */
    this.lessons = [];
    this.shown = -1;
    this.field = part('inputs', HTMLTextAreaElement);
    part('try', HTMLElement).addEventListener('click', () => this.run());
    part('restore', HTMLElement).addEventListener('click', () => this.show(this.shown));
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.run();
    });
  }

  /** Loads the sessions, once, and shows the second: the fault with which the README begins. */
  async begin() {
    if (this.lessons.length > 0) return;
    this.lessons = await this.engine.json('lessons');
    part('lessons', HTMLElement).replaceChildren(...this.lessons.map((lesson, i) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      write(button, lesson.happens);
      button.addEventListener('click', () => this.show(i));
      item.append(button);
      return item;
    }));
    await this.show(1);
  }

  /** @param {number} index */
  async show(index) {
    const lesson = this.lessons[index];
    if (!lesson) return;
    this.shown = index;
    part('lessons', HTMLElement).querySelectorAll('button').forEach((button, i) => {
      button.setAttribute('aria-pressed', String(i === index));
    });
    write(part('happens', HTMLElement), `${lesson.happens}.`);
    write(part('sender', HTMLElement), `So your sender ${lesson.sender}.`);
    this.field.value = lesson.trace;
    this.field.rows = lesson.trace.split('\n').length;
    await this.run();
  }

  /** Runs the session that is in the field. */
  async run() {
    const trouble = part('lesson-trouble', HTMLElement);
    try {
      await this.engine.request('lesson', this.field.value);
      await showSection(this.engine, part('lesson-section', HTMLElement), 'lesson');
      trouble.textContent = '';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      trouble.textContent = error.message;
    }
    trouble.hidden = trouble.textContent === '';
  }
}
