package import Traces

/// The lines of a text recording, read in bounded memory.
struct CaptureLines: ~Copyable {
  private var source: LineSource
  private let stripsColors: Bool

  /// `stripsColors` is whether the escape sequences of a terminal's colours are left out.
  init(_ file: CaptureFile, stripsColors: Bool = false) {
    source = LineSource(
      ByteSource(file) { TraceError(.inputOutput, path: file.name, $0.message) }, path: file.name)
    self.stripsColors = stripsColors && Self.hasColors(file)
  }

  /// Whether a file's beginning has an escape. A search in each line would be slow.
  private static func hasColors(_ file: CaptureFile) -> Bool {
    (try? file.bytes(at: 0, count: CaptureHead.lengthMax))?.contains(0x1B) ?? false
  }

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
        ? CaptureError(at: .line(number + 1, column: 0), error.message)
        : CaptureError(.inputOutput, error.message)
    }
    guard var line else { return nil }
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) {
      line = UnsafeRawBufferPointer(rebasing: line[3...])
    }
    if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    guard stripsColors else { return line }
    // The source does not read a line again, so its own memory can change.
    let length = Self.stripColors(UnsafeMutableRawBufferPointer(mutating: line))
    return UnsafeRawBufferPointer(rebasing: line[..<length])
  }

  /// Removes escape sequences such as `ESC [ 1 ; 31 m` from a text, in place. Returns its length.
  static func stripColors(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard var end = bytes.firstIndex(of: 0x1B) else { return bytes.count }
    var index = end
    while index < bytes.count {
      if bytes[index] == 0x1B, index + 1 < bytes.count, bytes[index + 1] == 0x5B {
        index += 2
        // Parameters, and one byte that ends them.
        while index < bytes.count, (0x20..<0x40).contains(bytes[index]) { index += 1 }
        index += 1
        continue
      }
      bytes[end] = bytes[index]
      end += 1
      index += 1
    }
    return end
  }
}

extension ByteSource {
  /// The bytes of a file that can be read at any place. `failure` turns what reading throws into
  /// the error of this source.
  package init(_ file: CaptureFile, failure: @escaping (CaptureError) -> TraceError) {
    var offset: Int64 = 0
    self.init(
      read: { (buffer) throws(TraceError) in
        do throws(CaptureError) {
          let count = try file.read(offset, buffer)
          offset += Int64(count)
          return count
        } catch {
          throw failure(error)
        }
      },
      again: { () throws(TraceError) in ByteSource(file, failure: failure) })
  }
}
