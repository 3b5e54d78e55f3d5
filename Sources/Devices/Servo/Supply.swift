package import Sketches
import Traces

/// What the servos and the board are powered from: a source of a fixed voltage behind a resistance.
///
/// Written `4xAA`, `usb:resistance=0.4` or `bec5V3A:limit=2,apart`.
package struct Supply: Hashable, Sendable {
  /// `usb`, `4xAA`, `9V`, `bec5V3A`.
  package let name: String
  /// As it was written; parsing it gives the same supply.
  package private(set) var text: String
  /// Without load, in volts.
  package private(set) var voltage: Double
  /// Of the source, its wires and contacts, in ohms.
  package private(set) var resistance: Double
  /// The most that it gives, in amperes. If more is demanded, the current stays, and the voltage
  /// falls to what the load makes of it.
  package private(set) var limit: Double
  /// How long it gives `limit` before it switches off; nil if it does not.
  package let tripTime: Interval?
  /// A linear regulator after the resistance: the highest voltage that it lets through, and what it
  /// takes off a lower one.
  package let regulator: Regulator?
  /// Whether only the servos are connected to it. The board then has a supply of its own, which
  /// nothing that the servos do can disturb.
  package private(set) var isApart = false
  package let summary: String
  /// Where the figures come from, and which of them are assumed.
  package let source: String

  private init(
    name: String, voltage: Double, resistance: Double, limit: Double, tripTime: Interval? = nil,
    regulator: Regulator? = nil, summary: String, source: String
  ) {
    (self.name, text) = (name, name)
    (self.voltage, self.resistance, self.limit) = (voltage, resistance, limit)
    (self.tripTime, self.regulator) = (tripTime, regulator)
    (self.summary, self.source) = (summary, source)
  }

  package struct Regulator: Hashable, Sendable {
    package var volts: Double
    package var dropout: Double
  }

  /// All presets. Those with a regulator are the board's own, and cannot be wired apart.
  package static let presets = [
    Supply(
      name: "usb", voltage: 5, resistance: 0.6, limit: 2, tripTime: .milliseconds(10),
      summary: "a computer's USB port",
      source:
        "USB 2.0, 7.2.2: 5 V, at least 500 mA. The Uno's fuse MF-MSMF050 has 0.15 to 1 ohm, and "
        + "is too slow to matter: it trips at 1 A within seconds. Assumed: 0.6 ohm in all; a port "
        + "that limits at 2 A and switches off after 10 ms"),
    Supply(
      name: "4xAA", voltage: 5.4, resistance: 1.5, limit: 8,
      summary: "four alkaline cells, half used",
      source:
        "Energizer, Battery Internal Resistance (2005): 0.21 ohm for a cell, as an example, at "
        + "0.5 A; more when used. Assumed: 1.35 V and 0.35 ohm a cell, 0.1 ohm for the holder"),
    Supply(
      name: "9V", voltage: 9, resistance: 1.7, limit: 1.5,
      regulator: Regulator(volts: 5, dropout: 1.9),
      summary: "a 9 V block at the board's jack, through its regulator",
      source:
        "a 9 V alkaline block has 1 to 2 ohm (epcb.com); NCP1117 data sheet: 1 A or more, dropout "
        + "1.2 V. Assumed: 1.7 ohm; 0.7 V for the diode at the jack; a limit of 1.5 A; the "
        + "regulator never gets too hot"),
    Supply(
      name: "bec5V3A", voltage: 5, resistance: 0.1, limit: 3,
      summary: "a switching regulator of 5 V and 3 A",
      source: "assumed: 0.1 ohm with its wires; it limits the current and does not switch off"),
  ]

  package static let usage =
    "usb, 4xAA, 9V or bec5V3A[:resistance=0.4][,limit=3][,voltage=5][,apart]"

  /// What the board itself draws, in amperes: an Uno's controller, adapter and lamps.
  package static let boardAmperes = 0.05

  /// Its figures.
  var figures: PowerSource {
    PowerSource(
      voltage: voltage - (regulator?.dropout ?? 0), highest: regulator?.volts ?? voltage,
      resistance: resistance, limit: limit, tripTime: tripTime, isApart: isApart)
  }
}

