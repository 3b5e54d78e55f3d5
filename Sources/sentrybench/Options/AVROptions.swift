import AVR
import ArgumentParser
import ChipDevice
import Devices
import Sessions
import Sketches
import Traces

extension EmulatedPart: ExpressibleByArgument {}

/// Options for an emulated board.
struct AVROptions: ParsableArguments {
  /// The error message if they are given for another device.
  static let requirement =
    "--pin, --pins, --servo-range, --rx-pin, --tx-pin, --chip, --clock, --bootloader, --set, "
    + "--analog, --adc-noise, --adc-seed, --attach and --no-skip require --device avr:FILE."

  @Option(
    help: """
      The Arduino pin of the emulated board's servo, 0 to 19 or D0 to A5. Events of other servos \
      name their pins. Default: D9.
      """, transform: PinArgument.servo)
  var pin: PinArgument?

  @Option(
    help: ArgumentHelp(
      """
      Add an event for each change of these pins' levels: a list such as D7,D8 or \
      pca9685@0x40:0, or all for every pin that the sketch drives, except those of servos and of \
      the serial port.
      """, valueName: "pins"), transform: PinsArgument.init)
  var pins: PinsArgument?

  @Option(
    help: ArgumentHelp(
      """
      The pulses of 0 and 180 degrees, for example 1000..2000us, of all servos. Default: the range \
      that the program shows for each servo, or 544..2400us.
      """, valueName: "range"), transform: ServoRangeArgument.init)
  var servoRange: ServoRangeArgument?

  @Option(
    help: ArgumentHelp(
      """
      The pin to which the sender's line is connected, for a sketch that receives by software, as \
      with SoftwareSerial: D2 to D13, A0 to A5. Default: the serial port's.
      """, valueName: "pin"), transform: PinArgument.receiver)
  var rxPin: PinArgument?

  @Option(
    help: ArgumentHelp(
      """
      The pin to which the sender's receiver is connected, for a sketch that sends by software, as \
      with SoftwareSerial: D1 to D13, A0 to A5. Default: the serial port's.
      """, valueName: "pin"), transform: PinArgument.transmitter)
  var txPin: PinArgument?

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
      """, valueName: "frequency"), transform: ClockArgument.init)
  var clock: ClockArgument?

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
      """, valueName: "pin=level"), transform: LevelArgument.init)
  var levels: [LevelArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      A voltage that is applied to a pin of the emulated board before it starts, for example \
      A0=2.5V. Can be given more than once.
      """, valueName: "pin=volts"), transform: VoltageArgument.init)
  var analog: [VoltageArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Noise of the emulated chip's ADC: its root mean square in steps of the ADC, for example 0.5. \
      Default: none.
      """, valueName: "steps"), transform: NoiseArgument.init)
  var adcNoise: NoiseArgument?

  @Option(help: "The seed of --adc-noise. Default: 1.")
  var adcSeed: UInt64?

  @Option(
    help: ArgumentHelp(
      """
      What is wired to the emulated board: pca9685@0x40, a servo driver at that address of the \
      two-wire bus, or hc-sr04@D7:D8, an ultrasonic sensor with its trigger and its echo at these \
      pins. Can be given more than once.
      """, valueName: "part"), transform: PartArgument.init)
  var attach: [PartArgument] = []

  @Flag(
    help: """
      Execute each instruction and each cycle of sleep instead of skipping idle waiting. The trace \
      is the same, but takes longer.
      """)
  var noSkip = false

  func validate() throws {
    if attach.count > ChipWiring.partsMax {
      throw ValidationError("--attach can be given at most \(ChipWiring.partsMax) times.")
    }
    var wiring = ChipWiring()
    for argument in attach where !wiring.attach(argument.part) {
      throw ValidationError(
        "--attach requires a different place for each part, found \(argument.part.name) twice.")
    }
    for input in inputs {
      if let reason = wiring.refusal(of: input) { throw ValidationError("--set: \(reason).") }
    }
    if case .some(let selected)? = pins?.selection,
      let lost = selected.first(where: { $0.arduino == nil && wiring.part(of: $0) == nil })
    {
      throw ValidationError("--pins requires --attach with the driver of \(lost.name).")
    }
    if adcSeed != nil, adcNoise == nil {
      throw ValidationError("--adc-seed requires --adc-noise.")
    }
  }

  var isGiven: Bool {
    pin != nil || pins != nil || servoRange != nil || bootloader != nil || noSkip
      || rxPin != nil || txPin != nil || chip != nil || clock != nil || adcNoise != nil
      || !inputs.isEmpty
      || !attach.isEmpty
  }

  /// What is applied to the pins before the board starts.
  private var inputs: [BoardInput] { levels.map(\.input) + analog.map(\.input) }

  private var wiring: ChipWiring {
    var wiring = ChipWiring()
    wiring.part = chip
    if let clock { wiring.rate = clock.rate }
    wiring.noise = adcNoise.map { ADCNoise(thousandths: $0.thousandths, seed: adcSeed ?? 1) }
    if let pin { wiring.servo = pin.pin }
    if let servoRange { wiring.servoRange = servoRange.range }
    wiring.receivePin = rxPin?.pin
    wiring.transmitPin = txPin?.pin
    for argument in attach { _ = wiring.attach(argument.part) }
    wiring.inputs = inputs
    if let pins { wiring.pins = pins.selection }
    return wiring
  }

  func source(path: String) throws(Failure) -> AVRSource {
    try ChipPrograms(path, on: chip, bootloader: bootloader)
      .read(wiring: wiring, skipsWaiting: !noSkip)
  }
}

