import Traces

/// Which channels of a logic analyser's recording are the board's lines: those that the user chose,
/// or those whose names say so, or the only one that behaves like such a line.
struct LogicRoles: Hashable, Sendable {
  enum Role: String, Hashable, Sendable, CaseIterable {
    case rx, tx, servo

    /// The words in a name that indicate the role. The name of a board pin can also be the
    /// analyser's own name for a channel, so it counts only if the channel behaves accordingly.
    var words: (names: [String], pins: [String]) {
      switch self {
      case .rx: (["rx", "rxd", "rx0", "rxi"], ["d0", "pd0"])
      case .tx: (["tx", "txd", "tx0", "txo"], ["d1", "pd1"])
      case .servo: (["servo", "pwm"], ["d9", "pb1"])
      }
    }

    /// What a channel with this role carries, for messages.
    var noun: String { self == .servo ? "the servo's pulses" : "bytes" }
  }

  /// Bits of the channels, by role.
  private(set) var rx: Int?
  private(set) var tx: Int?
  private(set) var servo: Int?
  /// Why a role is left open; empty unless `isListing`.
  private(set) var doubts: [String] = []

  subscript(_ role: Role) -> Int? {
    get {
      switch role {
      case .rx: rx
      case .tx: tx
      case .servo: servo
      }
    }
    set {
      switch role {
      case .rx: rx = newValue
      case .tx: tx = newValue
      case .servo: servo = newValue
      }
    }
  }

  /// The role of a channel; nil if it is not used.
  func role(of bit: Int) -> Role? { Role.allCases.first { self[$0] == bit } }

  private let channels: [ChannelExamination]

  /// Assigns the roles. Fails if an option names a channel that does not exist, or if several
  /// channels could have a role and the recording is not only listed.
  init(_ channels: [ChannelExamination], _ options: CaptureOptions) throws(CaptureError) {
    self.channels = channels
    let given: [(Role, String?)] = [
      (.rx, options.rxChannel), (.tx, options.txChannel), (.servo, options.servoChannel),
    ]
    for case (let role, let text?) in given {
      self[role] = try channels.map { $0.channel }.position(of: text, as: role)
    }
    if let rx, rx == tx || rx == servo { throw channels[rx].channel.isChosenTwice }
    if let tx, tx == servo { throw channels[tx].channel.isChosenTwice }
    do throws(CaptureError) {
      for role in Role.allCases where self[role] == nil { try name(role) }
      try findServo()
      try findLines()
    } catch {
      guard options.isListing else { throw error }
      doubts.append(error.message)
    }
  }

  private mutating func name(_ role: Role) throws(CaptureError) {
    let free = channels.indices.filter { self.role(of: $0) == nil }
    let names = free.filter { Self.roles(channels[$0].channel) == [role] }
    let exact = names.filter { role.words.names.contains(channels[$0].channel.name.lowercased()) }
    let best = exact.isEmpty ? names : exact
    let active = best.filter { !channels[$0].isFlat }
    let chosen = best.count > 1 && !active.isEmpty ? active : best
    if chosen.count > 1 { throw doubt(role, chosen) }
    if let bit = chosen.first {
      self[role] = bit
      return
    }
    let pins = free.filter { bit in
      let words = channels[bit].channel.words
      return role.words.pins.contains { words.contains($0) }
        && (role == .servo ? channels[bit].isServo : channels[bit].decodes)
    }
    if pins.count == 1 { self[role] = pins[0] }
  }

  private mutating func findServo() throws(CaptureError) {
    guard servo == nil else { return }
    let found = unnamed.filter { channels[$0].isServo }
    if found.count > 1 { throw doubt(.servo, found) }
    servo = found.first
  }

  /// Takes a single line without a name as the one to the board, since a session consists of its
  /// commands.
  private mutating func findLines() throws(CaptureError) {
    let found = unnamed.filter { channels[$0].decodes }
    guard !found.isEmpty, rx == nil || tx == nil else { return }
    if found.count > 1 { throw doubt(rx == nil ? .rx : .tx, found) }
    if rx == nil { rx = found[0] } else { tx = found[0] }
  }

