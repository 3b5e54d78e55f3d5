package import AVR
package import ChipDevice
package import Devices
package import Engine
import Judging
import Platform
package import Sketches
import Traces

/// The device that a command line selects.
package struct DeviceChoice: Sendable {
  package let source: any DeviceSource
  /// The sketch that the device behaves as; nil for that of the trace.
  package let firmware: Firmware?
  /// The device as the user named it.
  package let name: String
  /// The path of the emulated chip's program; nil for another device.
  let programPath: String?
  /// The sketch's commands, if they are stated; they count more than those of a trace.
  package var profile: ProfileChoice?

  package init(
    _ source: any DeviceSource, firmware: Firmware?, name: String, programPath: String? = nil
  ) {
    self.source = source
    self.firmware = firmware
    self.name = name
    self.programPath = programPath
  }

  /// The model of each trace's sketch.
  package static var model: DeviceChoice {
    DeviceChoice(ModelSource(), firmware: nil, name: "model")
  }

  /// Throws for a board. `reason` completes the message: why a board cannot be used.
  package func requireVirtual(_ reason: String) throws(Failure) {
    guard !source.isVirtual else { return }
    throw Failure(
      .unavailable, "error: the device \"\(name)\" cannot be used here: \(reason)")
  }

  /// Names the sketch of a trace after the device's program, unless the command line selects one,
  /// and gives the trace the profile that is stated.
  func nameSketch(of reader: inout TraceReader) {
    if firmware == nil { reader.adoptSketch(of: source) }
    addProfile(to: &reader)
  }

  /// Gives a trace the profile that is stated, with the board's speed and the pins that it names.
  func addProfile(to reader: inout TraceReader) {
    switch profile {
    case .own(let profile): reader.header.adopt(profile, on: source)
    case .bytes: reader.header.removeProfile()
    case .ours, nil: break
    }
  }

  /// Returns the source with which to show a trace: the selected one, or one without outputs of its
  /// own, so that only the trace's are shown, if no model behaves as the trace's sketch.
  func shown(for header: Header) -> any DeviceSource {
    let isUnknown = sketch(of: header) != nil && !source.runsAnyProgram
    return isUnknown ? SilentSource() : source
  }

  /// Returns the name of a trace's sketch if no model behaves as it and the command line selects
  /// none; nil otherwise.
  func sketch(of header: Header) -> String? { firmware == nil ? header.otherFirmware : nil }
}

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
    if SketchAdvice.isSource(path) {
      throw Failure(
        .malformed,
        "\(path): error: expected an .elf or .hex file: \(SketchAdvice.compiling(path))")
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

extension TraceInput {
  /// Returns what shows whether something is wrong with the recording for a device; nil if it is a
  /// pipe that has been read already.
  func facts(on choice: DeviceChoice) throws(TraceError) -> RecordingFacts? {
    guard var reader = try readerAgain() else { return nil }
    choice.nameSketch(of: &reader)
    return try RecordingFacts(&reader, firmware: choice.firmware)
  }
}

/// How one gets a program for the emulated chip, for those who name a sketch's source instead.
package enum SketchAdvice {
  private static func ends(_ path: String, with endings: [String]) -> Bool {
    let path = path.lowercased()
    return endings.contains { path.hasSuffix($0) && path.utf8.count > $0.utf8.count }
  }

  /// Whether it is the source of a sketch, which must be compiled first.
  package static func isSource(_ path: String) -> Bool {
    ends(path, with: [".ino", ".pde", ".cpp", ".c"])
  }

  package static func isProgram(_ path: String) -> Bool { ends(path, with: [".elf", ".hex"]) }

  /// Says how the source at `path` becomes a program, and how that is named.
  package static func compiling(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = file.lowercased().hasSuffix(".ino") ? file : "SKETCH.ino"
    return """
      the source of a sketch must be compiled first: `arduino-cli compile -b arduino:avr:uno \
      --output-dir build` writes build/\(name).elf, which is --device avr:build/\(name).elf here; \
      Export Compiled Binary in the Arduino IDE 2 writes it into the folder build of the sketch, \
      and PlatformIO writes .pio/build/uno/firmware.elf
      """
  }

  /// Says how the program at `path` is named.
  package static func naming(_ path: String) -> String {
    "a program for the emulated chip is given as --device avr:\(path)"
  }
}
