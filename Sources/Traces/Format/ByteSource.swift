/// Where the bytes of a text come from, a piece at a time.
package struct ByteSource {
  /// Puts the next bytes into a buffer, as many as there are and as fit: says how many, 0 at the
  /// end.
  let read: (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int
  /// The same bytes from the start; nil where they come only once, as those of a pipe.
  let again: () throws(TraceError) -> ByteSource?

  package init(
    read: @escaping (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int,
    again: @escaping () throws(TraceError) -> ByteSource?
  ) {
    self.read = read
    self.again = again
  }
}
