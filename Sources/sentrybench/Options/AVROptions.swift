import AVR
import ArgumentParser
import Devices
import Files
import Sessions
import Traces
import Turret

/// Options for an emulated board.
struct AVROptions: ParsableArguments {
  @Option(help: "The Arduino pin of the emulated board's servo, 0 to 19. Default: 9.")
  var pin: Int?

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
    if Set(attach.map(\.address)).count < attach.count {
      throw ValidationError("--attach requires a different address for each device.")
    }
    if let pin, !(0...19).contains(pin) {
      throw ValidationError("--pin requires a number from 0 to 19.")
    }
  }

  var isGiven: Bool {
    pin != nil || bootloader != nil || noSkip || !inputs.isEmpty || !attach.isEmpty
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
        image, name: path, bootloader: loader, pin: pin ?? 9, drivers: attach.map(\.address)),
      inputs: inputs, skipsWaiting: !noSkip)
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
