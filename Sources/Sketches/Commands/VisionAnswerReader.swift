/// Finds the end of an answer from the robot vision phone, however it is split. The protocol does
/// not specify the end, and TCP has no messages.
///
///     idle --expect--> nothing yet --'{'--> object --its brace--> answer
///                          '-- other byte--> text --newline, silence, close--> answer
///
/// An object ends with its closing brace. Text ends with a newline; a phone that has sent one is
/// expected to always send one. From other phones, text ends with silence: a short one if the angle
/// is certainly complete, because a `|` follows it, and a longer one if more digits might follow.
/// The end of the connection counts as endless silence. Data that was not requested, or that
/// follows the end, is dropped and counted, because it could be mistaken for the answer to another
/// request.
package struct VisionAnswerReader: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// One answer, without anything around it.
    case answer([UInt8])
    /// More than the maximum length of an answer. The reader is idle.
    case tooLong
  }

  private enum State: Hashable {
    case idle
    /// An answer is expected, and nothing has arrived.
    case empty
    case text(last: Instant)
    case object(depth: Int, isInString: Bool, isEscaped: Bool)
  }

  /// The maximum length of an answer in bytes; the documented ones have about 50.
  package static let bytesMax = 4_096
  /// The silence that ends an answer whose angle is complete.
  package static let silence = Interval.milliseconds(20)
  /// The silence that ends any other answer. It is longer than the gap that a delayed
  /// acknowledgement can cause between two writes.
  package static let silenceInDoubt = Interval.milliseconds(100)

  private var state = State.idle
  private var answer: [UInt8] = []
  private var fieldStart = 0
  private var hasWholeAngle = false
  private var endsWithNewline = false
  /// The number of unrequested bytes since the last request, not counting white space.
  package private(set) var unaskedBytes = 0

  package init() {}

  /// A request was sent, so all further data is its answer.
  package mutating func expect() {
    begin(.empty)
    unaskedBytes = 0
  }

  /// Begins a new connection and drops an unfinished answer. Whether the phone ends its lines is
  /// still remembered.
  package mutating func reset() {
    begin(.idle)
    unaskedBytes = 0
  }

  /// Forgets everything, because another phone may be there now.
  package mutating func forget() {
    endsWithNewline = false
    reset()
  }

  /// Whether an answer is expected and nothing of it has arrived.
  package var hasNothing: Bool { state == .empty }

  /// The bytes kept, at most `bytesMax`.
  package var heldBytes: Int { answer.count }

  /// Takes received bytes. They contain at most one answer.
  package mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) -> Outcome? {
    var outcome: Outcome?
    for byte in bytes {
      if let ending = take(byte, at: now) { outcome = ending }
    }
    return outcome
  }

  /// When silence ends the answer; nil if it does not.
  package var nextDeadline: Instant? {
    guard case .text(let last) = state, !endsWithNewline else { return nil }
    return last + (hasWholeAngle ? Self.silence : Self.silenceInDoubt)
  }

  package mutating func advance(to now: Instant) -> Outcome? {
    guard let deadline = nextDeadline, now >= deadline else { return nil }
    return end()
  }

  /// The phone has closed the connection. An incomplete answer is dropped.
  package mutating func close() -> Outcome? {
    defer { begin(.idle) }
    guard case .text = state, !endsWithNewline else { return nil }
    return end()
  }

  // MARK: A byte

  private mutating func take(_ byte: UInt8, at now: Instant) -> Outcome? {
    let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
    switch state {
    case .idle:
      if !isSpace { unaskedBytes += 1 }
      return nil
    case .empty where isSpace:
      // This may be the newline of the previous answer.
      return nil
    case .empty:
      state =
        byte == UInt8(ascii: "{")
        ? .object(depth: 1, isInString: false, isEscaped: false) : .text(last: now)
      return keep(byte)
    case .text where byte == 0x0A || byte == 0x0D:
      endsWithNewline = true
      return end()
    case .text:
      state = .text(last: now)
      return keep(byte)
    case .object(let depth, let isInString, let isEscaped):
      let isQuote = byte == UInt8(ascii: "\"") && !isEscaped
      let step =
        isInString ? 0 : byte == UInt8(ascii: "{") ? 1 : byte == UInt8(ascii: "}") ? -1 : 0
      state = .object(
        depth: depth + step, isInString: isInString != isQuote,
        isEscaped: isInString && !isEscaped && byte == UInt8(ascii: "\\"))
      let outcome = keep(byte)
      return depth + step == 0 && outcome == nil ? end() : outcome
    }
  }

  private mutating func keep(_ byte: UInt8) -> Outcome? {
    guard answer.count < Self.bytesMax else {
      begin(.idle)
      return .tooLong
    }
    if byte == UInt8(ascii: "|") {
      if answer[fieldStart...].starts(with: "angle^".utf8) { hasWholeAngle = true }
      fieldStart = answer.count + 1
    }
    answer.append(byte)
    return nil
  }

  private mutating func end() -> Outcome {
    let ended = answer
    begin(.idle)
    return .answer(ended)
  }

  private mutating func begin(_ state: State) {
    self.state = state
    answer = []
    fieldStart = 0
    hasWholeAngle = false
  }
}

