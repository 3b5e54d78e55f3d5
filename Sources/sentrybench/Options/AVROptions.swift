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

  @Flag(
    help: """
      Execute each instruction and each cycle of sleep instead of skipping idle waiting. The trace \
      is the same, but takes longer.
      """)
  var noSkip = false

  func validate() throws {
    if let pin, !(0...19).contains(pin) {
      throw ValidationError("--pin requires a number from 0 to 19.")
    }
    if rxPin != nil, receivePin == nil {
      throw ValidationError("--rx-pin requires a pin, D2 to D13 or A0 to A5.")
    }
  }

  /// The pin of `--rx-pin`; nil if it is not one.
  private var receivePin: Int? {
    rxPin.flatMap { BoardPin(name: $0)?.arduino }.flatMap { $0 < 2 ? nil : $0 }
  }

  var isGiven: Bool { pin != nil || rxPin != nil || bootloader != nil || noSkip }

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
      AVRProgram(image, name: path, bootloader: loader, pin: pin ?? 9, receivePin: receivePin),
      skipsWaiting: !noSkip)
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
