// @ts-check
// A session as a part of the page's address, which is never sent to a server: deflated, in
// base64url.

/** The longest address that common programs pass on, in characters. */
const LENGTH_MAX = 30_000;
/** The longest trace that an address can become, in bytes. */
const TRACE_MAX = 8 << 20;

/**
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
async function piped(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > TRACE_MAX) throw new Error('the session in the address is larger than 8 MB');
  }
}

/**
 * Returns the address of a trace; null if it is too long for one.
 * @param {Uint8Array} trace
 * @returns {Promise<string | null>}
 */
export async function address(trace) {
  const bytes = await piped(trace, new CompressionStream('deflate-raw'));
  if (bytes.length > LENGTH_MAX) return null;
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  const code = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return code.length > LENGTH_MAX ? null : `${location.href.split('#')[0]}#trace=${code}`;
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
    return await piped(bytes, new DecompressionStream('deflate-raw'));
  } catch (error) {
    throw new Error(`The address does not contain a complete session: ${error}.`);
  }
}
