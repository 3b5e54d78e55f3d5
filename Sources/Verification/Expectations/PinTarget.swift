import Traces
package import Turret

/// What a rule requires of the level on a pin.
package struct PinTarget: Hashable, Sendable {
  package enum Condition: Hashable, Sendable {
    /// The pin changes to this level, or has it all the time.
    case level(isHigh: Bool)
    /// The pin changes to this level and back, after a time that the limits allow.
    case pulse(isHigh: Bool, Limits<Interval>)
    /// The pin is high for this part of a cycle, in percent. A cycle lasts from one rising edge to
    /// the next.
    case duty(Limits<Double>)
  }

  /// A range that can be open at either end.
  package struct Limits<Value: Comparable & Hashable & Sendable>: Hashable, Sendable {
    package var least: Value?
    package var most: Value?

    package init(least: Value? = nil, most: Value? = nil) {
      self.least = least
      self.most = most
    }

    func allow(_ value: Value) -> Bool {
      if let least, value < least { return false }
      if let most, value > most { return false }
      return true
    }
  }

  /// The pin, or its name in the profile.
  package var name: String
  package var condition: Condition

  package init(_ name: String, _ condition: Condition) {
    self.name = name
    self.condition = condition
  }

  /// Whether the condition is about one instant, and not about a pulse or a cycle.
  package var isLevel: Bool {
    if case .level = condition { true } else { false }
  }
}

extension PinTarget: CustomStringConvertible {
  package var description: String {
    switch condition {
    case .level(let isHigh): return "pin \(name) \(isHigh ? 1 : 0)"
    case .pulse(let isHigh, let limits):
      let text = "pin \(name) \(isHigh ? "pulse" : "low pulse")"
      return text
        + Self.text(
          limits.least.map { String(readable: $0) },
          limits.most.map {
            String(readable: $0)
          })
    case .duty(let limits):
      return "pin \(name) duty"
        + Self.text(limits.least.map(Self.percent), limits.most.map(Self.percent))
    }
  }

  private static func text(_ least: String?, _ most: String?) -> String {
    let parts = [least.map { "at least \($0)" }, most.map { "at most \($0)" }].compactMap { $0 }
    return parts.isEmpty ? "" : " " + parts.joined(separator: ", ")
  }

  /// A part of a cycle, with at most one decimal place.
  static func percent(_ value: Double) -> String {
    String(shortest: (value * 10).rounded() / 10) + " %"
  }
}
