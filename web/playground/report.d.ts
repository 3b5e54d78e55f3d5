// What report/page.js declares for the whole page.
declare function start(part?: ParentNode): Promise<void>;
// What the type checker's own list does not have yet.
declare class CompressionStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: string);
}
