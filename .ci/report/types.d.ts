// Declarations that browsers have but Debian's version of TypeScript lacks.
declare class DecompressionStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: 'gzip' | 'deflate' | 'deflate-raw');
}
