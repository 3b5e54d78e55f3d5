package import Sketches
package import Traces

/// One fault, as it is requested: `drop:1%`.
package struct FaultSpec: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    /// Chances are from above 0 to 1, for each byte; that of `flip` is for each bit.
    case drop(Double)
    case dup(Double)
    case burst(Double, length: Double)
    case flip(Double)
    /// `every` and `mean` are the mean time from one to the next.
    case noise(every: Interval)
    /// Both in millionths.
    case clock(Int64, drift: Int64)
    case cut(Int)
    case merge(Interval)
    case delay(Interval, spread: Interval)
    case jitter(Interval)
    case stall(Interval, every: Interval)
    case reset(every: Interval, boot: Interval)
    case unplug(Interval, every: Interval, boot: Interval)
    case adapter(Adapter, loss: Double)
  }

  /// As it was written.
  package let text: String
  package let effect: Effect
  /// Whether it acts on what the board sends, and not on what it receives.
  package let isReturn: Bool

  package var place: FaultStrike.Place {
    switch effect {
    case .adapter(let adapter, _): adapter.place
    case .cut, .merge, .jitter, .stall: .network
    case .reset: .board
    default: isReturn ? .wireBack : .wire
    }
  }
}

extension [FaultSpec] {
  /// How often the faults of a line can strike a second whatever is sent, and how many bytes they
  /// can make of one.
  private static var limits: (rate: Double, copies: Double) { (5_000, 16) }

  /// Adds faults to those of a line. Throws if they would strike too often together.
  package mutating func add(_ specs: [FaultSpec]) throws(SpecError) {
    var (rate, copies) = (0.0, 1.0)
    for spec in self + specs {
      switch spec.effect {
      case .noise(let every), .reset(let every, _): rate += 1 / every.seconds
      case .stall(let length, let every), .unplug(let length, let every, _):
        rate += 1 / (length + every).seconds
      case .dup(let chance): copies *= 1 + chance
      default: break
      }
    }
    guard rate <= Self.limits.rate else {
      throw SpecError(
        column: 1,
        message: "expected faults that together strike up to \(Int(Self.limits.rate)) times a "
          + "second, found \(Int(rate.rounded(.up)))")
    }
    guard copies <= Self.limits.copies else {
      throw SpecError(
        column: 1,
        message:
          "expected faults that together make up to \(Int(Self.limits.copies)) bytes of one, "
          + "found more")
    }
    self += specs
  }
}

/// Faults in the order in which the bytes meet them, and the seed of their random numbers.
package struct FaultPlan: Hashable, Sendable {
  package var specs: [FaultSpec]
  package var seed: UInt64

  package static let usualSeed: UInt64 = 1

  package init(_ specs: [FaultSpec], seed: UInt64 = usualSeed) {
    self.specs = specs
    self.seed = seed
  }

  /// Returns a sentence about faults of it that have not struck; nil if there are none.
  package func note(unstruck: [FaultSpec]) -> String? {
    let names = unstruck.map { $0.text }
    guard !names.isEmpty else { return nil }
    return "\(names.joined(separator: ", ")) never struck (seed \(seed))."
  }
}

/// A mistake in the text of a fault or of a supply.
package struct SpecError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  package var column: Int
  package var message: String

  package var description: String { "column \(column): \(message)" }
}

