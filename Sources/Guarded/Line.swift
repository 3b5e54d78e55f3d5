/// A line of telemetry. Its bytes are computed one at a time, so it needs no buffer.
///
///     090 hold ok=00012 no=00003 lost=00000 drop=00000      the answer to ?
///     0016e3605a                                            after V, at every servo write
///
/// The first line contains the angle, `hold` or `scan`, the numbers of commands accepted and
/// refused, of bytes lost by the receive ring, and of lines dropped because there was no room. The
/// second contains the board's clock in microseconds, eight hexadecimal digits, and the degrees,
/// two digits. Both end in LF.
public struct Line: Hashable, Sendable, Codable {
  fileprivate enum Content: Hashable, Codable {
    case status(
      degrees: UInt8, isSweeping: Bool, accepted: UInt16, refused: UInt16, lost: UInt16,
      dropped: UInt16)
    case write(degrees: UInt8, time: UInt32)
  }

  private let content: Content

  init(
    degrees: UInt8, isSweeping: Bool, accepted: UInt16, refused: UInt16, lost: UInt16,
    dropped: UInt16
  ) {
    content = .status(
      degrees: degrees, isSweeping: isSweeping, accepted: accepted, refused: refused, lost: lost,
      dropped: dropped)
  }

  init(writing degrees: UInt8, at time: UInt32) {
    content = .write(degrees: degrees, time: time)
  }

  /// The number of bytes in the line, including LF.
  public var count: UInt8 {
    switch content {
    case .status: 49
    case .write: 11
    }
  }

  /// The byte at `index`, 0..<count.
  public func byte(at index: UInt8) -> UInt8 {
    switch content {
    case .write(let degrees, let time):
      switch index {
      case 0...7: return Self.hexadecimal(time >> UInt32((7 &- index) &* 4))
      case 8: return Self.hexadecimal(UInt32(degrees >> 4))
      case 9: return Self.hexadecimal(UInt32(degrees))
      default: return 0x0A
      }
    case .status(let degrees, let isSweeping, let accepted, let refused, let lost, let dropped):
      switch index {
      case 0...2: return Self.decimal(UInt16(degrees), place: 2 &- index)
      case 4...7: return Self.modeLetter(isSweeping, index &- 4)
      case 12...16: return Self.decimal(accepted, place: 16 &- index)
      case 21...25: return Self.decimal(refused, place: 25 &- index)
      case 32...36: return Self.decimal(lost, place: 36 &- index)
      case 43...47: return Self.decimal(dropped, place: 47 &- index)
      default: return Self.label(index)
      }
    }
  }

  /// A byte of the fixed text between the numbers of a status line.
  private static func label(_ index: UInt8) -> UInt8 {
    let template: StaticString = "000 mode ok=00000 no=00000 lost=00000 drop=00000\n"
    return template.utf8Start[Int(index)]
  }

  private static func modeLetter(_ isSweeping: Bool, _ index: UInt8) -> UInt8 {
    let word: StaticString = isSweeping ? "scan" : "hold"
    return word.utf8Start[Int(index)]
  }

  private static func hexadecimal(_ value: UInt32) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: value) & 0x0F
    return digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
  }

  /// The digit of `value` at a decimal place, 0 for the ones.
  private static func decimal(_ value: UInt16, place: UInt8) -> UInt8 {
    var rest = value
    var place = place
    while place > 0 {
      rest /= 10
      place = place &- 1
    }
    return 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
  }
}
