package import Sketches

/// How often, and by how much, pulses differed from what a sketch had stored.
package struct TwitchTally: Hashable, Sendable, Codable {
  package private(set) var count = 0
  /// By how much they were longer and shorter at most, in microseconds; 0 if none was.
  private var longer = 0
  private var shorter = 0
  /// Why the one that differed most did so; nil if that is not known.
  private var why: String?

  package init() {}

  package mutating func add(_ twitch: Twitch) {
    count += 1
    if abs(twitch.difference) > max(longer, shorter) || why == nil { why = twitch.why ?? why }
    longer = max(longer, twitch.difference)
    shorter = max(shorter, -twitch.difference)
  }

  /// Returns a sentence without its full stop: `D9 was set to 90 degrees; 14 of 150 pulses were up
  /// to 609 us longer`, and why if that is known. `state` is what the pin was set to, `pulses` how
  /// many there were; nil if that is not known.
  package func sentence(on pin: String, _ state: String, among pulses: Int?) -> String {
    let all = pulses.map { "\(count) of \(String(counting: $0, "pulse"))" }
    let subject = all ?? String(counting: count, "pulse")
    let parts = [(longer, "longer"), (shorter, "shorter")].filter { $0.0 > 0 }
    let words = parts.map { count == 1 ? "\($0.0) us \($0.1)" : "up to \($0.0) us \($0.1)" }
    return "\(pin) was \(state); \(subject) \(count == 1 ? "was" : "were") "
      + words.joined(separator: " or ") + (why.map { ": \($0)" } ?? "")
  }
}
