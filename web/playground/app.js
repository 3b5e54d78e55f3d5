// @ts-check
// The page: its four parts as tabs, files that are dropped anywhere, and the address.

import { traceIn } from './address.js';
import { Drive } from './drive.js';
import { Engine } from './engine.js';
import { Learn } from './learn.js';
import { part, say } from './parts.js';
import { Recording } from './recording.js';
import { Rig } from './rig.js';

const TABS = ['drive', 'rig', 'recording', 'learn'];

const engine = new Engine((message) => {
  say(message, true);
  drive.begin();
});
const recording = new Recording(engine);
const learn = new Learn(engine);
const rig = new Rig(engine);
const drive = new Drive(engine, (name, trace) => {
  select('recording');
  recording.open(name, trace);
});

/** @param {string} name */
function select(name, isFocused = false) {
  for (const each of TABS) {
    const tab = part(`tab-${each}`, HTMLElement);
    tab.setAttribute('aria-selected', String(each === name));
    tab.tabIndex = each === name ? 0 : -1;
    part(`panel-${each}`, HTMLElement).hidden = each !== name;
    if (each === name && isFocused) tab.focus();
  }
  drive.isShown = name === 'drive';
  rig.isShown = name === 'rig';
  if (name === 'learn') learn.begin();
}

function listen() {
  TABS.forEach((name, i) => {
    const tab = part(`tab-${name}`, HTMLElement);
    tab.addEventListener('click', () => {
      select(name);
      history.replaceState(null, '', `#${name}`);
    });
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) select(TABS[(i + step + TABS.length) % TABS.length], true);
    });
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    if (/\.(hex|elf)$/i.test(file.name)) {
      select('drive');
      await drive.load(file.name, new Uint8Array(await file.arrayBuffer()));
    } else if (/\.ya?ml$/i.test(file.name)) {
      select('drive');
      await drive.own.describe(file.name, new Uint8Array(await file.arrayBuffer()));
    } else {
      select('recording');
      await recording.openFile(file);
    }
  });
  addEventListener('hashchange', follow);
}

/** Shows the tab or the session that is in the address. */
async function follow() {
  const name = location.hash.slice(1);
  if (TABS.includes(name)) {
    select(name);
    return;
  }
  try {
    const trace = await traceIn(location.hash);
    if (trace === null) return;
    select('recording');
    await recording.open('session from the address.jsonl', trace);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

listen();
document.documentElement.classList.add('is-ready');
await drive.begin();
await follow();
// For automated checks of the page.
Object.assign(window, { playground: { engine, drive, rig, recording, learn } });
