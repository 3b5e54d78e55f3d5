package import Devices
package import Judging
package import Sketches
import Traces

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

/// What a client learns about the session when it connects.
package struct APIGreeting: Hashable, Sendable {
  package struct Variable: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  package var time: Instant
  package var isVirtual: Bool
  package var device: String
  /// The sketch's name.
  package var firmware: String
  /// The board's speed in bits a second.
  package var baud: Int
  /// The outputs that rules can refer to, in order of their names.
  package var shows: [Output.Kind]
  /// The environment of a sender.
  package var environment: [Variable]
}

/// The present state of a session's turret. Values that the device does not show are nil.
package struct APIState: Hashable, Sendable {
  package var time: Instant
  /// The commanded angle in degrees.
  package var servo: Int?
  /// The width of the servo's pulses in microseconds.
  package var pulse: Int?
  /// The angle of the modelled shaft in degrees, in tenths.
  package var shaft: Double
  package var isSweeping: Bool
  package var activity: Activity?
  /// Whether the sketch listens.
  package var isReady: Bool
  /// The tone in hertz.
  package var tone: Double?
  /// The number of the sender's bytes that have not reached the board.
  package var onTheLine: Int
  /// The number of bytes that have arrived but were not taken by the sketch.
  package var waiting: Int?
  /// The sender's speed in bits a second.
  package var baud: Int
}

/// What has happened in a session so far.
package struct APICounts: Hashable, Sendable {
  package var time: Instant
  package var counts: LiveCounts
  /// The number of commands that the sketch has taken; nil if unknown.
  package var commands: Int?
  package var events: Int
  /// The number of rules that are not decided yet.
  package var openRules: Int
}

/// Events of a session, as lines of a trace without their newlines.
package struct APIEvents: Hashable, Sendable {
  /// The index of the first of them, counted from 0.
  package var first: Int
  package var lines: [ArraySlice<UInt8>]
  /// The number of requested events that are no longer kept.
  package var lost = 0
}

/// What became of every byte of a session.
package struct APIExplanation: Hashable, Sendable {
  /// The lines that the command `explain` prints.
  package var lines: [String]
  /// The same as JSON: an object for each byte.
  package var bytes: [String]
}

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

  var fails: Bool { if case .fails = outcome { true } else { false } }
}

extension APIVerdict.Outcome {
  /// The members that it adds to a line.
  var members: [JSONValue.Member] {
    switch self {
    case .open: [.init("verdict", .string("open"))]
    case .holds(let time): [.init("verdict", .string("holds"))] + Self.time(time)
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

/// How a session ended.
package struct APIEnd: Hashable, Sendable {
  package var time: Instant
  /// The program's exit status.
  package var status: ExitStatus
  package var heldCount: Int
  package var failedCount: Int
  /// Every failure, and the rules that only the end decided.
  package var rules: [APIVerdict]
}
