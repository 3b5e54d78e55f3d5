import Traces

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
      throw CaptureError(
        .malformed, at: tokens.place, "expected an instant such as #0, found none")
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
        throw CaptureError(.malformed, at: tokens.place, "expected a value after b, found none")
      }
      let value = word[word.count - 1]
      set(try nextChannel(&tokens), value, &state)
    case UInt8(ascii: "r"), UInt8(ascii: "R"), UInt8(ascii: "s"), UInt8(ascii: "S"):
      _ = try nextChannel(&tokens)
    case UInt8(ascii: "$"):
      // The sections contain values like those outside; a comment is text.
      if word.isText("$comment") { _ = try tokens.untilEnd() }
      if word.isText("$dumpoff") {
        state.levels.unknown = .max
        state.levels.high = 0
      }
    default:
      throw CaptureError(
        .malformed, at: tokens.place,
        "expected an instant (#) or a value, found "
          + PlainText.quoted(String(latin1: word.prefix(40))))
    }
    return true
  }

  private func nextChannel(_ tokens: inout VCDTokens) throws(CaptureError) -> Int {
    guard let identifier = try tokens.next() else {
      throw CaptureError(
        .malformed, at: tokens.place, "expected an identifier, found the end of the file")
    }
    return try channel(identifier, tokens.place)
  }

  @inline(__always)
  private func channel(
    _ identifier: UnsafeRawBufferPointer, _ place: CaptureError.Place
  ) throws(CaptureError) -> Int {
    guard let channel = head.identifiers.channel(identifier) else {
      throw CaptureError(
        .malformed, at: place,
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
        .malformed, at: place,
        "expected a whole number after #, found "
          + PlainText.quoted(String(latin1: word.prefix(40)))
      )
    }
    // Values before the first instant hold from 0, so the dump begins there.
    let start = state.start ?? (state.hasChanged ? 0 : units)
    state.start = start
    let (product, overflow) = (units &- start).multipliedReportingOverflow(
      by: head.timescale.multiplier)
    guard units >= start, !overflow, product / head.timescale.divisor < LogicRecording.timeMax
    else {
      throw CaptureError(
        .malformed, at: place, "expected an instant below 1 000 000 000 s after the first")
    }
    let divisor = head.timescale.divisor
    let time = product / divisor + (product % divisor >= divisor - divisor / 2 ? 1 : 0)
    guard time >= state.levels.time else {
      throw CaptureError(
        .malformed, at: place, "expected instants that never decrease, found one before the last")
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
