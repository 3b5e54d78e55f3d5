import Captures
import Foundation
import Sketches
import TestSupport
import Testing
import Traces

/// Damaged logs: whatever its bytes, a log yields events in order of time, or an error.
@Suite struct LogFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How often each sample is damaged: `LOG_FUZZ_COUNT` times, or 300 if it is not set.
  private static let count = environment["LOG_FUZZ_COUNT"].flatMap { Int($0) } ?? 300
  /// With `LOG_FUZZ_COUNT` each run has another seed, which it prints. `LOG_FUZZ_SEED` repeats it.
  private static let seed =
    environment["LOG_FUZZ_SEED"].flatMap { UInt64($0) }
    ?? (environment["LOG_FUZZ_COUNT"] == nil ? 1 : UInt64.random(in: 1...UInt64.max))

  private static var samples: [[UInt8]] {
    LogFormatTests.samples.map { Array($0.log.utf8) } + [
      USBPacketTests.pcap(189), USBPacketTests.pcap(220, isBigEndian: true),
      USBPacketTests.pcap(249), USBPacketTests.pcapng(220, isBigEndian: false, ticks: 9),
    ]
  }

  @Test(arguments: samples.indices)
  func `A damaged log is converted or refused`(index: Int) throws {
    let sample = Self.samples[index]
    let kind = CaptureKind.candidates(for: CaptureHead(sample)).first
    print("LogFuzzTests: sample \(index), seed \(Self.seed)")
    var generator = SeededGenerator(seed: Self.seed)
    var readCount = 0
    for _ in 0..<Self.count {
      let bytes = Self.damaged(sample, &generator)
      var options = CaptureOptions()
      options.kind = kind
      options.isLossy = Bool.random(using: &generator)
      options.direction = [nil, .forward, .reverse].randomElement(using: &generator)!
      options.baud = [50, 9_600, 2_000_000].randomElement(using: &generator)!
      if isRead(bytes, options) { readCount += 1 }
    }
    #expect(readCount > 0 && readCount < Self.count)
  }

  /// Returns whether the log is converted; otherwise, it is refused.
  private func isRead(_ bytes: [UInt8], _ options: CaptureOptions) -> Bool {
    do throws(CaptureError) {
      let capture = try Capture([CaptureFile(name: "log", bytes: bytes)], options)
      var last = Instant.zero
      try capture.read { (event) throws(CaptureError) in
        #expect(event.time >= last)
        last = event.time
      }
      return true
    } catch {
      #expect(!error.message.isEmpty)
      return false
    }
  }

  /// Returns a sample with a few bytes changed, added, removed or repeated, or with its end cut
  /// off.
  private static func damaged(
    _ sample: [UInt8], _ generator: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = sample
    for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &generator)
      let end = min(bytes.count, index + Int.random(in: 1...40, using: &generator))
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[index] = Array("0123456789:<>=,.\n".utf8).randomElement(using: &generator)!
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
      case 3: bytes.removeSubrange(index..<end)
      case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 5: for place in index..<end { bytes[place] = [0, 0x39, 0xff][place % 3] }
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }
}
