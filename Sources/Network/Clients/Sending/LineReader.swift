import NIOCore

/// Lines from a bare TCP target. A line that is too long is skipped.
struct LineReader: Hashable {
  private let bytesMax: Int
  private var line: [UInt8] = []
  private var isTooLong = false

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Takes bytes from `input` up to the end of a line; nil if more are needed.
  mutating func next(_ input: inout ByteBuffer) -> [UInt8]? {
    while input.readableBytes > 0 {
      let view = input.readableBytesView
      let end = view.firstIndex(of: 0x0A)
      let part = view[..<(end ?? view.endIndex)]
      if line.count + part.count > bytesMax { isTooLong = true }
      if isTooLong { line = [] } else { line += part }
      input.moveReaderIndex(forwardBy: part.count + (end == nil ? 0 : 1))
      guard end != nil else { return nil }
      defer {
        line = []
        isTooLong = false
      }
      if !isTooLong { return line.last == 0x0D ? line.dropLast() : line }
    }
    return nil
  }
}
