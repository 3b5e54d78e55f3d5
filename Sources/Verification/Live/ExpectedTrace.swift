package import Traces
package import Turret

/// A trace by which a session is to be judged, before the session has a device.
package struct ExpectedTrace: ~Copyable {
  private var reader: TraceReader
  /// How early or late an output can be; nil for ``LiveJudge/defaultTolerance``.
  private let tolerance: Interval?
  /// How much a gap of the sender can differ from the trace's; nil if the gaps are not judged.
  private let gapMax: Interval?

  package init(_ reader: consuming TraceReader, tolerance: Interval?, gapMax: Interval?) {
    self.reader = reader
    self.tolerance = tolerance
    self.gapMax = gapMax
  }

  /// Reads the trace to its end. The arguments are those of ``LiveJudge``.
  package consuming func judge(
    _ firmware: Firmware, _ profile: Profile?, observing kinds: Set<Output.Kind>,
    from start: Header.Start, baud: Int, timing: Timing?
  ) throws(TraceError) -> TraceJudge {
    try TraceJudge(
      expected: &reader, firmware: firmware, profile: profile, observes: kinds,
      tolerance: tolerance, start: start, baud: baud, timing: timing, gapMax: gapMax)
  }
}
