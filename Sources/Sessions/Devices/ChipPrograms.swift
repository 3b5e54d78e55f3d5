package import AVR
package import ChipDevice
import Engine
import Files
import Traces
package import Turret

/// The files of an emulated board's programs.
package struct ChipPrograms {
  private let path: String
  /// The chip; nil for the one that the program names, otherwise an ATmega328P.
  private let part: EmulatedPart?
  private let bootloader: String?

  package init(_ path: String, on part: EmulatedPart? = nil, bootloader: String? = nil) {
    self.path = path
    self.part = part
    self.bootloader = bootloader
  }

  /// Reads the files. The program and the bootloader can be .elf or .hex files. The bootloader must
  /// lie where the chip can start it.
  package func read(
    wiring: ChipWiring = ChipWiring(), skipsWaiting: Bool = true
  ) throws(Failure) -> AVRSource {
    let image = try Self.image(path, for: part)
    let chip = part ?? image.part ?? .atmega328p
    let loader = try bootloader.map { (path) throws(Failure) in
      let read = try Self.image(path, for: chip)
      guard read.segments.allSatisfy({ Int($0.address) >= chip.bootSectionStart }) else {
        throw Failure(
          .malformed,
          "\(path): error: expected a bootloader, which begins at "
            + "0x\(String(chip.bootSectionStart, radix: 16)) or later; this is a sketch")
      }
      return read
    }
    return AVRSource(
      AVRProgram(image, name: path, bootloader: loader, wiring: wiring),
      skipsWaiting: skipsWaiting)
  }

  /// Reads the files, for boards whose sessions record the levels of these pins.
  package func read(watching pins: Set<BoardPin>) throws(Failure) -> AVRSource {
    var wiring = ChipWiring()
    wiring.pins = .some(pins)
    return try read(wiring: wiring)
  }

  /// Reads a program and checks that it can run on the chip `part`, unless that is nil.
  private static func image(
    _ path: String, for part: EmulatedPart?
  ) throws(Failure) -> ProgramImage {
    let contents = try Failure.ofTrace { () throws(TraceError) in
      try InputFile.contents(of: path, wanting: "an .elf or .hex file")
    }
    do throws(ImageError) {
      let image = try ProgramImage(contents: contents, name: path)
      if let part { try image.check(for: part, name: path) }
      return image
    } catch {
      throw Failure(.malformed, error.description)
    }
  }
}
