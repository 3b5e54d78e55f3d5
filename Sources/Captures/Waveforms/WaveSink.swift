package import Sketches

/// Writes a waveform as a file of one format.
///
/// Samples count from 0 and never decrease. Before the first change, each wire is at rest.
package protocol WaveSink {
  /// The file's bytes that the caller has not taken yet.
  var bytes: [UInt8] { get set }

  /// Takes what changes at a sample: the levels of all wires from there on, and notes.
  mutating func change(
    _ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64
  ) throws(CaptureError)
  /// Takes what else changes at the sample of the last call of `change(_:_:at:)`. A format that has
  /// only the board's wires ignores it.
  mutating func change(_ pins: [WavePinChange])
  /// Takes note that no change follows before a sample.
  mutating func pass(to tick: Int64) throws(CaptureError)
  /// Ends the file. `tick` is the number of samples.
  mutating func finish(at tick: Int64) throws(CaptureError)
}

extension WaveSink {
  package mutating func change(_ pins: [WavePinChange]) {}
}

/// What a waveform shows as text or as a number, next to its wires.
package enum WaveNote: Int, Hashable, Sendable, CaseIterable {
  /// The byte that is passing on the line to the board, or on the line from it.
  case rxByte, txByte
  /// What became of a byte, from the instant at which that was decided.
  case fate
  /// What the sketch is doing.
  case state
  /// The commanded angle, in degrees.
  case angle
  /// The tone's frequency, in hertz; 0 for silence.
  case tone
  /// The number of bytes that wait in the ring.
  case waiting

  package var name: String {
    switch self {
    case .rxByte: "rx_byte"
    case .txByte: "tx_byte"
    case .fate: "fate"
    case .state: "state"
    case .angle: "angle"
    case .tone: "tone_hz"
    case .waiting: "waiting"
    }
  }

  /// Its value before the first change; nil for an angle, which is not known before it is
  /// commanded.
  var initial: WaveValue? {
    switch self {
    case .rxByte, .txByte, .fate, .state: .text("")
    case .tone, .waiting: .number(0)
    case .angle: nil
    }
  }
}

/// The value of a note.
package enum WaveValue: Hashable, Sendable {
  /// Empty while there is nothing to show.
  case text(String)
  case number(Double)
}

/// The pins that a waveform shows in addition to the board's wires: those of other servos and those
/// whose levels were requested.
package struct WavePins: Hashable, Sendable {
  /// The most pins: a VCD file has one letter for each in its identifiers.
  private static let countMax = 26

  /// The pins that are drawn, in order.
  package let pins: [BoardPin]
  /// The pins of servos, which have an angle.
  package let servos: Set<BoardPin>
  /// How many pins are not drawn because there are too many.
  package let undrawnCount: Int

  package init(levels: Set<BoardPin> = [], servos: Set<BoardPin> = []) {
    let all = levels.union(servos).sorted()
    pins = Array(all.prefix(Self.countMax))
    self.servos = servos
    undrawnCount = all.count - pins.count
  }
}

/// What changes on a pin that a waveform shows.
package enum WavePinChange: Hashable, Sendable {
  /// The level. The index is that of the pin in `WavePins`.
  case level(Int, isHigh: Bool)
  /// The commanded angle, in degrees.
  case angle(Int, Double)
}

package struct WireLevels: Hashable, Sendable {
  /// A bit for each wire, at its raw value.
  package private(set) var bits: UInt8

  package static let atRest: WireLevels = {
    var levels = WireLevels(bits: 0)
    for wire in BoardWire.allCases { levels[wire] = wire.isHighAtRest }
    return levels
  }()

  package subscript(wire: BoardWire) -> Bool {
    get { bits & 1 << UInt8(wire.rawValue) != 0 }
    set {
      let bit: UInt8 = 1 << UInt8(wire.rawValue)
      bits = newValue ? bits | bit : bits & ~bit
    }
  }
}

extension BoardWire {
  package var channelName: String {
    switch self {
    case .rx: "RX"
    case .tx: "TX"
    case .servo: "SERVO"
    case .tone: "TONE"
    }
  }
}

/// A format of waveforms. Its raw value is what `--to` accepts.
package enum WaveformFormat: String, Hashable, Sendable, CaseIterable {
  /// IEEE 1364 value change dump: the wires, and notes as text and numbers.
  case vcd
  /// A sigrok session: the wires.
  case sr
  /// The CSV of sigrok, a row for each sample.
  case csv
  /// The digital CSV of Saleae's Logic 2, a row for each change.
  case saleae
}
