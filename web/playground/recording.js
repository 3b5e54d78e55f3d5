// @ts-check
// Shows recordings: their verdict, picture, commands and bytes, and the same session on guarded.
// The bench makes the section, as for a report, and report/page.js makes its pictures enlargeable.

import { share } from './address.js';
import { Refusal, attempt } from './engine.js';
import { part, save, say } from './parts.js';

/**
 * Puts a section that the bench made into a part of the page.
 * @param {import('./engine.js').Engine} engine
 * @param {HTMLElement} place
 * @param {string} which is empty for the recording, or `lesson`.
 */
export async function showSection(engine, place, which = '') {
  await prepare(engine);
  const html = await engine.text(`section ${which}`);
  place.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
  await start(place);
}

/** @type {Promise<void> | null} */
let prepared = null;

/**
 * Adds the style of such sections and the definitions of their pictures, once.
 * @param {import('./engine.js').Engine} engine
 */
function prepare(engine) {
  prepared ??= (async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(await engine.text('style'));
    document.adoptedStyleSheets.push(sheet);
    const html = await engine.text('definitions');
    const page = new DOMParser().parseFromString(html, 'text/html');
    document.body.prepend(...page.body.childNodes);
  })();
  prepared.catch(() => { prepared = null; });
  return prepared;
}

/** The scripts of a report, which this page uses too, as one. */
async function reportScript() {
  const parts = ['session', 'drawing', 'page'].map(async (name) => {
    const answer = await fetch(`report/${name}.js`).catch(() => null);
    if (!answer?.ok) throw new Refusal(`report/${name}.js cannot be loaded from the server.`);
    return answer.text();
  });
  return (await Promise.all(parts)).join('');
}

export class Recording {
  /** @param {import('./engine.js').Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.name = '';
    this.place = part('section', HTMLElement);
    this.listen();
  }

  listen() {
    part('file', HTMLInputElement).addEventListener('change', (event) => {
      const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
      if (file) this.openFile(file);
    });
    for (const button of document.querySelectorAll('#examples button')) {
      if (!(button instanceof HTMLElement)) continue;
      button.addEventListener('click', () => this.openExample(button.dataset.name ?? ''));
    }
    /** @type {[string, string, string, string][]} */
    const files = [
      ['save-trace', 'trace', 'jsonl', 'application/jsonl'],
      ['save-svg', 'svg', 'svg', 'image/svg+xml'],
    ];
    for (const [id, request, ending, type] of files) {
      part(id, HTMLElement).addEventListener('click', () => attempt(async () => {
        save(`${this.stem}.${ending}`, type, await this.engine.request(request));
      }));
    }
    part('save-report', HTMLElement).addEventListener('click', () => attempt(async () => {
      const page = await this.engine.request('report', await reportScript());
      save(`${this.stem}.html`, 'text/html', page);
    }));
    part('save-vcd', HTMLElement).addEventListener('click', () => attempt(async () => {
      const trace = await this.engine.request('trace');
      save(`${this.stem}.vcd`, 'text/plain', await this.engine.request('vcd trace', trace));
    }));
    part('share-recording', HTMLElement).addEventListener('click', () => attempt(async () => {
      await share(await this.engine.request('trace'));
    }));
  }

  /** The name of the recording's file, without its extension. */
  get stem() { return this.name.replace(/\.[^.]*$/, '') || 'session'; }

  /** @param {File} file */
  async openFile(file) {
    if (file.size > 256 * 1024 * 1024) {
      say(`${file.name} is larger than 256 MB, the limit of this page.`, true);
      return;
    }
    await this.open(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  /** @param {string} name */
  async openExample(name) {
    const answer = await fetch(`examples/${name}`).catch(() => null);
    if (!answer?.ok) {
      say(`examples/${name} cannot be loaded from the server.`, true);
      return;
    }
    await this.open(name, new Uint8Array(await answer.arrayBuffer()));
  }

  /**
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async open(name, bytes) {
    say('');
    document.body.setAttribute('aria-busy', 'true');
    await attempt(async () => {
      const clean = name.replaceAll(/[\r\n]/g, ' ');
      const summary = await this.engine.json(`open ${clean}`, bytes);
      this.name = name;
      await showSection(this.engine, this.place);
      part('explanation', HTMLElement).textContent = summary.explanation.join('\n');
      part('opened', HTMLElement).hidden = false;
      part('kind', HTMLElement).textContent = summary.kind === 'trace'
        ? `${name}, a trace.` : `${name}: ${summary.kind}, as a trace.`;
    });
    document.body.removeAttribute('aria-busy');
  }
}
