/// A channel received as a serial line in several formats, to find the one that fits.
struct UARTTrial: Hashable, Sendable {
  /// The most bytes that are compared.
  private static let bytesMax = 4_096
  /// The fewest bytes that can show another format.
  private static let bytesMin = 8

  private struct Attempt: Hashable, Sendable {
    let dataBits: Int
    let baud: Int
    var line: UARTLine
    var received: [UARTReceiver.Received] = []

    init(baud: Int, dataBits: Int, isInverted: Bool) {
      self.baud = baud
      self.dataBits = dataBits
      line = UARTLine(baud: baud, dataBits: dataBits, isInverted: isInverted)
    }

    var errors: Int { received.count { !$0.hasStop } }
    /// Whether at most one byte in eight has a framing error.
    var isClean: Bool { !received.isEmpty && errors * 8 <= received.count }
    var isPerfect: Bool { received.count >= bytesMin && errors == 0 }

    mutating func collect() {
      received += line.received
      line.received.removeAll(keepingCapacity: true)
    }
  }

  /// Eight data bits at the board's speed, at the measured speed, and then other formats.
  private var attempts: [Attempt]
  private let speed: SpeedMeasurement?

  init(_ examination: ChannelExamination, baud: Int, isInverted: Bool) {
    speed = examination.speed
    let measured = examination.speed.map { max(1, Int($0.baud.rounded())) } ?? baud
    attempts = [Attempt(baud: baud, dataBits: 8, isInverted: isInverted)]
    for dataBits in [8, 5, 6, 7, 9] {
      attempts.append(Attempt(baud: measured, dataBits: dataBits, isInverted: isInverted))
    }
  }

  mutating func take(_ level: Bool?, at time: Int64) {
    for index in attempts.indices where attempts[index].received.count < Self.bytesMax {
      attempts[index].line.take(level, at: time)
      attempts[index].collect()
    }
  }

  mutating func finish(at time: Int64, isKnown: Bool) {
    for index in attempts.indices {
      attempts[index].line.finish(at: time, isKnown: isKnown)
      attempts[index].collect()
    }
  }

  /// The number of bytes at the board's speed.
  var byteCount: Int { attempts[0].received.count }

  /// Whether it carries bytes: at the board's speed, or at the one that was measured.
  var decodes: Bool {
    guard let speed, Double(speed.fitting) >= 0.75 * Double(speed.total) else {
      // A few edges, such as those of a single byte, do not show a speed.
      return attempts[0].received.count > 0 && attempts[0].errors == 0
    }
    return attempts[0].isClean || attempts[1].isClean && attempts[1].received.count > 1
  }

  /// The name of a format that is not 8N1, such as `7E1`; nil if 8N1 is possible.
  var otherFormat: String? {
    let eight = attempts[1]
    if attempts[0].isClean || eight.isClean {
      let bytes = (attempts[0].isClean ? attempts[0] : eight).received
      guard bytes.count >= Self.bytesMin else { return nil }
      let seven = Self.sevenBits(bytes)
      guard seven == nil || seven == "7N1" else { return seven }
      return Self.fewerBits(bytes, isText: seven != nil) ?? seven
    }
    for attempt in attempts.dropFirst(2) where attempt.isPerfect {
      switch attempt.dataBits {
      case 9:
        let odd = attempt.received.count { $0.bits.nonzeroBitCount % 2 == 1 }
        if odd == 0 { return "8E1" }
        if odd == attempt.received.count { return "8O1" }
      default: return "\(attempt.dataBits)N1"
      }
    }
    return nil
  }

  /// Returns the format with seven data bits that the bytes show; nil if there is none. A parity
  /// bit takes the place of the eighth data bit.
  private static func sevenBits(_ bytes: [UARTReceiver.Received]) -> String? {
    guard bytes.contains(where: { $0.bits & 0x80 != 0 }) else { return nil }
    let text = bytes.count {
      let bits = $0.bits & 0x7F
      return (0x20..<0x7F).contains(bits) || bits == 0x0A || bits == 0x0D || bits == 0x09
    }
    guard text * 10 >= bytes.count * 9 else { return nil }
    let odd = bytes.count { $0.bits.nonzeroBitCount % 2 == 1 }
    if odd == 0 { return "7E1" }
    if odd == bytes.count { return "7O1" }
    return bytes.allSatisfy { $0.bits & 0x80 != 0 } ? "7N1" : nil
  }

  /// Returns the formats with fewer data bits that the bytes show; nil if there is none. If the
  /// sender pauses after five data bits, the missing ones read high, like the line at rest.
  private static func fewerBits(_ bytes: [UARTReceiver.Received], isText: Bool) -> String? {
    let both = bytes.reduce(UInt16(0xFF)) { $0 & $1.bits }
    let some = bytes.reduce(UInt16(0)) { $0 | ($1.bits ^ bytes[0].bits) }
    guard some.nonzeroBitCount >= 2 else { return nil }
    if both & 0xE0 == 0xE0 { return "5N1, or 6N1 or 7N1 whose highest bits are always 1" }
    return isText && both & 0xC0 == 0xC0 ? "6N1, or 7N1 whose highest bit is always 1" : nil
  }
}
