import Turret

/// A line from the board: its bytes up to LF, as they arrive.
struct ReplyLine: Hashable {
  struct Byte: Hashable {
    var time: Instant
    var byte: UInt8
    /// The trace's line; 0 in a live session.
    var line: Int
  }

  private(set) var bytes: [Byte]

  /// Splits a board's bytes into lines. The last line can lack its end.
  static func lines(_ bytes: some Sequence<Byte>) -> [ReplyLine] {
    var lines: [ReplyLine] = []
    var isOpen = false
    for byte in bytes {
      if isOpen {
        lines[lines.count - 1].bytes.append(byte)
      } else {
        lines.append(ReplyLine(bytes: [byte]))
      }
      isOpen = byte.byte != 0x0A
    }
    return lines
  }

  var start: Instant { bytes[0].time }
  var isWhole: Bool { bytes[bytes.count - 1].byte == 0x0A }

  /// Whether the line reports a servo write: eight hexadecimal digits of the board's clock and two
  /// of degrees. Of a truncated line, only the part that is present is checked.
  var reportsWrite: Bool {
    let digits = isWhole ? bytes.dropLast() : bytes[...]
    return (isWhole ? digits.count == 10 : digits.count <= 10)
      && digits.allSatisfy { 0x30...0x39 ~= $0.byte || 0x61...0x66 ~= $0.byte }
  }

  /// Whether the line is a complete answer to `?`, whose fields are at fixed offsets.
  private var isStatus: Bool { bytes.count == 49 && isWhole }
  private static let degrees = 0..<3
  private static let mode = 4..<8
  private static let dropped = 43..<48

  private func text(_ range: Range<Int>) -> [UInt8] { bytes[range].map { $0.byte } }

  /// Returns the line with its timing-dependent fields taken from another: the angle if both are
  /// sweeping and, if writes are reported, how many lines were dropped.
  func taking(timedPartsOf other: ReplyLine, writesAreReported: Bool) -> ReplyLine {
    guard isStatus, other.isStatus else { return self }
    var line = self
    func take(_ range: Range<Int>) {
      for index in range { line.bytes[index].byte = other.bytes[index].byte }
    }
    if text(Self.mode) == Array("scan".utf8), other.text(Self.mode) == text(Self.mode) {
      take(Self.degrees)
    }
    if writesAreReported { take(Self.dropped) }
    return line
  }
}
