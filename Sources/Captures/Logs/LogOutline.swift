import Sketches
import Traces

/// The result of a log's examination: the plan of its conversion, the header, and the summary for
/// the user.
struct LogOutline {
  let plan: LogPlan
  private(set) var header: Header
  private(set) var summary: CaptureSummary

  /// The most bytes that are laid back to back: twelve days at 9600 baud.
  private static let laidOutMax: Int64 = 1_000_000_000

  init(_ log: LogExamination, _ options: CaptureOptions) throws(CaptureError) {
    let format = log.format
    let lengths = ByteLengths(options)
    var roles = LogRoles()
    var sides: [Used] = []
    var doubt: String?
    do throws(CaptureError) {
      roles = try LogRoles(log, options)
      sides = try Self.sides(log, roles, options)
    } catch {
      guard options.isListing else { throw error }
      doubt = error.message
    }
    let isUntimed = sides.contains { $0.side.untimed != nil }

    // What comes from the board is stamped at its end, except by a logic analyser.
    let isAtEnd = { (line: Event.Line) in line == .tx && !format.isAnalyzer }
    var start =
      sides.compactMap { isAtEnd($0.line) && $0.side.first != nil ? $0.side.start : $0.side.first }
      .min() ?? 0
    if format.keepsZero, log.stamps.clock == format.clock { start = min(0, start) }
    var end = sides.map { isAtEnd($0.line) ? $0.side.last : $0.side.end }.max() ?? 0
    if isUntimed {
      start = 0
      let count = sides.reduce(0) { $0 + $1.side.bytes + $1.side.missing }
      guard count <= Self.laidOutMax else {
        throw CaptureError(
          "expected at most \(Self.laidOutMax) bytes without times, found a log of \(count)")
      }
      end = sides.reduce(0) { $0 + ($1.side.bytes + $1.side.missing) * lengths[$1.line] }
    }
    let length = Interval(nanoseconds: max(0, end - start))
    let carried = sides.filter { $0.line == .rx && $0.side.bytes > 0 }.map { $0.side.carried }.max()
    let sent = carried.map { isUntimed ? length : Interval(nanoseconds: $0 - start) }
    plan = LogPlan(
      options: options, roles: roles, zero: start, isUntimed: isUntimed,
      isAnalyzer: format.isAnalyzer, byteLengths: lengths)

    let sendsBytes = sides.contains { $0.line == .tx && $0.side.bytes > 0 }
    header = plan.options.header(
      clock: format.isAnalyzer ? .device : .host, length: length, sent: sent,
      source: format.source,
      recorded: isUntimed ? nil : Self.recorded(log.stamps.clock, start, options),
      expects: sendsBytes ? [.transmit] : nil)
    summary = CaptureSummary(kind: format.kind)
    summary.duration = length
    if !format.isAnalyzer {
      setAccuracy(log.stamps.resolution, log.stamps.uncertainty, isUntimed ? length : nil)
    }
    summary.channels = sides.map { (name, side, line) in
      var channel = CaptureSummary.Channel(name: name)
      channel.role = line.rawValue
      channel.counts = [
        String(counting: Int(side.bytes), "byte"), String(counting: side.records, "record"),
      ]
      return channel
    }
    summary.evidence.exchange =
      options.direction == .reverse ? "--direction forward" : "--direction reverse"
    if doubt != nil { listPorts(log) }
    summary.answersAsGuarded =
      options.firmware == nil && sides.contains { $0.line == .tx && $0.side.answers.areFound }
    summary.framingErrors = sides.reduce(0) { $0 + $1.side.framingErrors }
    summary.holes = sides.reduce(0) { $0 + $1.side.holes }
    summary.notes = (doubt.map { [$0] } ?? []) + notes(log, sides, options)
  }

  /// Lists all ports, without roles.
  private mutating func listPorts(_ log: LogExamination) {
    summary.channels = log.ports.enumerated().compactMap { (index, port) in
      let bytes = log.bytes(index)
      guard bytes > 0 else { return nil }
      var channel = CaptureSummary.Channel(name: port.name)
      channel.counts = [String(counting: Int(bytes), "byte")]
      return channel
    }
  }

  private typealias Used = (name: String, side: LogExamination.Side, line: Event.Line)

