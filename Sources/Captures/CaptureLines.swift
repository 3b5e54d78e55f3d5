import Traces

/// The lines of a text recording, read in bounded memory.
struct CaptureLines: ~Copyable {
  private var source: LineSource

  init(_ file: CaptureFile) { source = LineSource(Self.bytes(of: file), path: file.name) }

  /// The number of the line that `next` returned last, from 1.
  var number: Int { source.number }

  /// Whether the last line had no newline at its end.
  var endsWithoutNewline: Bool { source.endsWithoutNewline }

  /// Returns the next line without its line break, valid until the next call; nil at the end. A
  /// byte order mark before the first line is left out.
  mutating func next() throws(CaptureError) -> UnsafeRawBufferPointer? {
    let line: UnsafeRawBufferPointer?
    do throws(TraceError) {
      line = try source.next()
    } catch {
      // A line is malformed only if it is too long.
      throw error.code == .malformed
        ? CaptureError(.malformed, at: .line(number + 1, column: 0), error.message)
        : CaptureError(.inputOutput, error.message)
    }
    guard var line else { return nil }
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) {
      line = UnsafeRawBufferPointer(rebasing: line[3...])
    }
    if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    return line
  }

  private static func bytes(of file: CaptureFile) -> ByteSource {
    var offset: Int64 = 0
    return ByteSource(
      read: { (buffer) throws(TraceError) in
        do throws(CaptureError) {
          let count = try file.read(offset, buffer)
          offset += Int64(count)
          return count
        } catch {
          throw TraceError(.inputOutput, path: file.name, error.message)
        }
      },
      again: { () throws(TraceError) in bytes(of: file) })
  }
}
