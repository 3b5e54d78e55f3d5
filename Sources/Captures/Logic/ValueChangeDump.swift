import Traces

/// A value change dump as in IEEE 1364, clause 18: declarations, then instants, each with the
/// variables that change. Variables of one bit are channels.
struct ValueChangeDump {
  static var format: CaptureFormat { CaptureFormat(recognize, file: open) }

  private static func recognize(_ head: CaptureHead) -> Recognition {
    let words = head.lines(256).joined(separator: "\n").split {
      $0 == " " || $0 == "\n" || $0 == "\t"
    }
    guard let first = words.first, first.hasPrefix("$") else { return .no }
    if words.contains(where: { ["$timescale", "$enddefinitions", "$dumpvars"].contains($0) }) {
      return .certain
    }
    return ["$date", "$version", "$comment", "$scope", "$var"].contains(first) ? .possible : .no
  }

  private static func open(
    _ file: CaptureFile, _ options: CaptureOptions, _: Inflation?
  ) throws(CaptureError) -> Capture {
    var tokens = VCDTokens(file)
    let names = [options.rxChannel, options.txChannel, options.servoChannel].compactMap { $0 }
    let head = try VCDHead(&tokens, named: names)
    let body = VCDBody(file: file, head: head)
    var recording = LogicRecording(
      kind: .vcd, channels: head.channels, sampleRate: nil, source: head.source, recorded: nil,
      scan: { (take) throws(CaptureError) in try body.scan(take) })
    recording.notes = head.notes
    return try Capture(recording, options)
  }
}

/// The declarations of a value change dump.
struct VCDHead {
  /// The most variables in a dump, such as one of a simulated chip; more are refused.
  private static let variablesMax = 1 << 20
  /// The most bytes of all names with their scopes; more are refused.
  private static let namesLengthMax = 16 << 20

  private struct Variable {
    var name: String
    var path: String
    var identifier: String
  }

  /// A unit of time: a nanosecond times `multiplier`, divided by `divisor`.
  struct Timescale: Hashable, Sendable {
    var multiplier: Int64 = 1
    var divisor: Int64 = 1
  }

  private(set) var channels: [LogicRecording.Channel] = []
  private(set) var timescale = Timescale()
  private(set) var source = "VCD"
  private(set) var notes: [String] = []
  private(set) var identifiers = VCDIdentifiers()

  /// Reads up to `$enddefinitions`. If there are more variables than channels, those that are
  /// named, or whose names are those of the board's lines, come first.
  init(_ tokens: inout VCDTokens, named names: [String]) throws(CaptureError) {
    var variables: [Variable] = []
    var others: [String] = []
    var scopes: [String] = []
    var namesLength = 0
    var hasTimescale = false
    while let word = try tokens.next() {
      guard word.first == UInt8(ascii: "$") else {
        throw CaptureError(
          at: tokens.place,
          "expected $enddefinitions before the first value, found "
            + PlainText.quoted(String(latin1: word.prefix(40))))
      }
      let command = String(latin1: word.prefix(32))
      let place = tokens.place
      switch command {
      case "$enddefinitions":
        _ = try tokens.untilEnd()
        if !hasTimescale {
          notes.append("the dump has no $timescale, so its times are taken as nanoseconds")
        }
        try declare(variables, others, named: names, place)
        return
      case "$scope":
        let words = try tokens.untilEnd()
        if words.count > 1, scopes.count < 64 { scopes.append(words[1]) }
      case "$upscope":
        _ = try tokens.untilEnd()
        _ = scopes.popLast()
      case "$timescale":
        let text = try tokens.untilEnd().joined()
        guard let scale = Self.timescale(text) else {
          throw CaptureError(
            at: place, "expected a $timescale such as 1 us, found \(PlainText.quoted(text))")
        }
        timescale = scale
        hasTimescale = true
      case "$version":
        let text = try tokens.untilEnd().joined(separator: " ")
        if !text.isEmpty { source = "VCD of \(PlainText.of(text, upTo: 80))" }
      case "$var":
        let words = try tokens.untilEnd()
        guard words.count >= 4, let width = Int(words[1]), width > 0 else {
          throw CaptureError(
            at: place, "expected $var with a type, a width, an identifier and a name")
        }
        guard variables.count + others.count < Self.variablesMax else {
          throw CaptureError(at: place, "expected at most \(Self.variablesMax) variables")
        }
        if width == 1, words[0] != "real", words[0] != "string" {
          // For a bit of a vector, its number is a separate word.
          let name = words[3...].joined(separator: " ")
          let path = (scopes + [name]).joined(separator: ".")
          namesLength += path.utf8.count
          guard namesLength <= Self.namesLengthMax else {
            throw CaptureError(
              at: place,
              "expected names of at most \(Self.namesLengthMax) bytes in all, with their scopes")
          }
          variables.append(Variable(name: name, path: path, identifier: words[2]))
        } else {
          identifiers.skip(words[2])
          if others.count < 8 { others.append(words[3]) }
        }
      default: _ = try tokens.untilEnd()
      }
    }
    throw CaptureError(at: tokens.place, "expected $enddefinitions, found the end of the file")
  }

