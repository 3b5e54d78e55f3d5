import Devices
import Sketches
import Testing
import Traces

/// Traces of a sketch that no model behaves as.
struct OtherFirmwareTests {
  private static func header(_ firmware: String) throws -> Header {
    let text = #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware)"}"# + "\n"
    return try TraceReader(text: Array(text.utf8), path: "a.jsonl").header
  }

  @Test func `A header keeps the name of any sketch`() throws {
    let header = try Self.header("pan-tilt 3")
    #expect(header.firmware == nil)
    #expect(header.otherFirmware == "pan-tilt 3")
    var line: [UInt8] = []
    line.appendLine(header)
    #expect(String(decoding: line, as: UTF8.self).contains(#""firmware": "pan-tilt 3""#))
    #expect(try Self.header("classic").otherFirmware == nil)
  }

  @Test func `A replay on its own program keeps its name`() throws {
    let header = try Self.header("mine")
    let chip = DeviceCapabilities.virtual(observing: [.servo], reportsFates: false)
    #expect(header.replayed(unless: nil, on: chip, source: "avr").otherFirmware == "mine")
    #expect(header.replayed(unless: .classic, on: chip, source: "avr").firmware == .classic)
  }

  @Test func `A model replays it only as the sketch that is requested`() throws {
    let header = try Self.header("mine")
    let error = #expect(throws: TraceError.self) {
      try ModelSource().firmware(of: header, in: "a.jsonl", unless: nil)
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains(#"no model behaves as the sketch "mine"; --device"#) == true)
    #expect(try ModelSource().firmware(of: header, in: "", unless: .buzzer) == .buzzer)
    let known = try Self.header("classic")
    #expect(try ModelSource().firmware(of: known, in: "", unless: nil) == .classic)
  }

  @Test(arguments: [
    ("lines.elf", "lines"), ("build/lines.hex", "lines"), ("/a.b/lines.ino.elf", "lines"),
    ("turret.ino.with_bootloader.hex", "turret"), ("v1.2.hex", "v1.2"), (".elf", "program"),
    ("lines", "lines"),
  ])
  func `A program's sketch has the name of its file`(path: String, name: String) {
    #expect(ProgramSketch.name(ofFile: path) == name)
  }

  @Test func `A program names the sketch of a trace that has no other name`() throws {
    var header = try Self.header("guarded")
    header.set(ProgramSketch.other("lines"))
    #expect(header.otherFirmware == "lines")
    #expect(header.firmware == nil)
    header.set(ProgramSketch.other("another"))
    #expect(header.sketchName == "lines")
    header.set(ProgramSketch.ours(.classic))
    #expect(header.firmware == .classic)
    #expect(header.sketchName == "classic")
  }
}
