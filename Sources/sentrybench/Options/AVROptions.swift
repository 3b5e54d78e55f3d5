import AVR
import ArgumentParser
import ChipDevice
import Devices
import Sessions
import Turret

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
      Add an event for each change of these pins' levels: a list such as D7,D8, or all for every \
      pin that the sketch drives, except those of servos and of the serial port.
      """, valueName: "pins"), transform: PinsArgument.init)
  var pins: PinsArgument?

  @Option(
    help: ArgumentHelp(
      """
      The pulses of 0 and 180 degrees, for example 1000..2000us, for servos whose own range the \
      program does not show. Default: 544..2400us.
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
      A level that is applied to a pin of the emulated board before it starts, for example D2=1. \
      Can be given more than once.
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
      A device on the emulated board's two-wire bus: pca9685@0x40, a servo driver at that address. \
      Can be given more than once.
      """, valueName: "device"), transform: DriverArgument.init)
  var attach: [DriverArgument] = []

  @Flag(
    help: """
      Execute each instruction and each cycle of sleep instead of skipping idle waiting. The trace \
      is the same, but takes longer.
      """)
  var noSkip = false

  func validate() throws {
    if Set(attach.map(\.address)).count < attach.count {
      throw ValidationError("--attach requires a different address for each device.")
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
    wiring.drivers = attach.map(\.address)
    wiring.inputs = inputs
    if let pins { wiring.pins = pins.selection }
    return wiring
  }

  func source(path: String) throws(Failure) -> AVRSource {
    try ChipPrograms(path, on: chip, bootloader: bootloader)
      .read(wiring: wiring, skipsWaiting: !noSkip)
  }
}
