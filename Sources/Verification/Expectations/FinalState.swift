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

  package var servos: [Servo]
  package var isSweeping: Bool?

  package init(servos: [Servo] = [], isSweeping: Bool? = nil) {
    self.servos = servos
    self.isSweeping = isSweeping
  }

  package var description: String {
    var parts = servos.map { Target.servo($0.degrees, name: $0.name).description }
    if let isSweeping { parts.append(isSweeping ? "sweeping" : "not sweeping") }
    return parts.joined(separator: ", ")
  }
}
