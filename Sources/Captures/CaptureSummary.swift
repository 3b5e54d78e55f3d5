package import Sketches
package import Traces

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

extension Capture {
  /// Returns what was found and assumed: sentences without the file's name. `option` names the
  /// board's sketch.
  package func sentences(naming option: String = "--firmware") -> [String] {
    let firmware = header.firmware(unless: nil).rawValue
    let basis =
      summary.answersAsGuarded
      ? "the board answers as \(firmware) does, so its sketch counts as \(firmware)"
      : "the board's sketch is assumed to be \(firmware)"
    return summary.sentences + ["\(basis); \(option) names another"]
  }
}

extension CaptureSummary {
  /// The kind and the length.
  package var title: String { "\(kind.name), \(String(readable: duration)) long" }

  fileprivate var sentences: [String] {
    var parts = channels.compactMap { $0.role == nil ? nil : $0.sentence }
    if parts.isEmpty { parts = ["no channel is used"] }
    var lines = ["\(title); " + parts.joined(separator: "; ")]
    let found = [
      framingErrors > 0 ? String(counting: framingErrors, "framing error") : nil,
      Self.counting(glitches: glitches),
      holes > 0 ? String(counting: holes, "hole") : nil,
    ].compactMap { $0 }
    if !found.isEmpty { lines.append(found.joined(separator: ", ")) }
    if let exactness { lines.append(exactness) }
    return lines + notes
  }

  private static func counting(glitches: Int) -> String? {
    switch glitches {
    case 0: nil
    case 1: "1 glitch"
    default: "\(glitches) glitches"
    }
  }

  private var exactness: String? {
    guard let resolution else { return nil }
    let grain = "times are in steps of \(String(readable: resolution))"
    guard let uncertainty else { return grain }
    return grain + ", and a byte's time can be off by \(String(readable: uncertainty))"
  }
}

extension CaptureSummary.Channel {
  /// `rx is D0, 9600 baud, 22 bytes`
  fileprivate var sentence: String {
    var parts = ["\(role ?? "unused") is \(PlainText.quoted(name))"]
    if let baud { parts.append("\(baud) baud") }
    if isInverted { parts.append("inverted") }
    return (parts + counts).joined(separator: ", ")
  }
}
