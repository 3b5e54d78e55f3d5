import Foundation
import Sketches
import TestSupport
import Testing
import Traces

@testable import Captures

@Suite struct LogicFuzzTests {
  /// A mutation of each kind for each of them.
  private static let seeds = Seeds.first(150)

  @Test(arguments: LogicWave.Format.allCases)
  func `A mutated recording is read or refused with a place or a reason`(
    format: LogicWave.Format
  ) throws {
    var wave = LogicWave(ms: 12)
    wave.send("X90.", at: 3_000_000)
    wave.send("ok", on: 1, at: 4_000_000)
    wave.pulse(1_472_000, at: 1_000_000)
    let originals = try wave.files(format).map { try $0.bytes(at: 0, count: 1 << 20) }
    for seed in Self.seeds {
      var generator = SeededGenerator(seed: seed)
      let files = originals.enumerated().map { index, bytes in
        CaptureFile(name: "digital_\(index).bin", bytes: Self.mutate(bytes, &generator))
      }
      var options = format.options
      options.isListing = Bool.random(using: &generator)
      do throws(CaptureError) {
        let capture = try Capture(files, options)
        var last: Int64 = 0
        try capture.read { (event) throws(CaptureError) in
          #expect(event.time.nanoseconds >= last, "seed \(seed)")
          last = event.time.nanoseconds
        }
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
  }

  private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      guard !bytes.isEmpty else { break }
      // In most formats, the important bytes are at the beginning or the end.
      let near = min(bytes.count, 200)
      let index =
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: Int.random(in: 0..<near, using: &generator)
        case 1: bytes.count - 1 - Int.random(in: 0..<near, using: &generator)
        default: Int.random(in: 0..<bytes.count, using: &generator)
        }
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
      case 4: bytes.removeLast(bytes.count - index)
      case 5:
        bytes[index] = [0x00, 0xFF, 0x20, 0x0A, 0x2C, 0x39, 0x2D].randomElement(using: &generator)!
      default:
        let end = min(bytes.count, index + Int.random(in: 1...64, using: &generator))
        bytes.insert(contentsOf: bytes[index..<end], at: index)
      }
    }
    return bytes
  }
}
