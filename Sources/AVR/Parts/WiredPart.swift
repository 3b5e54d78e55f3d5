/// A part that is wired to the chip: it watches pins and drives them, or answers on a bus.
/// Everything about a part is in its own file; the list of parts is in `Parts.swift`.
///
/// A part is a value. It takes what happens at its pins, and answers with `PartEffects`. It has
/// its own supply and clock, so neither a reset of the chip nor its sleep changes it.
protocol WiredPart: Hashable, Sendable, Codable {
  /// Its kind, as the command line and traces name it.
  static var kind: PartKind { get }

  /// Returns nil if it cannot be connected there.
  init?(at place: PartPlace, _ rate: ClockRate)

  /// The pins whose levels it is told.
  var watched: [Pin] { get }
  /// When it does something by itself; `.max` if never.
  var deadline: UInt64 { get }
  /// Takes an event at a cycle no earlier than those before.
  mutating func take(_ event: PartEvent, at cycle: UInt64, _ effects: inout PartEffects)
}

/// What the command line, traces and messages say about a part.
package struct PartKind: Hashable, Sendable {
  /// As in `--attach`, before the `@`.
  package var name: String
  /// What it is, and how it is connected: `a servo driver with an address from 0x40 to 0x7f`.
  package var noun: String
  package var example: String
  /// What a session can tell it; nil if nothing.
  package var input: Input?
  package var isOnSPI = false

  package struct Input: Hashable, Sendable {
    /// The quantity with its unit and range, such as `a distance from 0.02 to 10 m`.
    package var noun: String
    /// In millionths of the unit.
    package var range: ClosedRange<Int64>
  }
}

package enum PartPlace: Hashable, Sendable {
  case address(UInt8)
  /// At these pins, in the part's own order.
  case pins([Pin])
}

package enum PartEvent: Hashable, Sendable {
  /// It is connected, and has its supply from now on.
  case powerOn
  case time
  case level(Pin, isHigh: Bool)
  /// A session tells it a value, in millionths of its unit.
  case input(Int64)
  /// An output of its own is reported from now on: a channel's level.
  case follow(UInt8)
  /// The master on the two-wire bus has sent an address, after a START.
  case address(UInt8, reads: Bool)
  /// The master sends a byte to the parts that have acknowledged the address.
  case write(UInt8)
  /// The master reads a byte from them.
  case read
  case stop
  /// The chip has sent this byte on SPI.
  case exchange(UInt8)
}

struct PartEffects: Sendable {
  /// The levels that it puts on pins from now on.
  private(set) var levels: [(pin: Pin, isHigh: Bool)] = []
  private(set) var outputs: [(part: UInt8, output: PartOutput)] = []
  /// Whether it pulls the acknowledgement low.
  private(set) var isAcknowledged = false
  /// What is read on the bus, or on SPI: a bit is low if any part pulls its line low.
  private(set) var byte: UInt8 = 0xFF
  private(set) var hasAnswered = false
  fileprivate(set) var part: UInt8 = 0

  mutating func drive(_ pin: Pin, _ isHigh: Bool) { levels.append((pin, isHigh)) }
  mutating func put(_ output: PartOutput) { outputs.append((part, output)) }
  mutating func acknowledge() { isAcknowledged = true }

  mutating func answer(_ byte: UInt8) {
    self.byte &= byte
    hasAnswered = true
  }
}

/// An output of a part, which a session reports.
package enum PartOutput: Hashable, Sendable, Codable {
  /// The pulses on a channel have changed; 0 if there are none any more. `period` is the time from
  /// one pulse to the next. Both are in microseconds.
  case pulses(channel: UInt8, microseconds: UInt16, period: UInt32)
  /// The level of a channel that is followed has changed.
  case level(channel: UInt8, isHigh: Bool)
}

/// A part and its number, in the order in which they were attached.
struct Wired<Value: WiredPart>: Hashable, Sendable, Codable {
  var number: UInt8
  var part: Value

  mutating func take(_ event: PartEvent, at cycle: UInt64, _ effects: inout PartEffects) {
    effects.part = number
    part.take(event, at: cycle, &effects)
  }
}