/// A pin of the emulated board, such as `D10`.
struct PinArgument {
  var pin: BoardPin

  /// Parses the pin of a servo.
  static func servo(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), pin.arduino != nil else {
      throw ValidationError(
        "--pin requires a number from 0 to 19, or a name such as D10 or A0, found "
          + "\"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }

  /// Parses the pin of a receiver. D0 is the serial port's, and D1 its transmitter's.
  static func receiver(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), let number = pin.arduino, number > 1 else {
      throw ValidationError(
        "--rx-pin requires a pin, D2 to D13 or A0 to A5, found \"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }

  /// Parses the pin of a transmitter. D0 is the serial port's receiver.
  static func transmitter(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), let number = pin.arduino, number > 0 else {
      throw ValidationError(
        "--tx-pin requires a pin, D1 to D13 or A0 to A5, found \"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }
}

/// The pins whose levels are events: a list such as `D7,D8`, or `all`.
struct PinsArgument {
  var selection: PinSelection

  init(_ argument: String) throws {
    if argument == "all" {
      selection = .all
      return
    }
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    let pins = names.compactMap { BoardPin(name: String($0)) }
    guard pins.count == names.count else {
      throw ValidationError(
        "--pins requires all or a list of pins, for example D7,D8,A0, found \"\(argument)\".")
    }
    selection = .some(Set(pins))
  }
}

/// A pin and its level, or a part and its value, such as `D2=1` or `hc-sr04@D7:D8=0.35`.
struct LevelArgument {
  var input: BoardInput

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    if parts.count == 2, let part = BoardPart(String(parts[0])) {
      guard let value = BoardInput.millionths(String(parts[1])) else {
        throw ValidationError(
          "--set requires a number from 0 with at most six places for a part, found "
            + "\"\(parts[1])\".")
      }
      input = .part(part, millionths: value)
      return
    }
    guard parts.count == 2, let pin = BoardPin(name: String(parts[0])), pin.arduino != nil,
      let isHigh = ["0": false, "1": true][parts[1]]
    else {
      throw ValidationError(
        "--set requires a pin of the board and 0 or 1, for example D2=1, found \"\(argument)\".")
    }
    input = .level(pin, isHigh)
  }
}

/// A pin and its voltage, such as `A0=2.5V`.
struct VoltageArgument {
  var input: BoardInput

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let pin = BoardPin(analogName: String(parts[0])),
      parts[1].hasSuffix("V"), let microvolts = BoardInput.microvolts(String(parts[1].dropLast()))
    else {
      throw ValidationError(
        "--analog requires a pin of the board and volts from 0 to 5, for example A0=2.5V, found "
          + "\"\(argument)\".")
    }
    input = .voltage(pin, microvolts: microvolts)
  }
}

/// The noise of the ADC, in steps, such as `0.5`.
struct NoiseArgument {
  /// In thousandths of a step.
  var thousandths: UInt32

  init(_ argument: String) throws {
    guard let steps = Double(argument), (0.001...100).contains(steps) else {
      throw ValidationError(
        "--adc-noise requires steps from 0.001 to 100, for example 0.5, found \"\(argument)\".")
    }
    thousandths = UInt32((steps * 1_000).rounded())
  }
}

/// The frequency of the emulated chip's clock, such as `8MHz`.
struct ClockArgument {
  var rate: ClockRate

  init(_ argument: String) throws {
    guard argument.hasSuffix("MHz"), let rate = Self.rate(argument.dropLast(3)) else {
      throw ValidationError(
        "--clock requires 1MHz to 20MHz, with at most six places, for example 8MHz, found "
          + "\"\(argument)\".")
    }
    self.rate = rate
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
}

/// The pulses of 0 and 180 degrees, such as `1000..2000us`.
struct ServoRangeArgument {
  var range: ServoRange

  init(_ argument: String) throws {
    guard argument.hasSuffix("us"), let range = Self.range(argument.dropLast(2)) else {
      throw ValidationError(
        "--servo-range requires two widths, the shorter first, for example 1000..2000us, found "
          + "\"\(argument)\".")
    }
    self.range = range
  }

  private static func range(_ text: Substring) -> ServoRange? {
    let ends = text.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = UInt16(ends[0]), let last = UInt16(ends[2])
    else { return nil }
    return ServoRange(first, last)
  }
}

/// A part that is wired to the board, such as `pca9685@0x40`.
struct PartArgument {
  var part: BoardPart

  init(_ argument: String) throws {
    var wiring = ChipWiring()
    guard let part = BoardPart(argument), wiring.attach(part) else {
      let kinds = ChipWiring.kinds.map { "\($0.example), \($0.noun)" }.joined(separator: "; ")
      throw ValidationError(
        "--attach requires a part and its place: \(kinds). Found \"\(argument)\".")
    }
    self.part = part
  }
}
