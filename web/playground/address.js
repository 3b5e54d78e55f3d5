// @ts-check
// A session as a part of the page's address, which is never sent to a server: deflated, in
// base64url.

import { say } from './parts.js';
import { piped } from './piped.js';

/** The longest address that common programs pass on, in characters. */
const LENGTH_MAX = 30_000;
/** The longest trace that an address can become, in bytes. */
const TRACE_MAX = 8 << 20;
const TOO_LARGE = 'the session in the address is larger than 8 MB';

/**
 * Returns the address of a trace; null if it is too long for one.
 * @param {Uint8Array} trace
 * @returns {Promise<string | null>}
 */
async function address(trace) {
  const bytes = await piped(trace, new CompressionStream('deflate-raw'), TRACE_MAX, TOO_LARGE);
  if (bytes.length > LENGTH_MAX) return null;
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  const code = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return code.length > LENGTH_MAX ? null : `${location.href.split('#')[0]}#trace=${code}`;
}

/**
 * Makes a trace a part of the page's address, and copies that.
 * @param {Uint8Array} trace
 */
export async function share(trace) {
  const link = await address(trace);
  if (link === null) {
    say('The session is too long for an address. Save it as a trace instead.', true);
    return;
  }
  history.replaceState(null, '', link);
  await navigator.clipboard?.writeText(link).catch(() => {});
  say('The address of this page now contains the session. Send it to share the session.');
}

/**
 * Returns the trace in an address; null if there is none.
 * @param {string} hash
 */
export async function traceIn(hash) {
  const code = new URLSearchParams(hash.slice(1)).get('trace');
  if (code === null) return null;
  try {
    const text = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return await piped(bytes, new DecompressionStream('deflate-raw'), TRACE_MAX, TOO_LARGE);
  } catch (error) {
    throw new Error(`The address does not contain a complete session: ${error}.`);
  }
}
