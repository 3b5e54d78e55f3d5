import AVR
import ArgumentParser
import Devices
import Files
import Sessions
import Traces
import Turret

/// Options for an emulated board.
struct AVROptions: ParsableArguments {
  /// Why they cannot be given for another device.
  static let requirement =
    "--pin, --pins, --servo-range, --rx-pin, --bootloader, --set, --analog, --attach and --no-skip "
    + "require --device avr:FILE."

  @Option(
    help: """
      The Arduino pin of the emulated board's servo, 0 to 19 or D0 to A5. Events of other servos \
      name theirs. Default: D9.
      """)
  var pin: String?

  @Option(
    help: ArgumentHelp(
      """
      Adds an event for each change of these pins' levels: a list such as D7,D8, or all for every \
      pin that the sketch drives, except those of servos and of the serial port.
      """, valueName: "pins"))
  var pins: String?

  @Option(
    help: ArgumentHelp(
      """
      The pulses of 0 and 180 degrees, for example 1000..2000us, for servos whose own range the \
      program does not show. Default: 544..2400us.
      """, valueName: "range"))
  var servoRange: String?

  @Option(
    help: ArgumentHelp(
      """
      The pin to which the sender's line leads, for a sketch that receives by software, as with \
      SoftwareSerial: D2 to D13, A0 to A5. Default: the serial port's.
      """, valueName: "pin"))
  var rxPin: String?

  @Option(
    help: ArgumentHelp(
      """
      A bootloader for the emulated board, .hex or .elf, for example optiboot. The board then \
      starts in it at power-on and at each reset.
      """, valueName: "file"))
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
    if let pin, BoardPin(name: pin)?.arduino == nil {
      throw ValidationError("--pin requires a number from 0 to 19, or a name such as D10 or A0.")
    }
    if pins != nil, selection == nil {
      throw ValidationError("--pins requires all or a list of pins, for example D7,D8,A0.")
    }
    if servoRange != nil, range == nil {
      throw ValidationError(
        "--servo-range requires two widths, the shorter first, for example 1000..2000us.")
    }
    if Set(attach.map(\.address)).count < attach.count {
      throw ValidationError("--attach requires a different address for each device.")
    }
    if rxPin != nil, receivePin == nil {
      throw ValidationError("--rx-pin requires a pin, D2 to D13 or A0 to A5.")
    }
  }

  /// The pin of `--rx-pin`; nil if it is not one.
  private var receivePin: Int? {
    rxPin.flatMap { BoardPin(name: $0)?.arduino }.flatMap { $0 < 2 ? nil : $0 }
  }

  var isGiven: Bool {
    pin != nil || pins != nil || servoRange != nil || bootloader != nil || noSkip
      || rxPin != nil || !inputs.isEmpty || !attach.isEmpty
  }

  /// The pins to be watched; nil if that cannot be read.
  private var selection: PinSelection? {
    guard let pins else { return .some([]) }
    if pins == "all" { return .all }
    let names = pins.split(separator: ",", omittingEmptySubsequences: false)
    let found = names.compactMap { BoardPin(name: String($0)) }.filter { $0.arduino != nil }
    return found.count == names.count ? .some(Set(found)) : nil
  }

  /// The range of servos whose own is not known; nil if that cannot be read.
  private var range: ServoRange? {
    guard let servoRange else { return .standard }
    guard servoRange.hasSuffix("us") else { return nil }
    let ends = servoRange.dropLast(2).split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = UInt16(ends[0]), let last = UInt16(ends[2])
    else { return nil }
    return ServoRange(first, last)
  }

  /// What is applied to the pins before the board starts.
  private var inputs: [BoardInput] { levels.map(\.input) + analog.map(\.input) }

  func source(path: String) throws(Failure) -> AVRSource {
    let image = try Self.read(path)
    let loader: ProgramImage?
    if let bootloader {
      let read = try Self.read(bootloader)
      guard read.segments.allSatisfy({ Int($0.address) >= ATmega328P.bootSectionStart }) else {
        throw Failure(
          .malformed,
          "\(bootloader): error: expected a bootloader, which begins at 0x7000 or later; this is "
            + "a sketch"
        )
      }
      loader = read
    } else {
      loader = nil
    }
    return AVRSource(
      AVRProgram(
        image, name: path, bootloader: loader,
        pin: pin.flatMap { BoardPin(name: $0)?.arduino } ?? 9, receivePin: receivePin,
        range: range ?? .standard, drivers: attach.map(\.address)),
      inputs: inputs, skipsWaiting: !noSkip, pins: selection ?? .some([]))
  }

  private static func read(_ path: String) throws(Failure) -> ProgramImage {
    let contents: [UInt8]
    do throws(TraceError) {
      contents = try InputFile.contents(of: path, wanting: "an .elf or .hex file")
    } catch {
      throw Failure(error)
    }
    do throws(ImageError) {
      return try ProgramImage(contents: contents, name: path)
    } catch {
      throw Failure(.malformed, error.description)
    }
  }
}
