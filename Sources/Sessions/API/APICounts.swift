package import Devices
package import Turret

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
