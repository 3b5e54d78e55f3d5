package import Sketches
import Traces

/// What the user states about a recording that does not follow from its content.
package struct CaptureOptions: Hashable, Sendable {
  package enum Inversion: String, Hashable, Sendable, CaseIterable {
    case rx, tx, both
  }

  package enum Direction: String, Hashable, Sendable, CaseIterable {
    /// The directions as the format names them.
    case forward
    /// The two directions of a log are swapped.
    case reverse
  }

  /// Nil if it is to be recognized from the content.
  package var kind: CaptureKind?
  /// The board's sketch; nil for the one that its answers show, or else classic.
  package var firmware: Firmware?
  /// The board's speed, in bits a second.
  package var baud = SerialLine.usualBaud
  /// Whether that is the speed in a profile, which can stand next to a trace too.
  package var hasProfileBaud = false
  /// The sender's speed; nil for the board's.
  package var senderBaud: Int?
  /// A channel's name, or its index from 0, or an analyser's name.
  package var rxChannel: String?
  package var txChannel: String?
  package var servoChannel: String?
  package var inversion: Inversion?
  /// Samples a second, for a table that has neither times nor a rate.
  package var sampleRate: Int64?
  /// Whether that rate is also meant for a new waveform, so that the recording need not use it.
  package var isRateForOutput = false
  package var direction: Direction?
  /// The port to convert if a recording has several: a file descriptor, `BUS:DEVICE` or a COM port.
  package var port: String?
  /// The offset of a log's local times from UTC, in seconds. Used only for `recorded`.
  package var timeZone: Int?
  /// Only what happened in this part of the recording is converted.
  package var since: Interval?
  package var until: Interval?
  /// Whether truncated data and missing times are accepted.
  package var isLossy = false
  /// Whether a recording without bytes is a session of none, and not an error.
  package var acceptsNoByte = false
  /// The option that names the board's sketch, for hints.
  package var sketchOption = "--firmware"
  /// Whether the command has an option `--from` that names the kind; nil if the error of a file
  /// that is neither a trace nor a recording does not list the kinds.
  package var namesKind: Bool?
  /// Whether only the summary is needed. Ambiguous channels or ports are then not an error, and
  /// have no role.
  package var isListing = false

  package init() {}

  /// Whether anything is stated about a recording that a trace contains.
  package var areGiven: Bool {
    var others = self
    others.firmware = nil
    if isRateForOutput { others.sampleRate = nil }
    others.isRateForOutput = false
    if hasProfileBaud { others.baud = CaptureOptions().baud }
    others.hasProfileBaud = false
    others.acceptsNoByte = false
    others.sketchOption = CaptureOptions().sketchOption
    others.namesKind = nil
    return others != CaptureOptions()
  }

  /// The speed of the line to the board.
  var rxBaud: Int { senderBaud ?? baud }

  /// The sketch if nothing in the recording shows which it is.
  var assumedFirmware: Firmware { firmware ?? .classic }
}

/// What every recording's trace has in common: its header, and which of its events the options
/// select.
extension CaptureOptions {
  /// How long a trace lasts after the last byte to the board, since a log ends with its last write,
  /// before the sketch has taken it.
  ///
  /// The longest that what follows takes: a whole sweep of the bench's sketches is 282 steps of
  /// 15 ms, 4.3 s. Arduino's `parseInt` waits 1 s for the rest of a number, or what the sketch sets
  /// with `setTimeout`. A full buffer of 63 tones of 160 ms, 10 s, does not fit: what waits then is
  /// open at the end.
  private static let aftermath = Interval.seconds(5)

  /// Creates the header. `length` is the time from the recording's beginning to its end, and `sent`
  /// that to the end of the last byte to the board on the line; nil if there is none. `expects` is
  /// the kinds of output that were observed; nil if there were none. Times are not shifted by
  /// `since`, so they match those in the tool that shows the recording.
  func header(
    clock: Header.Clock, length: Interval, sent: Interval?, source: String, recorded: String?,
    expects: Set<Output.Kind>?
  ) -> Header {
    let shown = max(min(until ?? length, length), .zero)
    // What follows `until` was sent, so the sketch cannot be run on after it.
    let settled = sent.map { $0 + Self.aftermath } ?? shown
    let end = max(shown, min(until ?? settled, settled))
    var header = Header(firmware: assumedFirmware, baud: baud, duration: end, title: nil)
    if end > shown { header.set(to: .zero + shown) }
    header.set(start: .unknown)
    header.set(clock: clock)
    if let expects { header.set(expects: expects) }
    header.set(source: source)
    if let recorded { header.set(recorded: recorded) }
    if let since { header.set(from: .zero + since) }
    return header
  }

  /// The event with the sender's speed if it differs from the board's; nil if it does not.
  var speedEvent: Event? { rxBaud == baud ? nil : Event(.zero + (since ?? .zero), .baud(rxBaud)) }

  /// Whether an event at this time is converted.
  func selects(_ time: Instant) -> Bool {
    if let since, time < .zero + since { return false }
    if let until, time > .zero + until { return false }
    return true
  }
}
