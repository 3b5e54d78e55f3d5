import Devices
package import Turret

/// The answer to a request.
package enum APIAnswer: Hashable, Sendable {
  /// The request was carried out at this time of the session.
  case done(at: Instant)
  case hello(APIGreeting)
  case verdict(APIVerdict.Outcome)
  case state(APIState)
  case counts(APICounts)
  case events(APIEvents)
  /// Events follow, from this index on.
  case subscribed(from: Int)
  case unsubscribed
  case explanation(APIExplanation)
  /// A picture as SVG.
  case picture(String)
  /// The session so far as a trace.
  case trace([UInt8])
  /// The session has ended as requested.
  case over(APIEnd)
}
