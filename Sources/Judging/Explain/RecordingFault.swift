package import Sketches
package import Traces

/// Why a recording does not show the session: how it was read or recorded, or another sketch.
package enum RecordingFault: Hashable, Sendable {
  /// No byte was sent to the board. `why` is what the recording shows about that; nil if nothing.
  case empty(why: String?)
  /// The edges of the line to the board are those of another speed. `isPart`: many of its bytes are
  /// commands nevertheless.
  case misread(RecordingEvidence.Speed, isPart: Bool)
  /// So many bytes have no stop bit that the line has another speed or format. `isPart` as above;
  /// `isConverted`: the bytes were decoded before, by `convert` or another tool.
  case noStopBits(count: Int, of: Int, baud: Int, isPart: Bool, isConverted: Bool)
  /// The sender had another speed than the board.
  case sentAtOtherSpeed(count: Int, of: Int, sent: Int, board: Int)
  /// The line to the board was read the wrong way round. `isRead`: as one that idles low.
  case inverted(isRead: Bool)
  /// The complements of the bytes are commands.
  case complemented(Firmware)
  /// The commands, or the board's answers, are on the wrong line. `exchange`: the options for that.
  case swapped(byAnswers: Bool, exchange: String?)
  /// The bytes are not commands of the sketch. `other`: a sketch whose commands they are.
  case unknownCommands(SketchFit.Census, of: Firmware, other: Firmware?)

  /// Which options a hint can name.
  package enum Hints: Hashable, Sendable {
    /// None: the page, or the command, has no options about recordings.
    case none
    /// Those that say how to read a recording, `--firmware` and `--device`.
    case all
    /// Those that say how to read a recording; `--firmware` has another meaning.
    case reading
  }

  /// Whether most of the session is not what was sent, so that nothing can be concluded from it.
  package var isWhole: Bool {
    switch self {
    case .misread(_, let isPart), .noStopBits(_, _, _, let isPart, _): !isPart
    case .sentAtOtherSpeed(let count, let total, _, _): count * 2 > total
    case .empty, .inverted, .complemented, .swapped, .unknownCommands: true
    }
  }

  /// One or two words for a page.
  package var word: String {
    switch self {
    case .empty: "empty"
    case .misread, .noStopBits, .sentAtOtherSpeed: isWhole ? "wrong speed" : "doubtful"
    case .inverted, .complemented: "inverted"
    case .swapped: "swapped lines"
    case .unknownCommands: "unknown commands"
    }
  }

  /// What is wrong, as a sentence without its full stop.
  package var sentence: String {
    switch self {
    case .empty(let why):
      return why.map { "no byte was found: \($0)" } ?? "nothing was sent to the board"
    case .misread(let speed, let isPart):
      let perhaps = speed.isSure ? "" : "perhaps "
      return isPart
        ? "part of the line to the board \(perhaps)has \(speed.measured) baud, but all of it was "
          + "read at \(speed.read), so some of its bytes are not those that were sent"
        : "the line to the board \(perhaps)has \(speed.measured) baud, but was read at "
          + "\(speed.read), so its bytes are not those that were sent"
    case .noStopBits(let count, let total, let baud, let isPart, _):
      return "\(count) of \(String(counting: total, "byte")) to the board "
        + "\(count == 1 ? "has" : "have") no stop bit: "
        + (isPart
          ? "they are not those that were sent"
          : "the line has another speed than \(baud) baud, or another format")
    case .sentAtOtherSpeed(let count, let total, let sent, let board):
      let all = count == total ? "all of the bytes were" : "\(count) of \(total) bytes were"
      return "\(all) sent at \(sent) baud, but the board listens at \(board)"
    case .inverted(let isRead):
      return isRead
        ? "the line to the board was read as inverted, but it is not"
        : "the line to the board is inverted, but was read as it is"
    case .complemented(let firmware):
      return "the line to the board is inverted: the complements of its bytes are commands of "
        + firmware.rawValue
    case .swapped(let byAnswers, _):
      return byAnswers
        ? "the line to the board carries the board's answers and no command: the lines are swapped"
        : "the commands are on the line from the board, and none is on the line to it: the lines "
          + "are swapped"
    case .unknownCommands(let census, let firmware, _):
      let name = firmware.rawValue
      if census.fitting > 0 {
        return "only \(census.fitting) of \(census.bytes) bytes belong to commands of \(name)"
      }
      return census.commands == 1
        ? "what was sent is not a command of \(name)"
        : "none of \(census.commands) commands fits \(name)"
    }
  }

  /// What to do about it; nil if no option helps.
  private func remedy(_ hints: Hints) -> String? {
    switch self {
    case .empty, .sentAtOtherSpeed, .complemented: return nil
    case .misread(let speed, let isPart):
      return isPart
        ? "--sender-baud \(speed.measured) reads it at that speed"
        : "if only the sender has this speed, add --sender-baud \(speed.measured); if the board "
          + "has it too, --baud \(speed.measured)"
    case .noStopBits(_, _, _, _, let isConverted):
      return isConverted
        ? "decode the recording again at the sender's speed: in the tool that decoded it, or with "
          + "convert --sender-baud"
        : "--sender-baud states the sender's speed, and --invert rx an inverted line"
    case .inverted(let isRead): return isRead ? "leave out --invert" : "add --invert rx"
    case .swapped(_, let exchange): return exchange.map { "add \($0)" }
    case .unknownCommands(_, _, let other):
      guard hints == .all else {
        return "convert --firmware names the sketch that was on the board"
      }
      return other.map { "\($0.rawValue) has such commands: add --firmware \($0.rawValue)" }
        ?? SketchFit.remedy
    }
  }

  /// Returns what is wrong, and the options that help, without a full stop.
  package func text(_ hints: Hints) -> String {
    guard hints != .none, let remedy = remedy(hints) else { return sentence }
    return "\(sentence); \(remedy)"
  }
}

