import AVR
import Sketches

/// The levels of pins that the session asked for.
struct LevelObserver: ChipObserver {
  static let serialPins = [Pin(.D, 0), Pin(.D, 1)]

  /// The pins whose levels are reported only while they drive no servo, a bit for each.
  private var unlessServo: UInt32 = 0

  /// Reports the levels of these pins from now on.
  mutating func watch(_ pins: PinSelection, _ found: inout Findings) {
    switch pins {
    case .all:
      let serial = Self.serialPins.compactMap { $0.arduino }
      for pin in 0..<Findings.pinCount where !serial.contains(pin) {
        unlessServo |= 1 << UInt32(pin)
      }
    case .some(let pins):
      for pin in pins.compactMap({ $0.arduino }) { found.watched |= 1 << UInt32(pin) }
    }
  }

  /// What the chip must report of its pins. `all` is whether every wire is followed.
  func pinWatch(all: Bool, _ found: Findings) -> PinWatch {
    func pins(_ bits: UInt32) -> Set<Pin> {
      Set(
        (0..<Findings.pinCount).filter { bits >> UInt32($0) & 1 != 0 }
          .compactMap { Pin(arduino: $0) })
    }
    var wires = pins(all ? .max : found.watched)
    if let pin = found.transmitPin { wires.insert(pin) }
    return PinWatch(wires: wires, driven: pins(unlessServo).subtracting(wires))
  }

  /// The edge of a servo's pin has been read before its level, because that can show that it drives
  /// a servo.
  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    guard case .wire(let pin, let isHigh) = event, let number = pin.arduino,
      (found.watched | unlessServo & ~found.servos.all) >> UInt32(number) & 1 != 0,
      let name = BoardPin(arduino: number)
    else { return }
    found.put(.pin(name, isHigh: isHigh), at: cycle)
  }
}