  private mutating func declare(
    _ variables: [Variable], _ others: [String], named names: [String],
    _ place: CaptureError.Place
  ) throws(CaptureError) {
    var chosen = Array(variables.indices)
    if variables.count > LogicLevels.channelsMax {
      let wanted = (names + ["rx", "rxd", "tx", "txd", "servo", "d0", "d1", "d9", "pb1"]).map {
        $0.lowercased()
      }
      func isWanted(_ index: Int) -> Bool {
        wanted.contains(variables[index].name.lowercased())
          || wanted.contains(variables[index].path.lowercased())
      }
      let first = variables.indices.filter { isWanted($0) }.prefix(LogicLevels.channelsMax)
      let rest = variables.indices.filter { !isWanted($0) }
      chosen = (first + rest.prefix(LogicLevels.channelsMax - first.count)).sorted()
      notes.append(
        "\(variables.count - chosen.count) of \(variables.count) variables left out; choose others "
          + "with --rx-channel, --tx-channel and --servo-channel")
    }
    for variable in variables { identifiers.skip(variable.identifier) }
    for index in chosen {
      let variable = variables[index]
      // Variables with the same identifier are the same wire under several names.
      guard identifiers.isSkipped(variable.identifier) else { continue }
      let isWanted = names.contains { $0.lowercased() == variable.path.lowercased() }
      let isTwice = chosen.contains {
        $0 != index && variables[$0].name == variable.name
          && variables[$0].identifier != variable.identifier
      }
      identifiers.declare(variable.identifier, channel: channels.count)
      channels.append(
        .init(name: isTwice || isWanted ? variable.path : variable.name, index: channels.count))
    }
    if !others.isEmpty {
      let list = others.map { PlainText.of($0, upTo: 40) }.joined(separator: ", ")
      notes.append(
        "\(list): left out, because each has a value, not the level of a wire; if a value is a "
          + "byte of the UART, as in a dump by simavr, two equal bytes in a row make one change, "
          + "so the bytes cannot be recovered")
    }
    guard !channels.isEmpty else {
      throw CaptureError(
        at: place, (["expected a variable of one bit, found none"] + notes).joined(separator: "; "))
    }
  }

  private static func timescale(_ text: String) -> Timescale? {
    let units: [(String, Int64, Int64)] = [
      ("fs", 1, 1_000_000), ("ps", 1, 1_000), ("ns", 1, 1), ("us", 1_000, 1),
      ("ms", 1_000_000, 1), ("s", 1_000_000_000, 1),
    ]
    let text = text.lowercased()
    guard let unit = units.first(where: { text.hasSuffix($0.0) }),
      let number = Int64(text.dropLast(unit.0.count)), (1...1_000).contains(number)
    else { return nil }
    return Timescale(multiplier: unit.1 * number, divisor: unit.2)
  }
}

/// The values of a dump.
struct VCDBody {
  let file: CaptureFile
  let head: VCDHead

  /// What has been read so far.
  private struct State {
    var levels: LogicLevels
    /// The levels that were passed on last.
    var given: LogicLevels?
    /// The first instant of the dump, in its own units.
    var start: Int64?
    /// Whether a variable changed at the last instant.
    var hasChanged = false
  }

