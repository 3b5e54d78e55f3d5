import AVR
import ArgumentParser
import ChipDevice
import Devices
import Sessions
import Sketches
import Traces

/// Options for an emulated board.
struct AVROptions: ParsableArguments {
  /// The error message if they are given for another device.
  static let requirement =
    "--pin, --pins, --servo-range, --rx-pin, --tx-pin, --chip, --clock, --bootloader, --set, "
    + "--analog, --adc-noise, --attach and --no-skip require --device avr:FILE."

  @Option(
    help: """
      The Arduino pin of the servo, 0 to 19 or D0 to A5. Events of other servos name their pins. \
      Default: D9.
      """, completion: UsualValues.pins, transform: ChipArgument.servoPin)
  var pin: BoardPin?

  @Option(
    help: ArgumentHelp(
      """
      Add an event for each change of these pins' levels: a list such as D7,D8 or \
      pca9685@0x40:0, or all for every pin that the sketch drives, except those of servos and of \
      the serial port.
      """, valueName: "pins"), completion: UsualValues.pins, transform: ChipArgument.pins)
  var pins: PinSelection?

  @Option(
    help: ArgumentHelp(
      """
      The pulses of 0 and 180 degrees, for example 1000..2000us, of all servos. Default: the range \
      that the program shows for each servo, or 544..2400us.
      """, valueName: "range"), transform: ChipArgument.servoRange)
  var servoRange: ServoRange?

  @Option(
    help: ArgumentHelp(
      """
      The pin to which the sender's line is connected, for a sketch that receives by software, as \
      with SoftwareSerial: D2 to D13, A0 to A5. Default: the serial port's.
      """, valueName: "pin"), completion: UsualValues.pins, transform: ChipArgument.receiver)
  var rxPin: BoardPin?

  @Option(
    help: ArgumentHelp(
      """
      The pin to which the sender's receiver is connected, for a sketch that sends by software, as \
      with SoftwareSerial: D1 to D13, A0 to A5. Default: the serial port's.
      """, valueName: "pin"), completion: UsualValues.pins, transform: ChipArgument.transmitter)
  var txPin: BoardPin?

  @Option(
    help: """
      The emulated chip. Default: the one that an .elf names, or atmega328p.
      """)
  var chip: EmulatedPart?

  @Option(
    help: ArgumentHelp(
      """
      The frequency of the emulated chip's clock, for which the program was built (F_CPU): 1MHz to \
      20MHz. Default: 16MHz.
      """, valueName: "frequency"), transform: ChipArgument.clock)
  var clock: ClockRate?

