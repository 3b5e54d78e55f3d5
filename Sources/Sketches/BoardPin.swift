/// A pin of an Arduino Uno, or a channel of a PCA9685 servo driver on its two-wire bus.
package struct BoardPin: Hashable, Comparable, Sendable {
  /// The addresses that a PCA9685 can have on the bus.
  package static let driverAddresses: ClosedRange<UInt8> = 0x40...0x7F
  /// The names, for messages.
  package static let names = "\"D0\" to \"D13\", \"A0\" to \"A5\" or \"pca9685@0x40:3\""
  private static let driverPrefix = "pca9685@0x"
  private static let firstAnalog = 14
  private static let pinCount = 20
  /// A Nano and a Pro Mini have two more analog inputs, A6 and A7, which are not digital pins.
  private static let analogOnly: ClosedRange<UInt16> = 20...21
  /// Marks the code of a channel: above the numbers of all pins. The address is in bits 4 to 10,
  /// the channel in the bits below.
  private static let driverBit: UInt16 = 0x1000

  /// 0...19 for D0...D13 and A0...A5, 20 and 21 for A6 and A7, otherwise a channel.
  private let code: UInt16

  /// The pin of a turret's servo.
  package static let usualServo = BoardPin(code: 9)

  private init(code: UInt16) { self.code = code }

  /// Creates an Uno's pin, 0...19 (14...19 are A0...A5); nil for any other number.
  package init?(arduino number: Int) {
    guard (0..<Self.pinCount).contains(number) else { return nil }
    code = UInt16(number)
  }

  /// Creates a channel, 0...15, of the PCA9685 at an address; nil if there is no such channel.
  package init?(driver address: UInt8, channel: UInt8) {
    guard Self.driverAddresses.contains(address), channel < 16 else { return nil }
    code = Self.driverBit | UInt16(address) << 4 | UInt16(channel)
  }

  /// Parses the name of a pin to which a voltage can be applied: as `init(name:)`, or `A6` or `A7`.
  /// Nil for anything else, and for a channel.
  package init?(analogName name: String) {
    switch name {
    case "A6": code = Self.analogOnly.lowerBound
    case "A7": code = Self.analogOnly.upperBound
    default:
      guard let pin = BoardPin(name: name), pin.arduino != nil else { return nil }
      self = pin
    }
  }

  /// Parses `D10`, `10`, `A0` or `pca9685@0x40:3`; nil for anything else.
  package init?(name: String) {
    let text = Array(name.utf8)
    if text.starts(with: Self.driverPrefix.utf8) {
      let rest = text.dropFirst(Self.driverPrefix.utf8.count)
      guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
        let address = Self.number(rest[..<colon], radix: 16),
        let channel = Self.number(rest[(colon + 1)...], radix: 10)
      else { return nil }
      self.init(driver: address, channel: channel)
      return
    }
    let letter = text.first.flatMap { $0 >= UInt8(ascii: "A") ? $0 : nil }
    guard let number = Self.number(letter == nil ? text[...] : text.dropFirst(), radix: 10) else {
      return nil
    }
    let first = letter == UInt8(ascii: "A") ? Self.firstAnalog : 0
    let end = letter == UInt8(ascii: "D") ? Self.firstAnalog : Self.pinCount
    guard letter == nil || first > 0 || end < Self.pinCount, first + Int(number) < end else {
      return nil
    }
    self.init(arduino: first + Int(number))
  }

  /// Parses at most two digits.
  private static func number(_ text: ArraySlice<UInt8>, radix: UInt8) -> UInt8? {
    guard (1...2).contains(text.count) else { return nil }
    var value: UInt8 = 0
    for byte in text {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      guard digit < radix else { return nil }
      value = value * radix + digit
    }
    return value
  }

  /// The number of the Uno's pin, 0...19; nil for a channel, and for A6 and A7.
  package var arduino: Int? { code < Self.pinCount ? Int(code) : nil }

  /// The channel of the ADC, 6 or 7, if this is A6 or A7; otherwise nil.
  package var analogOnlyChannel: UInt8? {
    Self.analogOnly.contains(code) ? UInt8(code - Self.analogOnly.lowerBound) + 6 : nil
  }

  /// The PCA9685's address and the channel; nil for a pin.
  package var driver: (address: UInt8, channel: UInt8)? {
    guard code >= Self.driverBit else { return nil }
    return (UInt8(truncatingIfNeeded: code >> 4), UInt8(truncatingIfNeeded: code & 0xF))
  }

  /// The canonical name: `D10`, `A0`, `pca9685@0x40:3`.
  package var name: String {
    if let driver {
      return Self.driverPrefix + String(driver.address, radix: 16) + ":\(driver.channel)"
    }
    return code < Self.firstAnalog ? "D\(code)" : "A\(Int(code) - Self.firstAnalog)"
  }

  package static func < (left: BoardPin, right: BoardPin) -> Bool { left.code < right.code }
}

/// What is applied to a pin of the board from outside, or told to a part that is wired to it. It
/// lasts until the next one.
package enum BoardInput: Hashable, Sendable {
  /// A level: low is 0 V, high is the supply.
  case level(BoardPin, Bool)
  /// A voltage in microvolts, within `voltages`.
  case voltage(BoardPin, microvolts: Int32)
  /// A value in millionths of the part's unit, from 0.
  case part(BoardPart, millionths: Int64)

  /// 0 to 5 V: an Uno's pins tolerate no more than its supply.
  package static let voltages: ClosedRange<Int32> = 0...5_000_000

  /// The largest value that a part is told, in millionths.
  package static let partMax: Int64 = 1_000_000_000_000

  package var target: String {
    switch self {
    case .level(let pin, _), .voltage(let pin, _): pin.name
    case .part(let part, _): part.name
    }
  }
}

package enum PinSelection: Hashable, Sendable {
  /// Every pin that the sketch drives, except those of servos and of the serial port.
  case all
  case some(Set<BoardPin>)
}

/// A wire between the board and what is connected to it.
package enum BoardWire: Int, Hashable, Sendable, CaseIterable {
  /// Serial data to the board.
  case rx
  /// Serial data from the board.
  case tx
  /// The servo's signal.
  case servo
  /// The buzzer's signal.
  case tone

  /// Its level while nothing happens: a serial line is high, the servo and the buzzer are low.
  package var isHighAtRest: Bool { self == .rx || self == .tx }
}

/// A level that the board puts on a wire. The instant is exact, unlike that of an output.
package struct WireChange: Hashable, Sendable {
  package var time: Instant
  package var wire: BoardWire
  package var isHigh: Bool

  package init(time: Instant, wire: BoardWire, isHigh: Bool) {
    self.time = time
    self.wire = wire
    self.isHigh = isHigh
  }
}