/// A supply's figures alone, which are read in each step.
struct PowerSource: Hashable, Sendable {
  var voltage: Double
  /// The highest voltage of the rail: less than `voltage` if a regulator takes the rest.
  var highest: Double
  var resistance: Double
  var limit: Double
  var tripTime: Interval?
  var isApart: Bool

  struct Rail: Hashable, Sendable {
    var volts: Double
    var amperes: Double
    var isLimited: Bool
  }

  /// The rail if the load draws `base` amperes and `slope * volts - offset` more.
  func rail(base: Double, slope: Double, offset: Double) -> Rail {
    // volts = voltage - resistance * (base + slope * volts - offset)
    let volts = min(
      (voltage - resistance * (base - offset)) / (1 + resistance * slope), highest)
    let amperes = base + slope * volts - offset
    if amperes > limit {
      let left = slope > 0 ? (limit - base + offset) / slope : 0
      return Rail(volts: max(left, 0), amperes: limit, isLimited: true)
    }
    guard volts < 0 else { return Rail(volts: volts, amperes: amperes, isLimited: false) }
    // Motors that turn against their drive are a short circuit, and more.
    return Rail(volts: 0, amperes: voltage / resistance, isLimited: false)
  }
}

extension Supply {
  package static func parse(_ text: String) throws(SpecError) -> Supply {
    let spec = SpecText(text)
    let name = spec.name
    guard var supply = presets.first(where: { $0.name == name }) else {
      throw SpecError(
        column: 1, message: "expected a supply (\(usage)), found \(PlainText.quoted(name))")
    }
    var stated: [String] = []
    for (part, column) in spec.parts {
      let equals = part.firstIndex(of: "=")
      let key = equals.map { String(part[..<$0]) } ?? part
      guard !stated.contains(key) else {
        throw SpecError(column: column, message: "\(PlainText.quoted(key)) is stated twice")
      }
      stated.append(key)
      if key == "apart", equals == nil {
        guard supply.regulator == nil else {
          throw SpecError(
            column: column,
            message: "\(name) is at the board's jack, and is too high for servos: they can only be "
              + "at the board's 5 V pin")
        }
        supply.isApart = true
        continue
      }
      guard let equals else {
        throw SpecError(
          column: column,
          message: "expected \(options), found \(PlainText.quoted(part))")
      }
      let value = String(part[part.index(after: equals)...])
      let valueColumn = column + key.count + 1
      switch key {
      case "resistance":
        supply.resistance = try number(value, "resistance", in: 0...100, "ohms", valueColumn)
      case "limit": supply.limit = try number(value, "limit", in: 0.1...100, "amperes", valueColumn)
      case "voltage":
        let range = supply.regulator == nil ? 3.0...7.2 : 6.0...20.0
        supply.voltage = try number(value, "voltage", in: range, "volts", valueColumn)
      default:
        throw SpecError(
          column: column,
          message: "expected \(options), found \(PlainText.quoted(part))")
      }
    }
    supply.text = text
    return supply
  }

  private static let options = "resistance=, limit=, voltage= or apart"

  private static func number(
    _ text: String, _ key: String, in range: ClosedRange<Double>, _ unit: String, _ column: Int
  ) throws(SpecError) -> Double {
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
    }
    guard isPlain, let number = Double(text), range.contains(number) else {
      throw SpecError(
        column: column,
        message: "expected a number of \(unit) from \(String(shortest: range.lowerBound)) to "
          + "\(String(shortest: range.upperBound)), as in "
          + "\(key)=\(String(shortest: example(key))), found "
          + PlainText.quoted(text))
    }
    return number
  }

  private static func example(_ key: String) -> Double {
    key == "resistance" ? 0.4 : key == "limit" ? 3 : 5
  }
}
