import AVR
import Sketches

/// Something that finds outputs in a chip's events: one kind of them, in a file of its own.
///
/// All observers take all events, in the order in which `ChipReader` lists them. What they find
/// goes into one queue, ordered by time.
protocol ChipObserver: Hashable, Sendable {
  /// The first cycle at which something may prove to have happened; nil if there is none. Later
  /// outputs wait.
  var undecided: UInt64? { get }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder)

  /// Decides what has become clear by a cycle. When that happens must not depend on how often the
  /// chip's events are read, so this is called before each event, too.
  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder)

  /// Forgets what a restart of the chip ends.
  mutating func restart(
    at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder)
}

extension ChipObserver {
  var undecided: UInt64? { nil }
  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {}
  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {}
}
