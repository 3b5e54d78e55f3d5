/// The changes at the beginning of a recording, kept in memory in a few bytes each, so that a
/// second pass need not inflate or parse the file again.
struct ChangeLog {
  /// Its largest size in bytes. An array can take twice that while it grows.
  static let sizeMax = 16 << 20

  private var bytes: [UInt8] = []
  private var last = LogicLevels(time: 0, high: 0)
  private(set) var count = 0

  /// Keeps a change. Returns whether there is room for another.
  mutating func append(_ change: LogicLevels) -> Bool {
    let hasUnknown = change.unknown != last.unknown
    // Every time is below 2^60, so a bit is left for this.
    let step = UInt64(truncatingIfNeeded: change.time &- last.time)
    append(number: step &<< 1 | (hasUnknown ? 1 : 0))
    append(number: change.high ^ last.high)
    if hasUnknown { append(number: change.unknown) }
    last = change
    count += 1
    return bytes.count < Self.sizeMax
  }

  /// The time of the last change.
  var end: Int64 { last.time }

  /// Passes the changes to `take` until it returns false.
  func read(_ take: LogicRecording.Take) throws(CaptureError) {
    var change = LogicLevels(time: 0, high: 0)
    var offset = 0
    while offset < bytes.count {
      let step = number(at: &offset)
      change.time &+= Int64(truncatingIfNeeded: step &>> 1)
      change.high ^= number(at: &offset)
      if step & 1 == 1 { change.unknown = number(at: &offset) }
      guard try take(change) else { return }
    }
  }

  /// Appends seven bits per byte, the lowest first; the highest bit means that more follow.
  private mutating func append(number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private func number(at offset: inout Int) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) &<< shift
      guard byte > 0x7F else { return value }
      shift += 7
    }
  }
}
