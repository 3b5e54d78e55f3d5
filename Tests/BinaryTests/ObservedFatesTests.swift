import ChipDevice
import Devices
import Files
import Foundation
import Testing
import Traces
import Turret
import Verification

/// Compares the fates that the chip shows, without knowing the sketch, with those of the sketch's
/// model.
@Suite struct ObservedFatesTests {
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
}
