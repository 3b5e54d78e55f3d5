// @ts-check
'use strict';

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
    if (session.scan.length > 0) add('sweep limits', 'limits', 'M1 7H25');
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
