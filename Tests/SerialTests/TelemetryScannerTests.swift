import Sketches
import TestSupport
import Testing

@testable import Serial

@Suite struct TelemetryScannerTests {
  private static func scan(_ text: String) -> (writes: [String], others: String) {
    var scanner = TelemetryScanner()
    var writes: [String] = []
    var others: [UInt8] = []
    for (index, byte) in text.utf8.enumerated() {
      for item in scanner.take(byte, at: .zero + .milliseconds(Int64(index))) {
        switch item {
        case .write(let microseconds, let degrees, let line):
          #expect(line.count == 11)
          #expect(line.last?.arrival == .zero + .milliseconds(Int64(index)))
          writes.append("\(microseconds):\(degrees)")
        case .other(let stamped): others.append(stamped.byte)
        }
      }
    }
    return (writes, String(decoding: others, as: UTF8.self))
  }

  static let status = "090 hold ok=00012 no=00003 lost=00000 drop=00000\n"

  static let table: [(String, writes: [String], others: String)] = [
    ("0016e3605a\n", ["1500000:90"], ""),
    ("ffffffffb4\n00000000" + "00\n", ["4294967295:180", "0:0"], ""),
    (status, [], status),
    (status + "0016e3605a\n" + status, ["1500000:90"], status + status),
    // Started in the middle, cut short, too long, capital digits, more than 180 degrees.
    ("3605a\n0016e3605a\n", ["1500000:90"], "3605a\n"),
    ("0016e36\n0016e3605a\n", ["1500000:90"], "0016e36\n"),
    ("0016e3605a0\n0016e3605a\n", ["1500000:90"], "0016e3605a0\n"),
    ("0016E3605a\n", [], "0016E3605a\n"),
    ("0016e360b5\n", [], "0016e360b5\n"),
    ("\n\n0016e3605a\n", ["1500000:90"], "\n\n"),
    ("\u{0}\n", [], "\u{0}\n"),
  ]

  @Test(arguments: table)
  func `Lines are recognized, and everything else is passed on`(
    _ row: (text: String, writes: [String], others: String)
  ) {
    let (writes, others) = Self.scan(row.text)
    #expect(writes == row.writes)
    #expect(others == row.others)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `No byte is lost or added, whatever arrives`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var scanner = TelemetryScanner()
    let pieces = ["0016e3605a\n", Self.status, "00", "\n", "x", "ffffffff00\n", "9f"]
    let text = (0..<60).map { _ in pieces.randomElement(using: &random)! }.joined()
    var out: [UInt8] = []
    func note(_ item: TelemetryScanner.Item) {
      switch item {
      case .write(_, _, let line): out += line.map(\.byte)
      case .other(let stamped): out.append(stamped.byte)
      }
    }
    for byte in text.utf8 { scanner.take(byte, at: .zero).forEach(note) }
    scanner.expire(at: .zero + .seconds(1)).forEach(note)
    #expect(out == Array(text.utf8))
  }

  @Test func `An unfinished line is passed on after a while`() {
    var scanner = TelemetryScanner()
    var others = 0
    for byte in "0016e".utf8 { others += scanner.take(byte, at: .zero).count }
    others += scanner.expire(at: .zero + .milliseconds(99)).count
    #expect(others == 0)
    others += scanner.expire(at: .zero + .milliseconds(101)).count
    #expect(others == 5)
  }
}
