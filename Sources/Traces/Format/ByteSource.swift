/// The bytes of a text, read a piece at a time.
package struct ByteSource {
  /// Reads the next bytes into a buffer, up to its size. Returns their number, 0 at the end.
  package let read: (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int
  /// Returns the same bytes from the start; nil if they can be read only once, as from a pipe.
  package let again: () throws(TraceError) -> ByteSource?

  package init(
    read: @escaping (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int,
    again: @escaping () throws(TraceError) -> ByteSource?
  ) {
    self.read = read
    self.again = again
  }
}
