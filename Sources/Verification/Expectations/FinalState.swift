/// The state required of a turret at the end of a session. A property that is nil is not required.
package struct FinalState: Hashable, Sendable, CustomStringConvertible {
  /// The commanded angle of a servo. `name` is as in a `Target`.
  package struct Servo: Hashable, Sendable {
    package var name: String?
    /// In whole degrees.
    package var degrees: ClosedRange<Int>

    package init(_ name: String?, at degrees: ClosedRange<Int>) {
      self.name = name
      self.degrees = degrees
    }
  }

  /// The level on a pin. `name` is as in a `PinTarget`.
  package struct Pin: Hashable, Sendable {
    package var name: String
    package var isHigh: Bool

    package init(_ name: String, isHigh: Bool) {
      self.name = name
      self.isHigh = isHigh
    }
  }

  package var servos: [Servo]
  package var pins: [Pin]
  package var isSweeping: Bool?

  package init(servos: [Servo] = [], pins: [Pin] = [], isSweeping: Bool? = nil) {
    self.servos = servos
    self.pins = pins
    self.isSweeping = isSweeping
  }

  package var description: String {
    var parts = servos.map { Target.servo($0.degrees, name: $0.name).description }
    parts += pins.map { PinTarget($0.name, .level(isHigh: $0.isHigh)).description }
    if let isSweeping { parts.append(isSweeping ? "sweeping" : "not sweeping") }
    return parts.joined(separator: ", ")
  }
}
