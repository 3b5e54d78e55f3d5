import AVR
import Sketches

/// The servos found so far, by their Arduino pins, and what each was told last.
struct ServoPins: Hashable, Sendable, Codable {
  struct Servo: Hashable, Sendable, Codable {
    /// Its Arduino pin.
    let pin: UInt8
    /// The last pulse reported for it, in microseconds; 0 before the first.
    var reported: UInt16 = 0
    var isDriven = false
  }

  let own: Int
  private var ownServo: Servo
  private(set) var others: [Servo] = []
  /// The cycle of the first event of another servo; nil before it, and `.max` once it was checked
  /// whether that is the only servo.
  var firstOther: UInt64?
  /// The pins of servos found by their pulses or by a timer's registers.
  var found = PinSet()
  /// The pins of active servos in the library's table.
  var inLibrary = PinSet()
  /// The pins of a timer whose pulses have been reported and not their end.
  var timed = PinSet()
  /// The pins that are still high since a servo's end, which has left them so.
  var leftHigh = PinSet()

  init(own: Int, firstOther: UInt64? = nil) {
    self.own = own
    ownServo = Servo(pin: UInt8(truncatingIfNeeded: own))
    self.firstOther = firstOther
  }

  var all: PinSet { found.union(inLibrary) }
  /// The pins on which the library or a timer makes pulses.
  var pulsing: PinSet { inLibrary.union(timed) }

  /// The servo on a pin. One that is not known yet was told nothing.
  subscript(pin: Int) -> Servo {
    get {
      if pin == own { return ownServo }
      let number = UInt8(truncatingIfNeeded: pin)
      return others.first { $0.pin == number } ?? Servo(pin: number)
    }
    set {
      if pin == own {
        ownServo = newValue
      } else if let index = others.firstIndex(where: { $0.pin == newValue.pin }) {
        others[index] = newValue
      } else {
        others.append(newValue)
      }
    }
  }

  var hasDriven: Bool { ownServo.isDriven || others.contains { $0.isDriven } }

  /// The pin that events of a servo name; nil for the session's own servo.
  func name(of pin: Int) -> BoardPin? { pin == own ? nil : BoardPin(arduino: pin) }

  mutating func setDriven(_ pin: Int, _ isDriven: Bool) {
    self[pin].isDriven = isDriven
    found.set(pin, isDriven)
  }
}
