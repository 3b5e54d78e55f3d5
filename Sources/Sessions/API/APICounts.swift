package import Devices
package import Turret

/// What has happened in a session so far.
package struct APICounts: Hashable, Sendable {
  package var time: Instant
  package var counts: LiveCounts
  /// The commands that the sketch has taken; nil if that is unknown.
  package var commands: Int?
  package var events: Int
  /// The rules that are not decided.
  package var openRules: Int
}
