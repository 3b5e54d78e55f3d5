import Turret

/// A line that the board sent: its bytes up to LF, as they come.
struct ReplyLine: Hashable {
  struct Byte: Hashable {
    var time: Instant
    var byte: UInt8
    /// The trace's line; 0 in a live session.
    var line: Int
  }

  private(set) var bytes: [Byte]

  /// Cuts what a board sent into lines; the last may lack its end.
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

  /// Whether it reports a servo write: eight hexadecimal digits of the board's clock, two of
  /// degrees. Of a line cut short that is taken for granted as far as it goes.
  var reportsWrite: Bool {
    let digits = isWhole ? bytes.dropLast() : bytes[...]
    return (isWhole ? digits.count == 10 : digits.count <= 10)
      && digits.allSatisfy { 0x30...0x39 ~= $0.byte || 0x61...0x66 ~= $0.byte }
  }

  /// Whether it answers `?`, so that its parts stand where they are looked for.
  private var isStatus: Bool { bytes.count == 49 && isWhole }
  private static let degrees = 0..<3
  private static let mode = 4..<8
  private static let dropped = 43..<48

  private func text(_ range: Range<Int>) -> [UInt8] { bytes[range].map { $0.byte } }

  /// The line with what timing decides taken over from another: the angle where both are sweeping,
  /// and, where writes are reported, how many lines found no room.
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