package enum FaultName: String, CaseIterable, Sendable {
  case drop, dup, burst, flip, noise, clock, cut, merge, delay, stall, net, reset, unplug
  case adapter, mix

  /// Whether it can also act on what the board sends, with `on=tx`.
  package var canReturn: Bool {
    switch self {
    case .drop, .dup, .burst, .flip, .noise, .delay: true
    default: false
    }
  }

  package var usage: String {
    switch self {
    case .drop: "drop:1%"
    case .dup: "dup:1%"
    case .burst: "burst[:0.1%][,length=8]"
    case .flip: "flip:1e-4"
    case .noise: "noise:5/s"
    case .clock: "clock:+3%[±0.5%]"
    case .cut: "cut:4"
    case .merge: "merge:20ms"
    case .delay: "delay:5ms[±3ms]"
    case .stall: "stall:1s[,every=10s]"
    case .net: "net:jitter=30ms"
    case .reset: "reset:0.1/s[,boot=1s]"
    case .unplug: "unplug:5s[,every=30s][,boot=1s]"
    case .adapter: "adapter:NAME[,loss=1%]"
    case .mix: "mix:NAME"
    }
  }

  package var summary: String {
    switch self {
    case .drop: "each byte is lost with this chance; the wire is idle in its place"
    case .dup: "each byte is sent twice with this chance"
    case .burst: "at each byte, with this chance, bytes are lost: so many on average"
    case .flip: "each bit of a frame is inverted with this chance, also start and stop bits"
    case .noise: "spikes that invert the wire, so many in a second; each lasts up to one bit"
    case .clock: "the sender's clock is off by so much; ± is how far it drifts, drawn each second"
    case .cut: "only the first so many bytes of each write are forwarded"
    case .merge: "writes are collected for so long, and then sent as one"
    case .delay: "each write is late by so much, and evenly up to ± more or less"
    case .stall: "now and then nothing passes for so long; it is sent later. every: the mean gap"
    case .net: "each write is late by up to so much, evenly; the order stays, as in TCP"
    case .reset: "the board restarts so often, as in a brown-out; boot: its bootloader's time"
    case .unplug: "now and then the cable is out for so long; when it is back the board restarts"
    case .adapter: "an adapter with its packets and buffers:"
    case .mix: "several faults under one name:"
    }
  }

  package var source: String {
    switch self {
    case .drop, .dup: "a model: independent bytes, as smoltcp's FaultInjector has packets"
    case .burst: "a model: E. N. Gilbert, \"Capacity of a burst-noise channel\" (1960)"
    case .flip: "a model: independent bits; decoded by the ATmega328P's rule of three samples"
    case .noise: "a model: a Poisson process; decoded by the ATmega328P's rule of three samples"
    case .clock: "ATmega328P data sheet, receiver tolerance: up to about 4.4 % in double speed"
    case .cut: "gateways with a buffer of four characters: traces/README.md"
    case .merge: "gateways and browsers that send on a timer"
    case .delay, .stall, .net: "a model: even or exponential times, in order"
    case .reset: "brown-outs when a servo starts; Optiboot waits 1 s"
    case .unplug: "an Uno restarts when its port is opened (DTR); Optiboot waits 1 s"
    case .adapter, .mix: ""
    }
  }

  /// The mixtures: name, faults, and what they stand for.
  package static let mixtures: [(name: String, faults: [String], summary: String)] = [
    (
      "long-cheap-cable", ["flip:1e-4", "noise:0.5/s", "burst:0.05%,length=3"],
      "some metres of thin wire next to a servo"
    ),
    ("clone-nano", ["adapter:ch340", "burst:0.02%,length=12"], "a clone with a CH340 under load"),
    (
      "phone-over-wifi", ["net:jitter=40ms", "stall:300ms,every=20s", "adapter:16u2"],
      "a phone in the next room"
    ),
    ("bluetooth", ["net:jitter=15ms", "adapter:hm-10,loss=1%"], "an HM-10 on the board's pins"),
    (
      "weak-supply", ["reset:0.05/s", "noise:2/s"],
      "a servo and the board on one supply that is too weak"
    ),
    (
      "tired-crystal", ["clock:+2.5%±1%", "flip:1e-5"],
      "a board with a resonator at its limit"
    ),
  ]

  package static var list: [String] {
    var lines: [String] = []
    for name in allCases {
      lines.append("\(name.usage)")
      lines.append("  \(name.summary)")
      if !name.source.isEmpty { lines.append("  source: \(name.source)") }
      if name == .adapter {
        for adapter in Adapter.all {
          lines.append("  \(adapter.place.rawValue): \(adapter.summary)")
          lines.append("    \(adapter.losses)")
          lines.append("    source: \(adapter.source)")
        }
      }
      if name == .mix {
        for mix in mixtures {
          lines.append("  \(mix.name): \(mix.summary)")
          lines.append("    \(mix.faults.joined(separator: " "))")
        }
      }
    }
    let names = allCases.filter { $0.canReturn }.map { $0.rawValue }.joined(separator: ", ")
    lines += [
      "on=tx, as in drop:1%,on=tx",
      "  the fault acts on what the board sends, on its way to the computer: \(names)",
    ]
    return lines
  }
}

