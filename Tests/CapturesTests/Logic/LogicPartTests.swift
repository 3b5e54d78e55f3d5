import TestSupport
import Testing

@testable import Captures

@Suite struct LogicPartTests {
  @Test(arguments: 0..<200)
  func `The fast search for changes finds the same as the slow one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let unit = Int.random(in: 1...8, using: &generator)
    let mask = UInt64.random(in: .min ... .max, using: &generator) >> UInt64(64 - 8 * unit)
    var samples: [UInt64] = []
    while samples.count < 2_000 {
      let sample = UInt64.random(in: .min ... .max, using: &generator)
      let length = Int.random(in: 1...300, using: &generator)
      samples += [UInt64](repeating: sample, count: length)
    }
    let bytes = samples.flatMap { sample in
      (0..<unit).map { UInt8(truncatingIfNeeded: sample >> UInt64(8 * $0)) }
    }
    var expected: [[UInt64]] = []
    for (index, sample) in samples.enumerated() where expected.last?[1] != sample & mask {
      expected.append([UInt64(index), sample & mask])
    }
    var found: [[UInt64]] = []
    var scanner = SampleScanner(unit: unit, mask: mask)
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Int.random(in: 1...700, using: &generator)))
      rest = rest.dropFirst(piece.count)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
      defer { buffer.deallocate() }
      buffer.copyBytes(from: piece)
      _ = try scanner.take(UnsafeRawBufferPointer(buffer)) { (index, sample) throws(CaptureError) in
        found.append([index, sample])
        return true
      }
    }
    #expect(found == expected)
    #expect(scanner.count == UInt64(samples.count))
  }

  @Test func `Changes that are kept come back the same`() throws {
    var generator = SeededGenerator(seed: 1)
    var changes: [LogicLevels] = []
    var time: Int64 = 0
    for _ in 0..<1_000 {
      let unknown = Bool.random(using: &generator) ? UInt64.random(in: 0...9, using: &generator) : 0
      let high = UInt64.random(in: .min ... .max, using: &generator)
      changes.append(LogicLevels(time: time, high: high, unknown: unknown))
      time += Int64.random(in: 0...(1 << 50), using: &generator)
    }
    var log = ChangeLog()
    for change in changes {
      let hasRoom = log.append(change)
      #expect(hasRoom)
    }
    var found: [LogicLevels] = []
    try log.read { (change) throws(CaptureError) in
      found.append(change)
      return true
    }
    #expect(found == changes)
  }

  @Test(arguments: [
    ("0", 0), ("1.5", 1_500_000_000), ("-0.500000000", -500_000_000), ("1e-06", 1_000),
    (" 0.02015", 20_150_000), ("2.5E+1", 25_000_000_000), ("0.0000000004", 0),
    ("0.0000000006", 1), ("", nil), ("-", nil), ("1.2.3", nil), ("1e", nil), ("nan", nil),
    ("999999999999999999999", nil), ("1e30", nil), ("0.12345678901234567890123", 123_456_789),
  ])
  func `Seconds are read as whole nanoseconds`(text: String, expected: Int64?) {
    #expect(DecimalField.nanoseconds(Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-02T00:00:01.5+00:00", 86_401_500_000_000),
    ("2024-02-29T12:00:00+01:30", 1_709_202_600_000_000_000), ("2024-13-01T00:00:00Z", nil),
    ("2024-01-01", nil), ("2024-01-01T00:00:00.Z", nil), ("", nil),
  ])
  func `Dates are read as nanoseconds since 1970`(text: String, expected: Int64?) {
    #expect(ISOTime.nanoseconds(text.utf8) == expected)
  }

  @Test(arguments: [
    ("24 MHz", 24_000_000), ("100 kHz", 100_000), ("1000000", 1_000_000), ("1.5 MHz", 1_500_000),
    ("0 Hz", nil), ("fast", nil), ("99999999 GHz", nil), ("", nil), ("-5 Hz", nil),
  ])
  func `Sample rates are read with their units`(text: String, expected: Int64?) {
    #expect(LogicRecording.rate(text) == expected)
  }
}
