/// The state of a turret at the end of a session. What is nil is not required.
package struct FinalState: Hashable, Sendable, CustomStringConvertible {
  /// The commanded angle, in degrees.
  package var servo: ClosedRange<Int>?
  package var isSweeping: Bool?

  package init(servo: ClosedRange<Int>? = nil, isSweeping: Bool? = nil) {
    self.servo = servo
    self.isSweeping = isSweeping
  }

  package var description: String {
    var parts: [String] = []
    if let servo { parts.append(Target.servo(servo, name: nil).description) }
    if let isSweeping { parts.append(isSweeping ? "sweeping" : "not sweeping") }
    return parts.joined(separator: ", ")
  }
}