// MARK: Parsing

/// A text such as `name:part,part`.
struct SpecText {
  /// With the column where it begins, counted from 1.
  typealias Part = (text: String, column: Int)

  let name: String
  private(set) var parts: [Part] = []

  init(_ text: String) {
    let (name, rest) = (text.prefix { $0 != ":" }, text.drop { $0 != ":" }.dropFirst())
    self.name = String(name)
    guard name.endIndex < text.endIndex else { return }
    var column = name.count + 2
    for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
      parts.append((String(part), column))
      column += part.count + 1
    }
  }
}

extension FaultSpec {
  /// Parses a fault; a mixture becomes the faults that it consists of.
  package static func parse(_ text: String) throws(SpecError) -> [FaultSpec] {
    var parser = FaultSpecParser(text)
    return try parser.specs()
  }
}

private struct FaultSpecParser {
  private let text: String
  private let name: String
  private var parts: [SpecText.Part]

  init(_ text: String) {
    self.text = text
    let spec = SpecText(text)
    (name, parts) = (spec.name, spec.parts)
  }

  private func error(_ column: Int, _ message: String) -> SpecError {
    SpecError(column: column, message: message)
  }

  private func error(_ part: SpecText.Part, expected: String) -> SpecError {
    error(part.column, "expected \(expected), found \(PlainText.quoted(part.text))")
  }

  mutating func specs() throws(SpecError) -> [FaultSpec] {
    guard let known = FaultName(rawValue: name) else {
      if name == "reorder" {
        throw error(
          1,
          "a serial line cannot reorder bytes: each is sent when the one before it has ended, and "
            + "TCP and USB keep their order; use delay, net or drop")
      }
      let all = FaultName.allCases.map { $0.usage }.joined(separator: " ")
      throw error(
        1,
        "expected a fault, found \(PlainText.quoted(name)); there are \(all); "
          + "\"list\" explains them")
    }
    let isReturn = try takeReturn(known)
    guard let effect = try effect(of: known) else { return try mixture() }
    if let part = parts.first {
      throw error(
        part.column, "expected \(known.usage), found \(PlainText.quoted(part.text)) after it")
    }
    return [FaultSpec(text: text, effect: effect, isReturn: isReturn)]
  }

  private mutating func takeReturn(_ name: FaultName) throws(SpecError) -> Bool {
    guard let way = try option("on") else { return false }
    guard way.text == "rx" || way.text == "tx" else {
      let ways = "on=rx, on the way to the board, or on=tx, on the way from it"
      throw error(way, expected: ways)
    }
    guard name.canReturn else {
      let all = FaultName.allCases.filter { $0.canReturn }.map { $0.rawValue }
      throw error(
        way.column,
        "\(name.rawValue) has no line to choose; on= goes with \(all.joined(separator: ", "))")
    }
    return way.text == "tx"
  }

  private func mixture() throws(SpecError) -> [FaultSpec] {
    let names = FaultName.mixtures.map { $0.name }.joined(separator: ", ")
    let wanted = parts.first?.text ?? ""
    guard parts.count == 1, let mix = FaultName.mixtures.first(where: { $0.name == wanted }) else {
      throw error(parts.first ?? ("", name.count + 1), expected: "one of \(names)")
    }
    var specs: [FaultSpec] = []
    for fault in mix.faults { specs += try FaultSpec.parse(fault) }
    return specs
  }