/// The latest reading of the robot vision phone, as in its answer:
/// `timestamp|angle^15.2|distance^4.3`, or the same as a JSON object.
package struct VisionReading: Hashable, Sendable {
  /// As the phone wrote it, in any form; empty if there was none.
  package var timestamp: String
  /// Degrees from the centre of the picture, finite; nil if there is no target.
  package var angle: Double?
  /// In the phone's unit. It does not affect aiming, so an invalid distance is nil and not refused.
  package var distance: Double?

  package init(timestamp: String, angle: Double?, distance: Double? = nil) {
    self.timestamp = timestamp
    self.angle = angle
    self.distance = distance
  }

  /// The degrees for the servo: 90 is the centre, and positive angles are added. Rounded to the
  /// nearest whole degree, with halves away from zero, and clamped to the servo's range. nil if
  /// there is no target.
  package var degrees: UInt8? {
    angle.map { UInt8(max(0, min(180, (90 + $0).rounded(.toNearestOrAwayFromZero)))) }
  }
}

/// The two forms of the robot vision phone's answers.
package enum VisionForm: String, Hashable, Sendable, CaseIterable {
  /// `timestamp|angle^15.2|distance^4.3`
  case fields
  /// The same as a JSON object.
  case json

  /// A reading in this form, without a line end. Without a target, there is no value after
  /// `angle^`, or it is `null`.
  package func text(_ reading: VisionReading) -> String {
    let angle = reading.angle.map(Self.decimal)
    let distance = reading.distance.map(Self.decimal)
    return switch self {
    case .fields: "\(reading.timestamp)|angle^\(angle ?? "")|distance^\(distance ?? "")"
    case .json:
      "{\"timestamp\": \"\(reading.timestamp)\", \"angle\": \(angle ?? "null"), "
        + "\"distance\": \(distance ?? "null")}"
    }
  }

  /// `12:00:01.250`: hours, minutes, seconds and milliseconds since `time` was zero.
  package static func timestamp(_ time: Interval) -> String {
    let milliseconds = max(0, time.nanoseconds / 1_000_000)
    let seconds = milliseconds / 1_000
    let times = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { String($0, digits: 2) }
    return times.joined(separator: ":") + "." + String(milliseconds % 1_000, digits: 3)
  }

  /// Rounded to thousandths, with at least one decimal place and no exponent.
  private static func decimal(_ value: Double) -> String {
    let thousandths = Int64((max(-1e9, min(1e9, value)) * 1_000).rounded())
    let magnitude = thousandths.magnitude
    var places = String(1_000 + magnitude % 1_000).dropFirst()
    while places.count > 1, places.last == "0" { places.removeLast() }
    return "\(thousandths < 0 ? "-" : "")\(magnitude / 1_000).\(places)"
  }
}
