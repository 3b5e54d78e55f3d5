import Traces
package import Turret
package import Verification

/// The verdict on a client's rule so far.
package struct APIVerdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// Not decided yet.
    case open
    /// `at`: when the rule was met; nil if it concerns the session as a whole.
    case holds(at: Instant?)
    case fails(RuleFailure)
  }

  /// The request that stated the rule.
  package var id: APIRequest.ID
  package var outcome: Outcome

  var fails: Bool {
    if case .fails = outcome { true } else { false }
  }
}

extension APIVerdict.Outcome {
  /// The members that it adds to a line.
  var members: [JSONValue.Member] {
    switch self {
    case .open: [.init("verdict", .string("open"))]
    case .holds(let time):
      [.init("verdict", .string("holds"))]
        + Self.time(time)
    case .fails(let failure):
      [.init("verdict", .string("fails"))]
        + Self.time(failure.time)
        + [.init("text", .string(failure.text))]
    }
  }

  private static func time(_ instant: Instant?) -> [JSONValue.Member] {
    guard let instant else { return [] }
    return [.init("time", .number(String(canonical: instant.roundedUpToMicrosecond)))]
  }
}
