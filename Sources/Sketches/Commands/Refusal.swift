/// Bytes from a client that are not a command and therefore do not reach the board.
package struct Refusal: Hashable, Sendable {
  /// The raw value is for machines.
  package enum Why: String, Hashable, Sendable, CaseIterable {
    /// No firmware has this command.
    case unknown
    /// Only another firmware supports this letter.
    case otherFirmware = "other-firmware"
    /// At least one of the bytes is above 127.
    case notASCII = "not-ascii"
    /// A byte other than `.` followed `X` and its digits.
    case brokenOff = "broken-off"
    /// `X.`
    case noDigits = "no-digits"
    case tooManyDigits = "too-many-digits"
    /// A number above 180 degrees.
    case outOfRange = "out-of-range"
    /// The checksum is not that of the bytes before it.
    case wrongChecksum = "wrong-checksum"
    /// The end of the number did not arrive in time, or its sender left.
    case unfinished
    /// One message contained so many refused bytes that the rest is reported as one refusal.
    case various
  }

  /// How many of the bytes are kept.
  package static let bytesMax = 256
  /// How many of them the sender and the log are shown.
  package static let shownMax = 16

  /// The first bytes, at most `bytesMax`.
  package private(set) var bytes: [UInt8]
  /// The number of all the bytes.
  package private(set) var count: Int
  package private(set) var why: Why
  /// How many commands the sender meant, as far as that can be known. An unfinished number counts
  /// as one, and so does a run of other bytes, unless it follows a number that it aborted.
  package private(set) var commands: Int
  /// The parts of its message for a profile that is not one of the bench's own; nil for the bench's
  /// own.
  private var words: Words?

  /// Bytes beyond `bytesMax` are dropped. `count` is the number of all the bytes, if it differs
  /// from that of `bytes`.
  package init(
    _ bytes: [UInt8], count: Int? = nil, why: Why, commands: Int = 1, words: Words? = nil
  ) {
    self.commands = commands
    self.words = words
    self.bytes = bytes.count <= Self.bytesMax ? bytes : Array(bytes.prefix(Self.bytesMax))
    self.count = count ?? bytes.count
    self.why = why
  }

  var canGrow: Bool {
    switch why {
    case .unknown, .otherFirmware, .notASCII: true
    default: false
    }
  }

  /// Adds a byte of junk, if it continues these bytes. Returns whether it does.
  mutating func absorb(_ byte: UInt8, _ other: Why) -> Bool {
    switch (why, other) {
    case (.otherFirmware, .otherFirmware), (.unknown, .unknown), (.notASCII, .unknown): break
    case (.unknown, .notASCII), (.notASCII, .notASCII): why = .notASCII
    default: return false
    }
    if bytes.count < Self.bytesMax { bytes.append(byte) }
    count += 1
    return true
  }

  /// Adds another refusal of any kind.
  mutating func absorb(_ other: Refusal) {
    if why != other.why { why = .various }
    bytes += other.bytes.prefix(Self.bytesMax - bytes.count)
    count += other.count
    commands += other.commands
  }

  /// The bytes that the sender and the log are shown.
  package var shown: [UInt8] { Array(bytes.prefix(Self.shownMax)) }

  /// The shown bytes as characters U+0000 to U+00FF, as in a trace.
  package var text: String { String(String.UnicodeScalarView(shown.map { Unicode.Scalar($0) })) }

  /// A sentence for the sender.
  package var message: String {
    if let words { return words.message(why) }
    return switch why {
    case .unknown: "not a command; X0. to X180. aims, L sweeps"
    case .otherFirmware: "not a command of the firmware that runs here"
    case .notASCII: "not a command; commands are plain ASCII, such as X90."
    case .brokenOff: "an aim is X, 1 to 3 digits and a full stop, with nothing in between: X90."
    case .noDigits: "an aim requires 1 to 3 digits between its X and its full stop: X90."
    case .tooManyDigits: "an aim has at most 3 digits: X90."
    case .outOfRange: "an aim is 0 to 180 degrees"
    case .wrongChecksum: "the checksum is wrong"
    case .unfinished: "the full stop that ends an aim did not arrive within 250 ms"
    case .various: "not commands, for more than one reason; X0. to X180. aims, L sweeps"
    }
  }
}

extension Refusal {
  /// The parts of a refusal's message for a profile that is not one of the bench's own.
  package struct Words: Hashable, Sendable {
    /// The profile's commands, in a sentence.
    package var commands: String
    /// What is wrong with a command that has its form.
    package var mistake: CommandRecognizer.Mistake?

    package init(commands: String, mistake: CommandRecognizer.Mistake? = nil) {
      self.commands = commands
      self.mistake = mistake
    }

    func message(_ why: Why) -> String {
      if why == .various { return "not commands, for more than one reason; expected \(commands)" }
      switch mistake {
      case .noDigits(let field): return "\(field.name) requires digits; \(field.sentence)"
      case .tooManyDigits(let field):
        let digits = field.digitsMax == 1 ? "1 digit" : "\(field.digitsMax) digits"
        return "\(field.name) has at most \(digits); \(field.sentence)"
      case .outOfRange(let field): return field.sentence
      case .wrongChecksum(let expected):
        return "the checksum of these bytes is 0x\(String(expected, radix: 16, digits: 2))"
      case nil: break
      }
      switch why {
      case .brokenOff:
        return "no command continues with the byte that followed; expected \(commands)"
      case .unfinished: return "the end of the command did not arrive within 250 ms"
      default: return "not a command; expected \(commands)"
      }
    }
  }
}
