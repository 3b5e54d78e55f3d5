import Sketches
import Traces

/// Writes a value change dump (IEEE 1364). Notes are numbers, and texts in the form that GTKWave
/// shows: variables of type `string`, whose values begin with `s`. Sigrok reads the wires and skips
/// the texts.
package struct VCDWriter: WaveSink {
  package var bytes: [UInt8] = []
  private var levels: WireLevels?
  private var tick: Int64 = 0
  private let notes: [WaveNote]
  private let pins: WavePins

  /// How many of the file's units of time a sample takes.
  private let scale: Int64

  /// 100 ps, the unit of a rate whose period is not 1, 10 or 100 of a unit, such as the 62.5 ns of
  /// a chip's clock at 16 MHz.
  private static let fineUnits: Int64 = 10_000_000_000

  /// Returns the rate whose period VCD can express, for a requested one: a decimal rate if it has
  /// all samples of the requested one, otherwise the requested one if its period is a whole number
  /// of fine units.
  package static func rate(for requested: SampleRate) -> SampleRate {
    let decimal = requested.decimal
    let isCovered = decimal.hertz.isMultiple(of: requested.hertz)
    return isCovered || !fineUnits.isMultiple(of: requested.hertz) ? decimal : requested
  }

  /// Declares `notes`; `comment` is for human readers.
  package init(rate: SampleRate, notes: [WaveNote], comment: String, pins: WavePins = WavePins()) {
    self.notes = notes
    self.pins = pins
    let isDecimal = rate.decimal == rate
    scale = isDecimal ? 1 : Self.fineUnits / rate.hertz
    bytes.append("$version SentryBench $end\n")
    bytes.append("$comment \(Self.harmless(comment)) $end\n")
    bytes.append(
      "$timescale \(isDecimal ? Self.period(of: rate) : "100 ps") $end\n$scope module turret $end\n"
    )
    for wire in BoardWire.allCases {
      bytes.append("$var wire 1 \(Self.identifier(wire)) \(wire.channelName) $end\n")
    }
    for note in notes {
      bytes.append("$var \(Self.type(note)) \(Self.identifier(note)) \(note.name) $end\n")
    }
    for (index, pin) in pins.pins.enumerated() {
      let name = Self.name(pin)
      bytes.append("$var wire 1 \(Self.levelMark)\(Self.letter(index)) \(name) $end\n")
      guard pins.servos.contains(pin) else { continue }
      bytes.append("$var real 64 \(Self.angleMark)\(Self.letter(index)) angle_\(name) $end\n")
    }
    bytes.append("$upscope $end\n$enddefinitions $end\n")
  }

  /// Returns a text without dollar signs, which could begin a keyword.
  private static func harmless(_ text: String) -> String {
    String(String.UnicodeScalarView(PlainText.of(text).unicodeScalars.filter { $0 != "$" }))
  }

  /// Returns the period of a decimal rate: 1, 10 or 100 of a unit.
  private static func period(of rate: SampleRate) -> String {
    var nanoseconds = 1_000_000_000 / rate.hertz
    for unit in ["ns", "us", "ms"] {
      if nanoseconds < 1_000 { return "\(nanoseconds) \(unit)" }
      nanoseconds /= 1_000
    }
    return "\(nanoseconds) s"
  }

  /// No identifier begins like a value, because programs that skip a text read what follows it.
  private static func identifier(_ wire: BoardWire) -> Character {
    switch wire {
    case .rx: "!"
    case .tx: "\""
    case .servo: "#"
    case .tone: "%"
    }
  }

  private static func identifier(_ note: WaveNote) -> Character {
    Character(Unicode.Scalar(UInt8(ascii: "&") + UInt8(note.rawValue)))
  }

  /// What the identifiers of pins begin with; a letter follows.
  private static let levelMark: Character = "."
  private static let angleMark: Character = "/"

  private static func letter(_ index: Int) -> Character {
    Character(Unicode.Scalar(UInt8(ascii: "A") + UInt8(truncatingIfNeeded: index % 26)))
  }

  /// Returns a pin's name without characters that have a meaning in other programs:
  /// `pca9685_0x40_3`.
  private static func name(_ pin: BoardPin) -> String {
    let scalars = pin.name.unicodeScalars.map { $0 == "@" || $0 == ":" ? "_" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func type(_ note: WaveNote) -> String {
    switch note {
    case .rxByte, .txByte, .fate, .state: "string 1"
    // Sigrok 0.5 stops at a vector of more than one bit.
    case .angle, .tone, .waiting: "real 64"
    }
  }

  package mutating func change(
    _ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64
  ) {
    if self.levels == nil {
      begin(tick == 0 ? notes : [])
      if tick == 0 { return }
    }
    bytes.append(UInt8(ascii: "#"))
    bytes.append(tick * scale)
    bytes.append(UInt8(ascii: "\n"))
    for wire in BoardWire.allCases where levels[wire] != self.levels?[wire] {
      append(wire, levels[wire])
    }
    for (note, value) in notes { append(note, value) }
    self.levels = levels
    self.tick = tick
  }

  package mutating func change(_ pins: [WavePinChange]) {
    for change in pins {
      switch change {
      case .level(let index, let isHigh):
        bytes.append("\(isHigh ? 1 : 0)\(Self.levelMark)\(Self.letter(index))\n")
      case .angle(let index, let degrees):
        bytes.append(UInt8(ascii: "r"))
        bytes.appendShortest(degrees)
        bytes.append(" \(Self.angleMark)\(Self.letter(index))\n")
      }
    }
  }

  package mutating func pass(to tick: Int64) {}

  package mutating func finish(at tick: Int64) {
    if levels == nil { begin([]) }
    guard tick > self.tick else { return }
    bytes.append("#\(tick * scale)\n")
  }

  private mutating func begin(_ notes: [(WaveNote, WaveValue)]) {
    levels = .atRest
    bytes.append("#0\n$dumpvars\n")
    for wire in BoardWire.allCases { append(wire, WireLevels.atRest[wire]) }
    change(pins.pins.indices.map { .level($0, isHigh: false) })
    for note in self.notes {
      if let value = notes.first(where: { $0.0 == note })?.1 ?? note.initial { append(note, value) }
    }
    bytes.append("$end\n")
  }

  private mutating func append(_ wire: BoardWire, _ isHigh: Bool) {
    bytes.append(UInt8(ascii: isHigh ? "1" : "0"))
    bytes.append(Self.identifier(wire).asciiValue ?? 0)
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ note: WaveNote, _ value: WaveValue) {
    guard notes.contains(note) else { return }
    switch value {
    case .text(let text):
      bytes.append(UInt8(ascii: "s"))
      appendEscaped(text)
    case .number(let number):
      bytes.append(UInt8(ascii: "r"))
      bytes.appendShortest(number)
    }
    bytes.append(UInt8(ascii: " "))
    bytes.append(Self.identifier(note).asciiValue ?? 0)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends a text with C escapes, which GTKWave reads: a value cannot contain spaces.
  private mutating func appendEscaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): bytes.append("\\\\")
      case 0x21...0x7E: bytes.append(byte)
      default: bytes.append("\\x" + String(byte, radix: 16, digits: 2, uppercase: true))
      }
    }
  }
}