  /// The channels that have no role and whose names indicate none.
  private var unnamed: [Int] {
    channels.indices.filter { role(of: $0) == nil && Self.roles(channels[$0].channel).isEmpty }
  }

  /// Returns the roles that the words in a channel's name indicate.
  private static func roles(_ channel: LogicRecording.Channel) -> [Role] {
    let words = channel.words
    return Role.allCases.filter { role in role.words.names.contains { words.contains($0) } }
  }

  private func doubt(_ role: Role, _ bits: [Int]) -> CaptureError {
    let names = bits.map { channels[$0].channel }.list(before: "and")
    return CaptureError(
      .usage,
      "channels \(names) could all carry \(role.noun); choose with "
        + (role == .servo ? "--servo-channel" : "--rx-channel and --tx-channel"))
  }

}

extension LogicRecording.Channel {
  /// The words in the name, in lower case.
  var words: [String] {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }
  }

  /// The error if the user chooses the channel for two roles.
  var isChosenTwice: CaptureError {
    CaptureError(.usage, "expected a channel for each role, found \(PlainText.quoted(name)) twice")
  }
}

extension [LogicRecording.Channel] {
  /// Returns the position of the channel that the user chooses for a role by its name or its index.
  func position(of text: String, as role: LogicRoles.Role) throws(CaptureError) -> Int {
    let similar = indices.filter { self[$0].name.lowercased() == text.lowercased() }
    guard
      let position = firstIndex(where: { $0.name == text })
        ?? (similar.count == 1 ? similar[0] : firstIndex { String($0.index) == text })
    else {
      throw CaptureError(
        .usage,
        "expected the \(role.rawValue) channel to be one of \(list(before: "or")), "
          + "found \(PlainText.quoted(text))")
    }
    return position
  }

  /// Returns the names and indices, with a word before the last one.
  func list(before last: String) -> String {
    let names = map { "\(PlainText.of($0.name, upTo: 40)) (\($0.index))" }
    return names.isEmpty ? "none" : names.listed(before: last)
  }
}

/// How a recording is converted: which channel is which line, and how each of them is received.
struct LogicPlan {
  struct Line: Hashable, Sendable {
    var bit: Int
    var baud: Int
    var isInverted: Bool
    /// A shorter pulse is a glitch, in nanoseconds.
    var glitchMax: Int64
  }

  var rx: Line?
  var tx: Line?
  var servo: Int?
  /// The time between two samples, in nanoseconds, rounded up; 1 if it is not known.
  var grain: Int64
  let options: CaptureOptions

  /// The channels that are used.
  var mask: UInt64 {
    [rx?.bit, tx?.bit, servo].reduce(0) { mask, bit in bit.map { mask | 1 << UInt64($0) } ?? mask }
  }

  init(_ roles: LogicRoles, _ examined: LogicExamination, _ options: CaptureOptions) {
    self.options = options
    let channels = examined.channels
    grain = examined.sampleRate.map { (1_000_000_000 + $0 - 1) / $0 } ?? 1
    rx = roles.rx.map {
      Self.line(channels[$0], $0, options.rxBaud, options, .rx)
    }
    tx = roles.tx.map { Self.line(channels[$0], $0, options.baud, options, .tx) }
    servo = roles.servo
  }

  private static func line(
    _ channel: ChannelExamination, _ bit: Int, _ baud: Int, _ options: CaptureOptions,
    _ inversion: CaptureOptions.Inversion
  ) -> Line {
    let isInverted = isInverted(channel, options, inversion)
    let bits = max(Double(baud), channel.speed?.baud ?? 0)
    return Line(bit: bit, baud: baud, isInverted: isInverted, glitchMax: Int64(0.3 * 1e9 / bits))
  }

  /// Returns whether a line is inverted, by the option or else by its level at rest.
  static func isInverted(
    _ channel: ChannelExamination, _ options: CaptureOptions, _ line: CaptureOptions.Inversion
  ) -> Bool {
    if let inversion = options.inversion, inversion == line || inversion == .both { return true }
    return channel.isInverted
  }
}