  /// Passes on the levels after each instant at which they change.
  func scan(_ take: LogicRecording.Take) throws(CaptureError) -> LogicRecording.End {
    var tokens = VCDTokens(file)
    _ = try VCDHead(&tokens, named: [])
    let count = head.channels.count
    let all = count >= 64 ? UInt64.max : (1 << UInt64(count)) - 1
    var state = State(levels: LogicLevels(time: 0, high: 0, unknown: all))
    var notes: [String] = []
    do throws(CaptureError) {
      while let word = try tokens.next() {
        guard try read(word, &tokens, &state, take) else { break }
      }
    } catch {
      // Only the last word of a file can be cut off.
      guard tokens.endsWithoutNewline, state.start != nil, error.code == .malformed else {
        throw error
      }
      notes.append("the last line is cut off and left out")
    }
    guard state.start != nil || state.hasChanged else {
      throw CaptureError(at: tokens.place, "expected an instant such as #0, found none")
    }
    // Without an instant after the last change, the line's level after it is not recorded. A file
    // that was cut off ends there.
    let isKnown = !state.hasChanged || !notes.isEmpty
    _ = try give(&state, take)
    return .init(time: state.levels.time, isKnown: isKnown, notes: notes)
  }

  @inline(__always)
  private func read(
    _ word: UnsafeRawBufferPointer, _ tokens: inout VCDTokens, _ state: inout State,
    _ take: LogicRecording.Take
  ) throws(CaptureError) -> Bool {
    switch word[0] {
    case UInt8(ascii: "#"):
      guard try give(&state, take) else { return false }
      try advance(word, tokens.place, &state)
    case UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "x"), UInt8(ascii: "X"),
      UInt8(ascii: "z"), UInt8(ascii: "Z"), UInt8(ascii: "u"), UInt8(ascii: "U"),
      UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "-"), UInt8(ascii: "h"),
      UInt8(ascii: "H"), UInt8(ascii: "l"), UInt8(ascii: "L"):
      let value = word[0]
      if word.count > 1 {
        set(try channel(UnsafeRawBufferPointer(rebasing: word[1...]), tokens.place), value, &state)
      } else {
        set(try nextChannel(&tokens), value, &state)
      }
    case UInt8(ascii: "b"), UInt8(ascii: "B"):
      guard word.count > 1 else {
        throw CaptureError(at: tokens.place, "expected a value after b, found none")
      }
      let value = word[word.count - 1]
      set(try nextChannel(&tokens), value, &state)
    case UInt8(ascii: "r"), UInt8(ascii: "R"), UInt8(ascii: "s"), UInt8(ascii: "S"):
      _ = try nextChannel(&tokens)
    case UInt8(ascii: "$"):
      // The sections contain values like those outside; a comment is text.
      if word.isEqual(to: "$comment") { _ = try tokens.untilEnd() }
      if word.isEqual(to: "$dumpoff") {
        state.levels.unknown = .max
        state.levels.high = 0
      }
    default:
      throw CaptureError(
        at: tokens.place,
        "expected an instant (#) or a value, found "
          + PlainText.quoted(String(latin1: word.prefix(40))))
    }
    return true
  }

  private func nextChannel(_ tokens: inout VCDTokens) throws(CaptureError) -> Int {
    guard let identifier = try tokens.next() else {
      throw CaptureError(at: tokens.place, "expected an identifier, found the end of the file")
    }
    return try channel(identifier, tokens.place)
  }

  @inline(__always)
  private func channel(
    _ identifier: UnsafeRawBufferPointer, _ place: CaptureError.Place
  ) throws(CaptureError) -> Int {
    guard let channel = head.identifiers.channel(identifier) else {
      throw CaptureError(
        at: place,
        "expected the identifier of a $var, found "
          + PlainText.quoted(String(latin1: identifier.prefix(40))))
    }
    return channel
  }

  @inline(__always)
  private func set(_ channel: Int, _ value: UInt8, _ state: inout State) {
    guard channel >= 0 else { return }
    state.hasChanged = true
    let bit: UInt64 = 1 << UInt64(channel)
    switch value {
    case UInt8(ascii: "1"), UInt8(ascii: "h"), UInt8(ascii: "H"):
      state.levels.high |= bit
      state.levels.unknown &= ~bit
    case UInt8(ascii: "0"), UInt8(ascii: "l"), UInt8(ascii: "L"):
      state.levels.high &= ~bit
      state.levels.unknown &= ~bit
    case UInt8(ascii: "z"), UInt8(ascii: "Z"):
      state.levels.high |= bit
      state.levels.unknown |= bit
    default:
      state.levels.high &= ~bit
      state.levels.unknown |= bit
    }
  }

  private func advance(
    _ word: UnsafeRawBufferPointer, _ place: CaptureError.Place, _ state: inout State
  ) throws(CaptureError) {
    var units: Int64 = 0
    var isNumber = word.count > 1 && word.count <= 19
    for byte in word.dropFirst() {
      guard isNumber, (0x30...0x39).contains(byte) else {
        isNumber = false
        break
      }
      units = units * 10 + Int64(byte - 0x30)
    }
    guard isNumber else {
      throw CaptureError(
        at: place,
        "expected a whole number after #, found "
          + PlainText.quoted(String(latin1: word.prefix(40))))
    }
    // Values before the first instant hold from 0, so the dump begins there.
    let start = state.start ?? (state.hasChanged ? 0 : units)
    state.start = start
    let (product, overflow) = (units &- start).multipliedReportingOverflow(
      by: head.timescale.multiplier)
    guard units >= start, !overflow, product / head.timescale.divisor < LogicRecording.timeMax
    else {
      throw CaptureError(at: place, "expected an instant below 1 000 000 000 s after the first")
    }
    let divisor = head.timescale.divisor
    let time = product / divisor + (product % divisor >= divisor - divisor / 2 ? 1 : 0)
    guard time >= state.levels.time else {
      throw CaptureError(
        at: place, "expected instants that never decrease, found one before the last")
    }
    state.hasChanged = false
    state.levels.time = time
  }

  /// Passes on the levels if they differ from the last ones.
  @inline(__always)
  private func give(
    _ state: inout State, _ take: LogicRecording.Take
  ) throws(CaptureError) -> Bool {
    guard state.hasChanged || state.given == nil && state.start != nil else { return true }
    if let given = state.given, given.high == state.levels.high,
      given.unknown == state.levels.unknown
    {
      return true
    }
    state.given = state.levels
    return try take(state.levels)
  }
}

