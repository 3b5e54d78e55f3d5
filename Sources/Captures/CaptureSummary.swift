package import Traces
package import Turret

/// What was found in a recording and what was assumed, for the user.
package struct CaptureSummary: Hashable, Sendable {
  /// A channel of a logic analyser, or a port or direction of a log.
  package struct Channel: Hashable, Sendable {
    package var name: String
    /// `rx`, `tx`, `servo`, or nil if it is not used.
    package var role: String?
    /// Bits a second, as measured from the edges; nil if they do not show it.
    package var baud: Int?
    /// Whether the line idles low.
    package var isInverted = false
    /// The number of bytes, of edges, or of pulses, with its noun: `22 bytes`.
    package var counts: [String] = []
  }

  package var kind: CaptureKind
  package var channels: [Channel] = []
  /// From the first sample or record to the last.
  package var duration: Interval = .zero
  /// The resolution of a log's stamps, or the time between two samples; nil if it is not known.
  package var resolution: Interval?
  package var uncertainty: Interval?
  /// The number of bytes with a framing error, in both directions.
  package var framingErrors = 0
  package var glitches = 0
  package var holes = 0
  /// Whether the recording needed the sample rate that the user gave.
  package var usesGivenRate = false
  /// Whether the board's answers are those of guarded, and the user did not name a sketch.
  package var answersAsGuarded = false
  /// What shows whether the recording was read correctly.
  package var evidence = RecordingEvidence()
  /// Sentences for standard error: what was assumed, what is doubtful, what was cut.
  package var notes: [String] = []

  package init(kind: CaptureKind) { self.kind = kind }
}