/// What shows whether a recording shows its session.
package struct RecordingFacts: Hashable, Sendable {
  /// The sketch; nil if it is not one of the bench's, so that its commands are not known.
  package var firmware: Firmware?
  /// The board's speed, in bits a second.
  package var baud = SerialLine.usualBaud
  /// Whether the board was already running.
  package var isRunning = false
  /// The bytes to the board, those of them without a stop bit, and those that were sent at another
  /// speed, which is `otherSpeed`.
  package var bytes = 0
  package var framingErrors = 0
  /// The holes in the recording of the line to the board.
  package var holes = 0
  package var atOtherSpeed = 0
  package var otherSpeed = 0
  /// How the bytes to the board, their complements and the bytes from the board fit the sketch.
  package var sent = SketchFit.Census()
  package var complements = SketchFit.Census()
  package var answered = SketchFit.Census()
  /// Another sketch of the bench whose commands were sent; nil if there is none.
  package var other: Firmware?
  /// Whether guarded's answers are on the line to the board.
  package var hasAnswersToBoard = false
  /// How many messages of clients were refused, and writes made while no board was connected.
  package var refused = 0
  package var unsent = 0
  /// Whether the board's outputs are in it.
  package var hasOutputs = false
  /// What a recording by another tool shows beyond its bytes; nil for a trace.
  package var evidence: RecordingEvidence?

  package init() {}

  /// What never came as far as the line, in words; none if there was nothing.
  package var unsentWords: [String] {
    [(refused, "message", "refused"), (unsent, "write", "without a board")].compactMap {
      $0.0 > 0 ? "\(String(counting: $0.0, $0.1)) \($0.2)" : nil
    }
  }

  /// Whether everything that was sent came as far as the line, and the recording shows it.
  package var showsAll: Bool {
    fault == nil && unsentWords.isEmpty && framingErrors == 0 && holes == 0
  }

  /// What is wrong; nil if nothing is. Whatever explains more comes first.
  package var fault: RecordingFault? {
    let exchange = evidence?.exchange
    let hasSwapped = firmware != nil && answered.fits && answered.numbers > 0
    if bytes == 0 {
      if hasSwapped { return .swapped(byAnswers: false, exchange: exchange) }
      guard isRunning || !hasOutputs else { return nil }
      return .empty(why: evidence?.noByte)
    }
    // A sketch that is not known can change its speed.
    if firmware != nil, atOtherSpeed > 0 {
      return .sentAtOtherSpeed(count: atOtherSpeed, of: bytes, sent: otherSpeed, board: baud)
    }
    // Without a sketch, nothing but the stop bits shows whether the bytes make sense.
    let manyErrors = framingErrors * 8 > bytes
    let isJunk = firmware == nil ? manyErrors : !sent.fits
    let isForeign = firmware != nil && sent.isForeign
    if let evidence, evidence.isOtherPolarity, isJunk {
      return .inverted(isRead: evidence.isReadInverted)
    }
    if let firmware, isForeign, complements.fits { return .complemented(firmware) }
    if let speed = evidence?.speed {
      if isJunk, speed.isSure || isForeign || manyErrors { return .misread(speed, isPart: false) }
      let isPart = firmware != nil && sent.fitting < sent.bytes || framingErrors > 0
      if speed.isSure, isPart { return .misread(speed, isPart: true) }
    }
    if isForeign, hasSwapped { return .swapped(byAnswers: false, exchange: exchange) }
    if isForeign, hasAnswersToBoard { return .swapped(byAnswers: true, exchange: exchange) }
    if manyErrors {
      return .noStopBits(
        count: framingErrors, of: bytes, baud: baud, isPart: !isJunk,
        isConverted: exchange?.hasPrefix("--direction") ?? (evidence == nil))
    }
    if let firmware, isForeign { return .unknownCommands(sent, of: firmware, other: other) }
    return nil
  }
}

