package import Turret

/// Finds where an answer of the robot vision phone ends, however it comes in: nothing is written down
/// about it, and TCP has no messages.
///
///     idle --expect--> nothing yet --'{'--> object --its brace--> answer
///                          '-- other byte--> text --newline, silence, close--> answer
///
/// An object ends with the brace that closes it. Text ends with a newline; a phone that sent one once is
/// expected to send one always. From any other, text ends with a silence: a short one where the angle is
/// surely whole, because a `|` follows it, and a longer one where more digits may be under way.
/// An end of the connection is a silence for ever. What comes unasked, or after the end, is dropped and
/// counted: it could only be taken for the answer to another question.
package struct VisionAnswerReader: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// One answer, without what was around it.
    case answer([UInt8])
    /// More than an answer may have. The reader is idle.
    case tooLong
  }

  private enum State: Hashable {
    case idle
    /// An answer is expected, nothing has come.
    case empty
    case text(last: Instant)
    case object(depth: Int, isInString: Bool, isEscaped: Bool)
  }

  /// Bytes of an answer; the documented ones have some 50.
  package static let bytesMax = 4_096
  /// Silence that ends an answer whose angle is whole.
  package static let silence = Interval.milliseconds(20)
  /// Silence that ends any other: longer than two writes can be kept apart by a delayed acknowledgement.
  package static let silenceInDoubt = Interval.milliseconds(100)

  private var state = State.idle
  private var answer: [UInt8] = []
  /// Where in the answer the present field begins.
  private var fieldStart = 0
  private var hasWholeAngle = false
  private var endsWithNewline = false
  /// Bytes that came unasked since the last question, white space aside.
  package private(set) var unaskedBytes = 0

  package init() {}

  /// A question was asked: its answer is what comes from here on.
  package mutating func expect() {
    begin(.empty)
    unaskedBytes = 0
  }

  /// Another connection: what had come of an answer is nothing. That the phone ends its lines is kept.
  package mutating func reset() {
    begin(.idle)
    unaskedBytes = 0
  }

  /// Another kind of phone may be there now.
  package mutating func forget() {
    endsWithNewline = false
    reset()
  }

  /// Whether an answer is expected of which nothing has come.
  package var hasNothing: Bool { state == .empty }

  /// The bytes that are kept, at most `bytesMax`.
  package var heldBytes: Int { answer.count }

  /// Takes what has come in; at most one answer is in it.
  package mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) -> Outcome? {
    var outcome: Outcome?
    for byte in bytes {
      if let ending = take(byte, at: now) { outcome = ending }
    }
    return outcome
  }

  /// When silence ends the answer; nil where it does not.
  package var nextDeadline: Instant? {
    guard case .text(let last) = state, !endsWithNewline else { return nil }
    return last + (hasWholeAngle ? Self.silence : Self.silenceInDoubt)
  }

  package mutating func advance(to now: Instant) -> Outcome? {
    guard let deadline = nextDeadline, now >= deadline else { return nil }
    return end()
  }

  /// The phone closed the connection; a half answer is dropped.
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
      // The newline of the answer before, perhaps.
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
