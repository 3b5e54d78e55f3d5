// What browsers have, and Debian's version of TypeScript does not know.
declare class DecompressionStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: 'gzip' | 'deflate' | 'deflate-raw');
}
