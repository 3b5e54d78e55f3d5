import Traces

/// The lines of a text recording, read in bounded memory.
struct CaptureLines: ~Copyable {
  private var source: LineSource
  /// The number of the line that `next` returned last, from 1.
  private(set) var number = 0

  init(_ file: CaptureFile) { source = LineSource(Self.bytes(of: file)) }

  /// Whether the last line had no newline at its end.
  var endsWithoutNewline: Bool { source.endsWithoutNewline }

  /// Returns the next line without its line break, valid until the next call; nil at the end. A
  /// byte order mark before the first line is left out.
  mutating func next() throws(CaptureError) -> UnsafeRawBufferPointer? {
    let line: UnsafeRawBufferPointer?
    do throws(LineSource.Failure) {
      line = try source.next()
    } catch {
      switch error {
      case .reading(let error): throw CaptureError(.inputOutput, error.message)
      case .lineTooLong:
        throw CaptureError(
          .malformed, at: .line(number + 1, column: 0), "expected the line's end within 16 MiB")
      }
    }
    guard var line else { return nil }
    number += 1
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
