// @ts-check

/**
 * Returns what a stream makes of bytes. Fails with a message if that is more than `most` bytes.
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @param {number} most
 * @param {string} message
 */
export async function piped(bytes, stream, most, message) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > most) throw new Error(message);
  }
}