  @Option(
    help: ArgumentHelp(
      """
      A bootloader for the emulated board, .hex or .elf, for example optiboot. The board then \
      starts in it at power-on and at each reset.
      """, valueName: "file"), completion: .file())
  var bootloader: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      """
      A level that is applied to a pin of the emulated board before it starts, for example D2=1, \
      or a part's value, for example hc-sr04@D7:D8=0.35. Can be given more than once.
      """, valueName: "pin=level"), transform: ChipArgument.level)
  var levels: [BoardInput] = []

  @Option(
    help: ArgumentHelp(
      """
      A voltage that is applied to a pin of the emulated board before it starts, for example \
      A0=2.5V. Can be given more than once.
      """, valueName: "pin=volts"), transform: ChipArgument.voltage)
  var analog: [BoardInput] = []

  @Option(
    help: ArgumentHelp(
      """
      Noise of the emulated chip's ADC: its root mean square in steps of the ADC, for example 0.5, \
      and the seed of the noise (default: 1), for example 0.5,seed=2. Default: none.
      """, valueName: "steps[,seed=number]"), transform: NoiseSettings.list)
  var adcNoise: [SettingList<NoiseSettings>] = []

  @Option(
    help: ArgumentHelp(
      """
      What is wired to the emulated board: pca9685@0x40, a servo driver at that address of the \
      two-wire bus, or hc-sr04@D7:D8, an ultrasonic sensor with its trigger and its echo at these \
      pins. Can be given more than once.
      """, valueName: "part"), completion: .list(ChipWiring.kinds.map { $0.example }),
    transform: ChipArgument.part)
  var attach: [BoardPart] = []

  @Flag(
    help: """
      Execute each instruction and each cycle of sleep instead of skipping idle waiting. The trace \
      is the same, but takes longer.
      """)
  var noSkip = false

  func validate() throws {
    var wiring = ChipWiring()
    let repeated = attach.first { !wiring.attach($0) }
    let refusal = inputs.compactMap { wiring.refusal(of: $0) }.first
    var lost: BoardPin?
    if case .some(let selected)? = pins {
      lost = selected.first { $0.arduino == nil && wiring.part(of: $0) == nil }
    }
    try UsageRule.check(
      UsageRule(
        brokenIf: attach.count > ChipWiring.partsMax,
        "--attach can be given at most \(ChipWiring.partsMax) times."),
      UsageRule(
        brokenIf: repeated != nil,
        "--attach requires a different place for each part, found \(repeated?.name ?? "") twice."),
      UsageRule(brokenIf: refusal != nil, "--set: \(refusal ?? "")."),
      UsageRule("--pins", lost, requires: "--attach with the driver of \(lost?.name ?? "")"),
      UsageRule(
        brokenIf: !adcNoise.isEmpty && noise.thousandths == nil,
        "--adc-noise requires the noise too, for example 0.5,seed=2."))
  }

  var isGiven: Bool {
    let all: [any Givable] = [
      pin, pins, servoRange, bootloader, noSkip, rxPin, txPin, chip, clock, adcNoise, inputs,
      attach,
    ]
    return all.contains { $0.isGiven }
  }

  /// What is applied to the pins before the board starts.
  private var inputs: [BoardInput] { levels + analog }

  private var noise: NoiseSettings {
    var noise = NoiseSettings()
    adcNoise.apply(to: &noise)
    return noise
  }

  private var wiring: ChipWiring {
    var wiring = ChipWiring()
    wiring.part = chip
    wiring.rate = clock ?? wiring.rate
    wiring.noise = noise.thousandths.map { ADCNoise(thousandths: $0, seed: noise.seed) }
    wiring.servo = pin ?? wiring.servo
    wiring.servoRange = servoRange
    wiring.receivePin = rxPin
    wiring.transmitPin = txPin
    for part in attach { _ = wiring.attach(part) }
    wiring.inputs = inputs
    wiring.pins = pins ?? wiring.pins
    return wiring
  }

  func source(path: String) throws(Failure) -> AVRSource {
    try ChipPrograms(path, on: chip, bootloader: bootloader)
      .read(wiring: wiring, skipsWaiting: !noSkip)
  }
}

/// What `--adc-noise` states.
struct NoiseSettings {
  /// Nil without noise.
  var thousandths: UInt32?
  var seed: UInt64 = 1

  @Sendable static func list(_ text: String) throws -> SettingList<Self> {
    try SettingList(
      text,
      of: [
        Setting("", \.thousandths, "steps from 0.001 to 100, for example 0.5") { text in
          guard let steps = Double(text), (0.001...100).contains(steps) else { return nil }
          return UInt32((steps * 1_000).rounded())
        },
        Setting("seed", \.seed, "a whole number from 0") { UInt64($0) },
      ])
  }
}

/// Parsers for options of an emulated board that are more than a number or a word.
enum ChipArgument {
  /// `D10`
  static func servoPin(_ argument: String) throws -> BoardPin {
    try pin(
      argument, from: 0, "--pin requires a number from 0 to 19, or a name such as D10 or A0")
  }

  /// D0 is the serial port's, and D1 its transmitter's.
  static func receiver(_ argument: String) throws -> BoardPin {
    try pin(argument, from: 2, "--rx-pin requires a pin, D2 to D13 or A0 to A5")
  }

  /// D0 is the serial port's receiver.
  static func transmitter(_ argument: String) throws -> BoardPin {
    try pin(argument, from: 1, "--tx-pin requires a pin, D1 to D13 or A0 to A5")
  }

