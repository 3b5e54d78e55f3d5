/// Owns the memory of a `LineSource`. A class, because Embedded Swift does not run the deinit of a
/// noncopyable type of another module.
final class LineBuffer {
  private(set) var bytes: UnsafeMutableRawBufferPointer

  init(count: Int) { bytes = .allocate(byteCount: count, alignment: 16) }

  deinit { bytes.deallocate() }

  /// Enlarges the memory, and keeps its contents.
  func grow(to count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
    bytes.deallocate()
    bytes = larger
  }
}