  /// Returns the session's sides. Fails if they do not make a session.
  private static func sides(
    _ log: LogExamination, _ roles: LogRoles, _ options: CaptureOptions
  ) throws(CaptureError) -> [Used] {
    var sides: [Used] = []
    for (index, port) in log.ports.enumerated() {
      for direction in Event.Line.allCases {
        let side = log.side(index, direction)
        guard let line = roles.line(index, direction), side.records > 0 else { continue }
        if !options.isLossy {
          if side.missing > 0 {
            throw CaptureError(
              at: side.firstHole,
              "expected all bytes, found a record that is cut: "
                + String(counting: Int(clamping: side.missing), "byte") + " "
                + "\(side.missing == 1 ? "is" : "are") missing in this log. Record it again, or "
                + "accept the loss with --lossy")
          }
          if let place = side.untimed {
            throw CaptureError(
              at: place,
              "expected a time, found a record without one. Record it again with times, or lay the "
                + "bytes back to back with --lossy")
          }
        }
        let words = line == .rx ? "to the board" : "from the board"
        sides.append((port.name.isEmpty ? words : "\(port.name), \(words)", side, line))
      }
    }
    let received = sides.contains { $0.line == .rx && $0.side.bytes > 0 }
    let transmitted = sides.contains { $0.line == .tx && $0.side.bytes > 0 }
    guard received || transmitted || options.acceptsNoByte else {
      throw CaptureError("expected bytes to or from a board, found none")
    }
    guard received || !transmitted || options.direction != nil || options.txChannel != nil else {
      throw CaptureError(
        "expected bytes to the board, found only bytes from it. If they were sent to the board, "
          + "use --direction reverse; if they were not, --direction forward accepts the log")
    }
    return sides
  }

  /// Sets how exact the times are. In an untimed log, each byte can be anywhere in the session.
  private mutating func setAccuracy(
    _ resolution: Int64, _ uncertainty: Int64, _ length: Interval?
  ) {
    let resolution = Interval(nanoseconds: resolution)
    let uncertainty = length.map { max($0, .seconds(1)) } ?? .init(nanoseconds: uncertainty)
    summary.resolution = resolution
    summary.uncertainty = uncertainty
    header.set(resolution: resolution, uncertainty: uncertainty)
    let tolerance = resolution + uncertainty
    if tolerance > header.tolerance { header.set(tolerance: tolerance) }
  }

  /// Returns when the trace begins, as in RFC 3339; nil if the date or the time zone is not known.
  private static func recorded(
    _ clock: LogFormat.Clock, _ start: Int64, _ options: CaptureOptions
  ) -> String? {
    switch clock {
    case .absolute(isEpoch: true):
      let offset = options.timeZone ?? 0
      return CivilTime.rfc3339(
        microseconds: start / 1_000 + Int64(offset) * 1_000_000, offset: offset)
    case .local:
      return options.timeZone.map { CivilTime.rfc3339(microseconds: start / 1_000, offset: $0) }
    case .absolute, .timeOfDay, .wrapping: return nil
    }
  }

  private func notes(
    _ log: LogExamination, _ sides: [Used], _ options: CaptureOptions
  ) -> [String] {
    var notes = log.notes + log.clock.notes
    if plan.isUntimed { notes.append("The log has no times; its bytes are laid back to back.") }
    if log.clock.steps > 0 {
      notes.append(
        "Records stamped a little before the preceding one: \(log.clock.steps). Their times were "
          + "adjusted.")
    }
    let missing = sides.reduce(0) { $0 + $1.side.missing }
    if missing > 0 {
      notes.append("Missing in the log: \(String(counting: Int(missing), "byte")).")
    }
    let toBoard = sides.filter { $0.line == .rx }.reduce(0) { $0 + $1.side.commands.count }
    let fromBoard = sides.filter { $0.line == .tx }.reduce(0) { $0 + $1.side.commands.count }
    if fromBoard > toBoard, options.direction == nil {
      notes.append(
        "The bytes from the board look like commands to it; if the directions are swapped, use "
          + "--direction reverse.")
    }
    if let baud = log.baud {
      notes.append(
        "The sender sets its port to \(baud) baud"
          + (baud == options.rxBaud
            ? "." : "; \(options.rxBaud) baud is assumed, unless --baud \(baud) is given."))
    } else if !log.format.isAnalyzer {
      notes.append("A log does not show the line's speed; \(options.baud) baud is assumed.")
    }
    return notes
  }
}

/// What the first pass over a log decides for the second.
struct LogPlan {
  let options: CaptureOptions
  let roles: LogRoles
  /// The trace's zero on the log's clock, in nanoseconds.
  let zero: Int64
  /// Whether the records have no times, and are laid back to back.
  let isUntimed: Bool
  let isAnalyzer: Bool
  let byteLengths: ByteLengths
}

extension Capture {
  /// Examines a log.
  init<Reader: LogReader>(
    log reader: Reader.Type, _ files: [CaptureFile], _ options: CaptureOptions
  ) throws(CaptureError) {
    let log = try LogExamination(by: Reader.self, files, options)
    let outline = try LogOutline(log, options)
    let plan = outline.plan
    self.init(header: outline.header, summary: outline.summary) { (give) throws(CaptureError) in
      var reader = Reader(options)
      var assembler = LogAssembler(plan, log.format)
      try reader.read(files) { (record) throws(CaptureError) in try assembler.take(record, give) }
      try assembler.end(give)
    }
  }
}
