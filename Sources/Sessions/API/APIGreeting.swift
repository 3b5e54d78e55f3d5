package import Turret

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
