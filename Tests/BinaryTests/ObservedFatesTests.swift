import AVR
import ChipDevice
import Devices
import Foundation
import Judging
import Platform
import Sketches
import Testing
import Traces

/// Compares the fates that the chip shows, without knowing the sketch, with those of the sketch's
/// model.
@Suite struct ObservedFatesTests {
  /// Whether the traces of 72 minutes are compared too, in which the sketch's clock wraps. That
  /// takes longer than all others together, so they are only with `SENTRY_STREAMS`, as in
  /// `make check`.
  private static let includesLong =
    ProcessInfo.processInfo.environment["SENTRY_STREAMS"] != nil

  private static func traces(of sketch: PrebuiltSketch) throws -> [String] {
    let folder = PrebuiltSketch.root.appending(path: "traces/\(sketch.rawValue)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path())
      .filter { $0.hasSuffix(".jsonl") }.sorted().map { folder.appending(path: $0).path() }
  }

  /// What the chip can show of a model's fate.
  private static func shown(_ fate: Fate) -> Fate {
    switch fate {
    case .letter, .digit, .terminator, .swallowed, .skipped, .junk, .purged, .abandoned: .taken
    default: fate
    }
  }

  @Test(arguments: PrebuiltSketch.allCases)
  func `A byte is taken or lost on the chip as on the model`(_ sketch: PrebuiltSketch) throws {
    let source = try sketch.source()
    let paths = try Self.traces(of: sketch)
    #expect(paths.count > 10)
    for path in paths {
      var reader = try TraceReader(path: path)
      guard Self.includesLong || (reader.header.duration ?? .zero) < .seconds(60) else { continue }
      let device = source.makeDevice(
        for: reader.header, firmware: sketch.firmware, showsPulses: false)
      let seen = try ObservedSession(&reader, on: device)
      reader = try TraceReader(path: path)
      let model = ModelSource().makeDevice(
        for: reader.header, firmware: sketch.firmware, showsPulses: false)
      let entries = try Ledger(&reader, model).entries
      #expect(seen.bytes.map(\.entry.byte) == entries.map(\.byte), "\(path)")
      for (byte, entry) in zip(seen.bytes, entries) where byte.entry.fate != Self.shown(entry.fate)
      {
        Issue.record(
          "\(path): \(byte.entry.byte) at \(entry.arrived): \(byte.entry.fate), \(entry.fate)")
      }
    }
  }

  /// The traces' inputs and what is said of the bytes that did not reach the sketch.
  private static let unheard: [(events: String, fates: [Fate], words: String?)] = [
    // The first byte is on the line when the sketch opens its port. The others follow it.
    (
      #"[0.000020, "rx", "LX45."]"#, [.booting, .taken, .taken, .taken, .taken],
      "  0.001062 s  `L` was lost: the sketch had not opened its port yet"
    ),
    (#"[0.002, "rx", "X4"]"#, [.taken, .taken], nil),
    (
      #"[0.5, "reset", 0.01]"# + "\n" + #"[0.5005, "rx", "L"]"# + "\n" + #"[0.6, "rx", "L"]"#,
      [.booting, .taken], "  0.501542 s  `L` was lost: the bootloader owned the line"
    ),
  ]

  @Test(arguments: unheard)
  func `A byte that the UART did not receive shifts no other, and the reason is said`(
    events: String, fates: [Fate], words: String?
  ) throws {
    let text =
      #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 1}"# + "\n"
      + events + "\n"
    var reader = try TraceReader(text: Array(text.utf8), path: "a.jsonl")
    let device = try PrebuiltSketch.guarded.source().makeDevice(
      for: reader.header, firmware: .guarded, showsPulses: false)
    let session = try ObservedSession(&reader, on: device)
    #expect(session.bytes.map(\.entry.fate) == fates)
    #expect(ObservedExplanation(session, sketch: nil).lossLines.last == words)
  }

  /// The file of a program, the program, and the sketch that it counts as.
  private static let named: [(file: String, program: PrebuiltSketch, sketch: ProgramSketch)] = [
    ("firmware/guarded/guarded.hex", .guarded, .ours(.guarded)),
    ("classic.ino.hex", .classic, .ours(.classic)), ("build/my.hex", .guarded, .other("my")),
    // The name alone does not make it ours.
    ("build/guarded.elf", .classic, .other("guarded.elf")),
    ("buzzer.hex", .classic, .other("buzzer.hex")),
  ]

  @Test(arguments: named)
  func `A program is one of ours if it has the name and behaves so`(
    file: String, program: PrebuiltSketch, sketch: ProgramSketch
  ) throws {
    let image = try ProgramImage(contents: program.contents(), name: file)
    #expect(AVRSource(AVRProgram(image, name: file)).programSketch == sketch)
  }
}