  /// Nil for a mixture.
  private mutating func effect(of name: FaultName) throws(SpecError) -> FaultSpec.Effect? {
    switch name {
    case .drop: return .drop(try chance(value(name), name))
    case .dup: return .dup(try chance(value(name), name))
    case .flip: return .flip(try chance(value(name), name))
    case .burst:
      var share = 0.001
      if let first = parts.first, !first.text.contains("=") {
        share = try chance(value(name), name)
      }
      let length = try option("length").map { (part) throws(SpecError) in
        try number(part, in: 1...10_000, "a mean number of bytes from 1 to 10000")
      }
      return .burst(share, length: length ?? 8)
    case .noise: return .noise(every: try rate(value(name), name))
    case .clock: return try clock()
    case .cut:
      let part = try value(name)
      guard let count = Int32(part.text), (1...10_000).contains(count) else {
        throw error(part, expected: "a number of bytes from 1 to 10000, as in \(name.usage)")
      }
      return .cut(Int(count))
    case .merge: return .merge(try time(value(name), name))
    case .delay:
      let part = try value(name)
      guard let halves = halves(part) else {
        return .delay(try time(part, name, isZeroAllowed: true), spread: .zero)
      }
      let base = try time(halves.0, name, isZeroAllowed: true)
      let spread = try time(halves.1, name)
      guard spread <= base else {
        throw error(halves.1.column, "expected at most \(halves.0.text): a delay is not negative")
      }
      return .delay(base, spread: spread)
    case .net:
      guard let part = try option("jitter") else {
        throw error(parts.first ?? ("", text.count + 1), expected: name.usage)
      }
      return .jitter(try time(part, name))
    case .stall:
      let length = try time(value(name), name)
      return .stall(length, every: try every(name) ?? .seconds(10))
    case .reset:
      let every = try rate(value(name), name)
      return .reset(every: every, boot: try boot(name))
    case .unplug:
      let length = try time(value(name), name)
      let every = try every(name) ?? .seconds(30)
      return .unplug(length, every: every, boot: try boot(name))
    case .adapter:
      let part = try value(name)
      guard let adapter = Adapter.all.first(where: { $0.place.rawValue == part.text }) else {
        let names = Adapter.all.map { $0.place.rawValue }.joined(separator: ", ")
        throw error(part, expected: "one of \(names)")
      }
      guard let usual = adapter.packetLoss else { return .adapter(adapter, loss: 0) }
      let loss = try option("loss").map { (part) throws(SpecError) in
        try chance(part, name)
      }
      return .adapter(adapter, loss: loss ?? usual)
    case .mix: return nil
    }
  }

  // MARK: Values

  private typealias Part = SpecText.Part

  private mutating func value(_ name: FaultName) throws(SpecError) -> Part {
    guard let part = parts.first, !part.text.isEmpty else {
      throw error(text.count + 1, "expected a value, as in \(name.usage)")
    }
    parts.removeFirst()
    return part
  }

  /// Takes the value of `key=value` among the parts; nil if it is not there.
  private mutating func option(_ key: String) throws(SpecError) -> Part? {
    guard let index = parts.firstIndex(where: { $0.text.hasPrefix(key + "=") }) else { return nil }
    let part = parts.remove(at: index)
    return (String(part.text.dropFirst(key.count + 1)), part.column + key.count + 1)
  }

  /// Splits a value at `±` or `+-`.
  private func halves(_ part: Part) -> (Part, Part)? {
    let characters = Array(part.text)
    for index in characters.indices where index > 0 {
      var width = 0
      if characters[index] == "±" { width = 1 }
      if characters[index] == "+", index + 1 < characters.count, characters[index + 1] == "-" {
        width = 2
      }
      guard width > 0 else { continue }
      return (
        (String(characters[..<index]), part.column),
        (String(characters[(index + width)...]), part.column + index + width)
      )
    }
    return nil
  }

