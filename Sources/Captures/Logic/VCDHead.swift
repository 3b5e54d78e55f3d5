import Traces

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
          .malformed, at: tokens.place,
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
            .malformed, at: place,
            "expected a $timescale such as 1 us, found \(PlainText.quoted(text))")
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
            .malformed, at: place, "expected $var with a type, a width, an identifier and a name")
        }
        guard variables.count + others.count < Self.variablesMax else {
          throw CaptureError(
            .malformed, at: place, "expected at most \(Self.variablesMax) variables")
        }
        if width == 1, words[0] != "real", words[0] != "string" {
          // For a bit of a vector, its number is a separate word.
          let name = words[3...].joined(separator: " ")
          let path = (scopes + [name]).joined(separator: ".")
          namesLength += path.utf8.count
          guard namesLength <= Self.namesLengthMax else {
            throw CaptureError(
              .malformed, at: place,
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
    throw CaptureError(
      .malformed, at: tokens.place, "expected $enddefinitions, found the end of the file")
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
        .malformed, at: place,
        (["expected a variable of one bit, found none"] + notes).joined(separator: "; "))
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
