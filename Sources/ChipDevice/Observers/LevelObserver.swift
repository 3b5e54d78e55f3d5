import AVR
import Sketches

struct LevelObserver: ChipObserver {
  static let serialPins = [Pin(.D, 0), Pin(.D, 1)]

  /// The pins whose levels are reported only while they drive no servo.
  private var unlessServo = PinSet()

  mutating func watch(_ pins: PinSelection, _ found: inout Findings) {
    switch pins {
    case .all:
      unlessServo = .all
      for pin in Self.serialPins.compactMap({ $0.arduino }) { unlessServo.remove(pin) }
    case .some(let pins): for pin in pins.compactMap({ $0.arduino }) { found.watched.insert(pin) }
    }
  }

  /// What the chip must report of its pins. `all` is whether every wire is followed.
  func pinWatch(all: Bool, _ found: Findings) -> PinWatch {
    func pins(_ pins: PinSet) -> Set<Pin> { Set(pins.compactMap { Pin(arduino: $0) }) }
    var wires = pins(all ? .all : found.watched)
    if let pin = found.transmitPin { wires.insert(pin) }
    return PinWatch(wires: wires, driven: pins(unlessServo).subtracting(wires))
  }

  /// The edge of a servo's pin has been read before its level, because that can show that it drives
  /// a servo.
  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    guard case .wire(let pin, let isHigh) = event, let number = pin.arduino,
      found.watched.contains(number)
        || unlessServo.contains(number) && !found.servos.all.contains(number),
      let name = BoardPin(arduino: number)
    else { return }
    found.put(.pin(name, isHigh: isHigh), at: cycle)
  }
}