  private func number(
    _ part: Part, in range: ClosedRange<Double>, _ expected: String
  ) throws(SpecError) -> Double {
    let isPlain = part.text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"),
        UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isPlain, let number = Double(part.text), range.contains(number) else {
      throw error(part, expected: expected)
    }
    return number
  }

  /// A chance, as a part of 1 or in percent.
  private func chance(_ part: Part, _ name: FaultName) throws(SpecError) -> Double {
    let isPercent = part.text.hasSuffix("%")
    let digits = isPercent ? String(part.text.dropLast()) : part.text
    let expected = "a chance above 0% and up to 100%, as in \(name.usage)"
    let value =
      try number((digits, part.column), in: 0...100, expected) / (isPercent ? 100 : 1)
    guard value > 0, value <= 1 else { throw error(part, expected: expected) }
    return value
  }

  /// How often something happens, as the mean time between two.
  private func rate(_ part: Part, _ name: FaultName) throws(SpecError) -> Interval {
    let expected = "how often, from 0.000001/s to 1000/s, as in \(name.usage)"
    var seconds = 1.0
    var digits = part.text
    if digits.hasSuffix("/s") {
      digits.removeLast(2)
    } else if digits.hasSuffix("/min") {
      digits.removeLast(4)
      seconds = 60
    } else {
      throw error(part, expected: expected)
    }
    let value = try number((digits, part.column), in: 1e-6...60_000, expected)
    guard (1e-6...1_000).contains(value / seconds) else { throw error(part, expected: expected) }
    return .nanoseconds(Int64(seconds / value * 1e9))
  }

  /// A length of time: `least` or longer, or zero if that is allowed.
  private func time(
    _ part: Part, _ name: FaultName, isZeroAllowed: Bool = false,
    atLeast least: (Interval, text: String) = (.microseconds(1), "1us")
  ) throws(SpecError) -> Interval {
    guard let length = Interval(withUnit: part.text), length <= .seconds(3_600),
      length >= least.0 || isZeroAllowed && length == .zero
    else {
      let zero = isZeroAllowed ? "0s or " : ""
      throw error(
        part,
        expected: "a length of time with its unit, \(zero)from \(least.text) to 3600s, as in "
          + name.usage)
    }
    return length
  }

  /// The mean time between two strikes.
  private mutating func every(_ name: FaultName) throws(SpecError) -> Interval? {
    // As often as what has a rate.
    try option("every").map { (part) throws(SpecError) in
      try time(part, name, atLeast: (.milliseconds(1), "1ms"))
    }
  }

  private mutating func boot(_ name: FaultName) throws(SpecError) -> Interval {
    try option("boot").map { (part) throws(SpecError) in
      try time(part, name, isZeroAllowed: true)
    } ?? .seconds(1)
  }

  private mutating func clock() throws(SpecError) -> FaultSpec.Effect {
    let part = try value(.clock)
    let both = halves(part)
    let offset = try millionths(both?.0 ?? part)
    let drift = try both.map { (both) throws(SpecError) in try millionths(both.1) } ?? 0
    guard drift >= 0 else {
      throw error(both?.1.column ?? part.column, "expected a drift without a sign")
    }
    guard offset != 0 || drift > 0 else {
      throw error(part.column, "expected a deviation other than 0, as in \(FaultName.clock.usage)")
    }
    return .clock(offset, drift: drift)
  }

  private func millionths(_ part: Part) throws(SpecError) -> Int64 {
    let expected = "a deviation from -20% to +20%, or in ppm, as in \(FaultName.clock.usage)"
    var digits = part.text
    var factor = 10_000.0
    if digits.hasSuffix("%") {
      digits.removeLast()
    } else if digits.hasSuffix("ppm") {
      digits.removeLast(3)
      factor = 1
    } else {
      throw error(part, expected: expected)
    }
    let value = try number((digits, part.column), in: -200_000...200_000, expected) * factor
    guard value.magnitude <= 200_000 else { throw error(part, expected: expected) }
    return Int64(value.rounded())
  }
}