/// Maps the identifiers of a value change dump to channels. Most identifiers have one or two
/// characters.
struct VCDIdentifiers {
  /// Stands for a variable that is declared, but is not a channel.
  static let skipped = -1
  private static let undeclared = -2

  private var byByte = [Int](repeating: undeclared, count: 256)
  private var others: [[UInt8]: Int] = [:]

  mutating func declare(_ identifier: String, channel: Int) {
    let bytes = identifier.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    if bytes.count == 1 { byByte[Int(bytes[0])] = channel } else { others[bytes] = channel }
  }

  mutating func skip(_ identifier: String) { declare(identifier, channel: Self.skipped) }

  func isSkipped(_ identifier: String) -> Bool {
    let bytes = identifier.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return (bytes.count == 1 ? byByte[Int(bytes[0])] : others[bytes]) == Self.skipped
  }

  /// Returns the channel, or `skipped`; nil for an identifier that is not declared.
  @inline(__always)
  func channel(_ identifier: UnsafeRawBufferPointer) -> Int? {
    if identifier.count == 1 {
      let channel = byByte[Int(identifier[0])]
      return channel == Self.undeclared ? nil : channel
    }
    return others[Array(identifier)]
  }
}

/// The words of a value change dump, which are separated by spaces and line breaks.
struct VCDTokens: ~Copyable {
  /// The most bytes of a word that are kept; no identifier and no value is longer.
  private static let lengthMax = 1 << 16

  private var lines: CaptureLines
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)
  private var offset = 0
  private var column = 1

  init(_ file: CaptureFile) { lines = CaptureLines(file) }

  /// The beginning of the last word that was taken.
  var place: CaptureError.Place { .line(max(1, lines.number), column: column) }
  /// Whether the last line has no line break, as in a file that was cut off.
  var endsWithoutNewline: Bool { lines.endsWithoutNewline && offset >= line.count }

  /// Returns the next word, valid until the next call; nil at the end.
  @inline(__always)
  mutating func next() throws(CaptureError) -> UnsafeRawBufferPointer? {
    while true {
      while offset < line.count, line[offset] <= 0x20 { offset &+= 1 }
      if offset < line.count { break }
      guard let next = try lines.next() else {
        line = UnsafeRawBufferPointer(start: nil, count: 0)
        offset = 0
        return nil
      }
      line = next
      offset = 0
    }
    let start = offset
    while offset < line.count, line[offset] > 0x20 { offset &+= 1 }
    column = start &+ 1
    return UnsafeRawBufferPointer(rebasing: line[start..<offset])
  }

  /// Takes the words up to `$end`, and returns the first 64 of them.
  mutating func untilEnd() throws(CaptureError) -> [String] {
    var words: [String] = []
    let start = place
    while let word = try next() {
      if word.isEqual(to: "$end") { return words }
      if words.count < 64 { words.append(String(latin1: word.prefix(Self.lengthMax))) }
    }
    throw CaptureError(at: start, "expected $end, found the end of the file")
  }
}
