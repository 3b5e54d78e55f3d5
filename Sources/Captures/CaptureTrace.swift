import Traces
import Turret

/// What every recording's trace has in common: its header, and which of its events the options
/// select.
struct CaptureTrace {
  let options: CaptureOptions

  /// Creates the header. `length` is the time from the recording's beginning to its end; `expects`
  /// is the kinds of output that were observed; nil if there were none. Times are not shifted by
  /// `since`, so they match those in the tool that shows the recording.
  func header(
    clock: Header.Clock, length: Interval, source: String, recorded: String?,
    expects: Set<Output.Kind>?
  ) -> Header {
    let end = min(options.until ?? length, length)
    var header = Header(
      firmware: options.assumedFirmware, baud: options.baud, duration: max(end, .zero), title: nil)
    header.set(start: .unknown)
    header.set(clock: clock)
    if let expects { header.set(expects: expects) }
    header.set(source: source)
    if let recorded { header.set(recorded: recorded) }
    if let since = options.since { header.set(from: .zero + since) }
    return header
  }

  /// Whether an event at this time is converted.
  func selects(_ time: Instant) -> Bool {
    if let since = options.since, time < .zero + since { return false }
    if let until = options.until, time > .zero + until { return false }
    return true
  }
}
