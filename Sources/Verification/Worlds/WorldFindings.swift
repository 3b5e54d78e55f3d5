import Devices
import Traces
package import Turret

/// What holds in all, in some and in none of a session's worlds.
package struct WorldFindings: Hashable, Sendable {
  /// A command that not every world took.
  package struct Command: Hashable, Sendable {
    /// As its sender wrote it.
    package var text: [UInt8]
    /// When it began according to the recording.
    package var time: Instant
    /// The trace's line.
    package var line: Int
    /// How many worlds had each outcome: `letter` if the command was taken, otherwise the fate of
    /// the first byte that was not.
    package var outcomes: [Fate: Int]
  }

  /// A place where worlds first differ from the trace.
  package struct Parting: Hashable, Sendable {
    package var line: Int
    package var count: Int
    package var message: String
  }

  /// The number of worlds that were replayed; the first is the recording itself.
  package let count: Int
  /// How many of them have the recorded outputs.
  package let agreeing: Int
  /// How many of them show nothing to compare.
  package let undecided: Int
  package let seed: UInt64
  package let uncertainty: Interval
  /// How early or late an output could be.
  package let tolerance: Interval
  /// The commands that at least one world did not take, in order.
  package let commands: [Command]
  /// Where worlds first differ, the most frequent place first.
  package let partings: [Parting]
  /// How far the times of the nearest agreeing world that was found are from the recorded ones, at
  /// most; nil if none was searched for.
  package var nearest: Interval?
  /// For each byte in order of arrival, the number of worlds in which it had each fate.
  package let fates: [[Fate: Int]]

  package init(
    _ tally: WorldTally, _ reference: WorldReference, of session: UncertainSession, seed: UInt64,
    tolerance: Interval
  ) {
    count = tally.count
    agreeing = tally.agreeing
    undecided = tally.undecided
    self.seed = seed
    uncertainty = session.uncertainty
    self.tolerance = tolerance
    func whole(_ others: [Fate: Int]?, _ recorded: Fate) -> [Fate: Int] {
      var counts = others ?? [:]
      let rest = tally.count - counts.values.reduce(0, +)
      if rest > 0 { counts[recorded] = rest }
      return counts
    }
    fates = reference.entries.enumerated().map { whole(tally.fates[$0], $1.fate) }
    var commands: [Command] = []
    for (index, command) in reference.commands.enumerated() {
      let outcomes = whole(tally.outcomes[index], command.outcome)
      guard outcomes[.letter] != tally.count else { continue }
      let bytes = session.bytes[command.bytes]
      guard let first = bytes.first else { continue }
      commands.append(
        Command(
          text: bytes.map { $0.value }, time: first.recorded, line: first.line,
          outcomes: outcomes))
    }
    self.commands = commands
    partings = tally.partings.map { place, parting in
      Parting(line: place.line, count: parting.count, message: parting.example.message)
    }
    .sorted { ($1.count, $0.line, $0.message) < ($0.count, $1.line, $1.message) }
  }

  /// Returns the verdict over all worlds. `recorded` is that of the recorded times.
  package func verdict(recorded: Verdict) -> Verdict {
    var verdict = recorded
    verdict.worlds = self
    if agreeing == count { return verdict }
    if agreeing == 0, undecided == 0 {
      // The recorded times are one of the worlds, so they differ too.
      return verdict
    }
    if case .nothingToCompare(let why) = recorded.outcome, agreeing == 0 {
      verdict.outcome = .undecided(why)
    } else {
      verdict.outcome = .undecided(
        "the device has the recorded outputs in \(share(agreeing)) of \(timings)")
    }
    return verdict
  }
}