  private static func pin(
    _ argument: String, from least: Int, _ requirement: String
  ) throws -> BoardPin {
    try parsed(argument, requirement) { name in
      BoardPin(name: name).flatMap { ($0.arduino ?? -1) >= least ? $0 : nil }
    }
  }

  private static func parsed<Value>(
    _ argument: String, _ requirement: String, by parse: (String) -> Value?
  ) throws -> Value {
    guard let value = parse(argument) else {
      throw ValidationError("\(requirement), found \"\(argument)\".")
    }
    return value
  }

  /// A list such as `D7,D8`, or `all`
  static func pins(_ argument: String) throws -> PinSelection {
    if argument == "all" { return .all }
    let requirement = "--pins requires all or a list of pins, for example D7,D8,A0"
    return try parsed(argument, requirement) { text in
      let names = text.split(separator: ",", omittingEmptySubsequences: false)
      let pins = names.compactMap { BoardPin(name: String($0)) }
      return pins.count == names.count ? .some(Set(pins)) : nil
    }
  }

  /// `D2=1` or `hc-sr04@D7:D8=0.35`
  static func level(_ argument: String) throws -> BoardInput {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    if parts.count == 2, let part = BoardPart(String(parts[0])) {
      guard let value = BoardInput.millionths(String(parts[1])) else {
        throw ValidationError(
          "--set requires a number from 0 with at most six places for a part, found "
            + "\"\(parts[1])\".")
      }
      return .part(part, millionths: value)
    }
    guard parts.count == 2, let pin = BoardPin(name: String(parts[0])), pin.arduino != nil,
      let isHigh = ["0": false, "1": true][parts[1]]
    else {
      throw ValidationError(
        "--set requires a pin of the board and 0 or 1, for example D2=1, found \"\(argument)\".")
    }
    return .level(pin, isHigh)
  }

  /// `A0=2.5V`
  static func voltage(_ argument: String) throws -> BoardInput {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let pin = BoardPin(analogName: String(parts[0])),
      parts[1].hasSuffix("V"), let microvolts = BoardInput.microvolts(String(parts[1].dropLast()))
    else {
      throw ValidationError(
        "--analog requires a pin of the board and volts from 0 to 5, for example A0=2.5V, found "
          + "\"\(argument)\".")
    }
    return .voltage(pin, microvolts: microvolts)
  }

  /// `8MHz`
  static func clock(_ argument: String) throws -> ClockRate {
    let requirement = "--clock requires 1MHz to 20MHz, with at most six places, for example 8MHz"
    return try parsed(argument, requirement) { $0.hasSuffix("MHz") ? rate($0.dropLast(3)) : nil }
  }

  /// Parses megahertz.
  private static func rate(_ text: Substring) -> ClockRate? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = UInt32(parts[0]), whole <= 20 else { return nil }
    let places = parts.count > 1 ? parts[1] : "0"
    guard (1...6).contains(places.utf8.count),
      places.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let rest = UInt32(places + String(repeating: "0", count: 6 - places.utf8.count))
    else { return nil }
    return ClockRate(hertz: whole * 1_000_000 + rest)
  }

  /// The pulses of 0 and 180 degrees: `1000..2000us`
  static func servoRange(_ argument: String) throws -> ServoRange {
    let ends = argument.dropLast(2).split(separator: ".", omittingEmptySubsequences: false)
    guard argument.hasSuffix("us"), ends.count == 3, ends[1].isEmpty,
      let first = UInt16(ends[0]), let last = UInt16(ends[2]), let range = ServoRange(first, last)
    else {
      throw ValidationError(
        "--servo-range requires two widths, the shorter first, for example 1000..2000us, found "
          + "\"\(argument)\".")
    }
    return range
  }

  /// `pca9685@0x40`
  static func part(_ argument: String) throws -> BoardPart {
    var wiring = ChipWiring()
    guard let part = BoardPart(argument), wiring.attach(part) else {
      let kinds = ChipWiring.kinds.map { "\($0.example), \($0.noun)" }.joined(separator: "; ")
      throw ValidationError(
        "--attach requires a part and its place: \(kinds). Found \"\(argument)\".")
    }
    return part
  }
}
