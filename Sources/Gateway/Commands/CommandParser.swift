package import Turret

/// Tells the commands in a client's bytes from all else; however the bytes are cut into messages,
/// the commands are the same.
///
///     idle ──X──▶ number ──'.'──▶ idle       a command, where it has 1 to 3 digits and is at most 180
///                   │ digit: number
///                   │ any other byte: refused, and the byte is taken as in idle
///                   └ finish: refused
///
/// In idle a letter of the firmware is a command, white space is passed over, and the rest is
/// refused. The rules are those of the guarded firmware, whichever firmware is behind: what passes
/// here means the same to all.
package struct CommandParser: Hashable, Sendable {
  private enum State: Hashable {
    case idle
    /// The value of the first three digits, and how many there were.
    case number(value: UInt16, digits: Int)
  }

  /// What a byte is, once a number that it broke off is out of the way.
  private enum Meaning {
    case nothing
    case lineEnd
    case command(Command)
    case refused(Refusal)
    case junk(Refusal.Why)
  }

  /// A number that is open for so long from its `X` is to be finished. The guarded firmware gives
  /// up after as long.
  package static let openTimeMax = Interval.milliseconds(250)

  private let firmware: Firmware
  private var state = State.idle
  /// The number's bytes, as far as a refusal tells them.
  private var begun: [UInt8] = []

  package init(for firmware: Firmware) { self.firmware = firmware }

  /// Whether a number has begun and not ended.
  package var isOpen: Bool { state != .idle }

  /// Takes one byte: at most a number that it broke off, and what it is itself.
  package mutating func take(_ byte: UInt8) -> [Parsed] {
    var gatherer = RefusalGatherer()
    take(byte, into: &gatherer)
    return gatherer.finish()
  }

  /// Takes a message, or a piece of one. A run of junk is one refusal, and there are at most
  /// `RefusalGatherer.refusalsMax`, whatever comes.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Parsed] {
    var gatherer = RefusalGatherer()
    return take(bytes, into: &gatherer, isWhole: true)
  }

  /// Takes bytes whose refusals a gatherer keeps. `isWhole`: a message ends with them.
  mutating func take(
    _ bytes: some Sequence<UInt8>, into gatherer: inout RefusalGatherer, isWhole: Bool
  ) -> [Parsed] {
    for byte in bytes { take(byte, into: &gatherer) }
    return isWhole ? gatherer.finish() : gatherer.take()
  }

  /// What was begun comes to nothing: its sender is gone, or its end did not come in time.
  package mutating func finish() -> Refusal? { isOpen ? abandon(.unfinished) : nil }

  private mutating func take(_ byte: UInt8, into gatherer: inout RefusalGatherer) {
    var broken: Refusal?
    let meaning = meaning(of: byte, breaking: &broken)
    if let broken { gatherer.add(broken, isWhole: false) }
    switch meaning {
    case .nothing: break
    case .lineEnd: gatherer.endLine()
    case .command(let command): gatherer.add(command)
    case .refused(let refusal): gatherer.add(refusal, isWhole: true)
    case .junk(let why): gatherer.add(junk: byte, why)
    }
  }

  private mutating func meaning(of byte: UInt8, breaking broken: inout Refusal?) -> Meaning {
    guard case .number(let value, let digits) = state else { return meaningInIdle(of: byte) }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      remember(byte)
      // Past three digits the number is refused, whatever it is.
      let grown = digits < 3 ? value * 10 + UInt16(byte - UInt8(ascii: "0")) : value
      state = .number(value: grown, digits: digits + 1)
      return .nothing
    case UInt8(ascii: "."):
      if digits > 0, digits <= 3, value <= 180 {
        state = .idle
        return .command(.aim(UInt8(value)))
      }
      remember(byte)
      let why: Refusal.Why = digits == 0 ? .noDigits : digits > 3 ? .tooManyDigits : .outOfRange
      return .refused(abandon(why, ending: 1))
    default:
      broken = abandon(.brokenOff)
      return meaningInIdle(of: byte)
    }
  }

  private mutating func meaningInIdle(of byte: UInt8) -> Meaning {
    switch byte {
    case UInt8(ascii: "X"):
      begun.removeAll(keepingCapacity: true)
      remember(byte)
      state = .number(value: 0, digits: 0)
      return .nothing
    case UInt8(ascii: " "), UInt8(ascii: "\t"): return .nothing
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return .lineEnd
    case 0x80...: return .junk(.notASCII)
    default:
      if let command = Command(letter: byte, in: firmware) { return .command(command) }
      let isElsewhere = Firmware.allCases.contains { Command(letter: byte, in: $0) != nil }
      return .junk(isElsewhere ? .otherFirmware : .unknown)
    }
  }

  private mutating func remember(_ byte: UInt8) {
    if begun.count < Refusal.bytesMax { begun.append(byte) }
  }

  /// `ending`: how many bytes there are beside `X` and the digits.
  private mutating func abandon(_ why: Refusal.Why, ending: Int = 0) -> Refusal {
    guard case .number(_, let digits) = state else { preconditionFailure("no number is open") }
    state = .idle
    return Refusal(begun, count: 1 + digits + ending, why: why)
  }
}
