import Traces
package import Turret

/// How a sender's process ended.
package struct SenderOutcome: Hashable, Sendable {
  /// Its exit status, or 128 plus the number of the signal that ended it.
  package var status: Int
  /// How long it ran.
  package var length: Interval
  /// Whether the bench ended it.
  package var wasStopped: Bool
  /// The end of its standard error.
  package var errors: [UInt8]

  package init(status: Int, length: Interval, wasStopped: Bool, errors: [UInt8]) {
    self.status = status
    self.length = length
    self.wasStopped = wasStopped
    self.errors = errors
  }

  /// Returns why the outcome breaks a rule; nil if it does not.
  func objection(to rule: SenderRule) -> String? {
    switch rule {
    case .exit(let expected):
      status == expected ? nil : "the sender ended with status \(status)"
    case .standardError(let pattern):
      pattern.matches(errors.last == 0x0A ? errors.dropLast() : errors[...])
        ? nil : "the sender's standard error was \(ByteText.quoted(errors.suffix(200)))"
    case .stops(let limit):
      wasStopped || length > limit
        ? "the sender ran for \(String(readable: length))"
          + (wasStopped ? ", and the bench stopped it" : "")
        : nil
    }
  }
}