extension RecordingFacts {
  /// Reads a trace to its end. `firmware` replaces its own sketch; nil to keep that.
  package init(_ reader: inout TraceReader, firmware chosen: Firmware?) throws(TraceError) {
    let header = reader.header
    // A profile that is a name is one of the bench's.
    let isNamed = if case .string? = header.profile { true } else { header.profile == nil }
    let isKnown = isNamed && header.otherFirmware == nil
    let firmware = chosen ?? (isKnown ? header.firmware(unless: nil) : nil)
    self.init()
    self.firmware = firmware
    baud = header.baud
    isRunning = header.start == .unknown
    evidence = reader.evidence
    let end = header.end
    var speed = header.baud
    var fits = Firmware.allCases.map { SketchFit($0) }
    var complement = SketchFit(firmware ?? .guarded)
    var answers = SketchFit(firmware ?? .guarded)
    var status = GuardedAnswers()
    while let event = try reader.next() {
      guard event.time <= end ?? event.time else { continue }
      switch event.kind {
      case .receive(let sent):
        bytes += sent.count
        if abs(speed - baud) * 20 > baud {
          atOtherSpeed += sent.count
          otherSpeed = speed
        }
        for byte in sent {
          for index in fits.indices { fits[index].take(byte, at: event.time) }
          complement.take(~byte, at: event.time)
          status.take(byte)
        }
      case .baud(let baud): speed = baud
      case .output(.transmit(let byte)):
        hasOutputs = true
        answers.take(byte, at: event.time)
      case .output: hasOutputs = true
      case .framingError(on: .rx, _): framingErrors += 1
      case .gap(_, on: .rx): holes += 1
      case .refused: refused += 1
      case .unsent: unsent += 1
      default: break
      }
    }
    complements = complement.census
    answered = answers.census
    hasAnswersToBoard = status.areFound
    for (index, candidate) in Firmware.allCases.enumerated() {
      let census = fits[index].census
      if candidate == firmware {
        sent = census
      } else if other == nil, census.fitting * 4 >= census.bytes * 3, census.bytes > 0 {
        other = candidate
      }
    }
  }
}
