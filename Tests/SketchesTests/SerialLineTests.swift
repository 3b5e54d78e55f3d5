import Foundation
import TestSupport
import Testing

@testable import Sketches

@Suite struct SerialLineTests {
  private func arrivals(
    _ line: inout SerialLine, by end: Instant = .zero + .seconds(100)
  ) -> [Arrival] {
    var found: [Arrival] = []
    while let next = line.next(by: end) { found.append(next) }
    return found
  }

  @Test
  func `The count is that of the bytes, even for a line that was read from a file`() throws {
    var random = SeededGenerator(seed: 7)
    var line = SerialLine(baud: 9_600)
    var expected = 0
    for step in 0..<2_000 {
      if Int.random(in: 0..<3, using: &random) > 0 {
        let bytes = [UInt8](repeating: 0x55, count: .random(in: 0...5, using: &random))
        line.send(bytes, at: .zero)
        expected += bytes.count
      } else if line.next(by: .zero + .seconds(1_000)) != nil {
        expected -= 1
      }
      if step.isMultiple(of: 100) {
        line = try JSONDecoder().decode(SerialLine.self, from: JSONEncoder().encode(line))
      }
      #expect(line.count == expected)
    }
  }

  @Test(arguments: [300, 9_600, 57_600, 115_200, 1_000_000])
  func `A byte takes exactly ten bit times, over any number of bytes`(_ baud: Int) {
    var line = SerialLine(baud: baud)
    line.send([UInt8](repeating: 0x55, count: 2_000), at: .zero)
    let found = arrivals(&line)
    for (index, arrival) in found.enumerated() {
      #expect(arrival.end.nanoseconds == Int64(index + 1) * 10_000_000_000 / Int64(baud))
    }
    #expect(found.count == 2_000)
  }

  @Test
  func `Bytes queue on the line, and timing restarts after a pause`() {
    var line = SerialLine(baud: 10_000)
    line.send([1, 2], at: .zero)
    line.send([3], at: .zero + .microseconds(500))
    line.send([4], at: .zero + .microseconds(9_000))
    let found = arrivals(&line)
    #expect(found.map(\.byte) == [1, 2, 3, 4])
    #expect(found.map(\.end.nanoseconds) == [1_000_000, 2_000_000, 3_000_000, 10_000_000])
  }

  @Test
  func `No byte arrives before its stop bit ends`() {
    var line = SerialLine(baud: 10_000)
    line.send([7], at: .zero)
    #expect(arrivals(&line, by: .zero + .nanoseconds(999_999)).isEmpty)
    #expect(line.nextDeadline == .zero + .milliseconds(1))
    #expect(arrivals(&line, by: .zero + .milliseconds(1)).count == 1)
  }

  /// The bits on the line in order of time, worked out by hand.
  @Test(
    arguments: [
      // X is 0 00011010 1, and each bit lasts two of the board's: 0 00000001 1, then from the next
      // falling edge 0 01100111 1.
      (4_800, [0x58], [0x80, 0xE6]),
      // Low for 4.5 of the board's bits: 0 00011111 1. The middle bit is decided by two votes of
      // three.
      (19_200, [0x00], [0xF8]),
      // A start bit of half a bit is noise, by two votes of three.
      (19_200, [0xFF], []),
      // 0 1 0 1 0 1 0 1 0 1 at twice the speed: the start bit is noise, and so is every low bit
      // after it.
      (19_200, [0x55], []),
      // Low for 18 of the board's bits: 0 00000000 with a low stop bit, and no new start.
      (4_800, [0x00], [0x00]),
      // A small deviation is still understood.
      (9_800, [0x58, 0x39, 0x2E], [0x58, 0x39, 0x2E]),
      (9_400, [0x58, 0x39, 0x2E], [0x58, 0x39, 0x2E]),
    ] as [(Int, [UInt8], [UInt8])])
  func `Bytes sent at another speed are received as a UART samples them`(
    _ baud: Int, _ sent: [UInt8], _ heard: [UInt8]
  ) {
    var line = SerialLine(baud: 9_600)
    line.sender.baud = baud
    line.send(sent, at: .zero)
    #expect(arrivals(&line).map(\.byte) == heard)
  }

  @Test(arguments: [38_400, 12_345, 4_800, 19_200, 115_200, 300, 9_600])
  func `Nothing is on a line from which nothing more arrives`(_ baud: Int) {
    var generator = SeededGenerator(seed: UInt64(baud))
    for round in 0..<200 {
      var line = SerialLine(baud: 9_600)
      line.sender.baud = baud
      let sent =
        round == 0
        ? Array("X45.".utf8) : (0..<5).map { _ in UInt8.random(in: 0...255, using: &generator) }
      line.send(sent, at: .zero)
      // As a device does: to each deadline, and no further.
      var count = 0
      while let deadline = line.nextDeadline, count < 1_000 {
        _ = line.next(by: deadline)
        count += 1
      }
      #expect(line.nextDeadline == nil && line.count == 0, "\(sent) at \(baud) baud")
    }
  }

  @Test(arguments: 0..<UInt64(20))
  func `Taking bytes in small steps gives the same as taking them at once`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var line = SerialLine(baud: 9_600)
    var time = Instant.zero
    for _ in 0..<20 {
      line.sender.baud = [9_600, 4_800, 19_200, 115_200, 1_200].randomElement(using: &generator)!
      if Bool.random(using: &generator) {
        line.sender.format = LineFormat(
          dataSize: .random(in: 5...9, using: &generator),
          parity: LineFormat.Parity.allCases.randomElement(using: &generator)!,
          stopSize: LineFormat.StopSize.allCases.randomElement(using: &generator)!)
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        line.sendBreak(
          lasting: .microseconds(.random(in: 0...9_000, using: &generator)), at: time)
      }
      let bytes = (0..<5).map { _ in UInt8.random(in: 0...255, using: &generator) }
      line.send(bytes, at: time)
      time += .microseconds(Int64.random(in: 0...9_000, using: &generator))
    }
    var parts = line
    let whole = arrivals(&line, by: .zero + .seconds(1))
    var pieces: [Arrival] = []
    for step in 1...10_000 {
      pieces += arrivals(&parts, by: .zero + .microseconds(Int64(step) * 100))
    }
    #expect(whole == pieces)
    #expect(!whole.isEmpty)
  }
}
