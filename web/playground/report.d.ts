// A global function of report/page.js.
declare function start(part?: ParentNode): Promise<void>;
// Not yet in the type checker's own library.
declare class CompressionStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: string);
}
