import Foundation
import TestSupport
import Testing

@testable import Sketches

/// What a UART makes of frames that are not its own, of breaks, and of missing stop bits.
@Suite struct FramingTests {
  /// Each byte that arrives, in the notation of the data sheet's flags: F for FE, P for UPE.
  private func arrivals(_ line: inout SerialLine) -> String {
    var found: [String] = []
    while let next = line.next(by: .zero + .seconds(100)) {
      found.append(
        (next.hasFramingError ? "F" : "-") + (next.hasParityError ? "P" : "-")
          + String(format: "%02X", next.byte) + (next.ninthBit ? "+" : ""))
    }
    return found.joined(separator: " ")
  }

  private func line(
    from sender: String, to receiver: String, at baud: Int = 9_600
  ) throws -> SerialLine {
    var line = SerialLine(baud: 9_600)
    line.sender.baud = baud
    line.sender.format = try #require(LineFormat(sender))
    line.receiver.format = try #require(LineFormat(receiver))
    return line
  }

  @Test(
    arguments: [
      // The stop bit of 8N1 is the parity bit of 8E1; 0x41 has two ones, 0x43 three.
      ("8N1", "8E1", [0x41, 0x43], "-P41 --43"), ("8N1", "8O1", [0x41, 0x43], "--41 -P43"),
      ("8E1", "8E1", [0x41, 0x43], "--41 --43"), ("8O1", "8E1", [0x41, 0x43], "-P41 -P43"),
      // An even parity bit of 0 where 8N1 has its stop bit.
      ("8E1", "8N1", [0x41], "F-41"), ("8E1", "8N1", [0x43], "--43"),
      // A second stop bit is not sampled, and only its absence makes frames follow more closely.
      ("8N2", "8N1", [0x41, 0x43], "--41 --43"), ("8N1", "8N2", [0x41, 0x43], "--41 --43"),
      ("7E1", "8N1", [0x41, 0x43], "--41 --C3"), ("7E1", "7E1", [0x41, 0xC3], "--41 --43"),
      // Mark and space parity are a ninth bit of 1 and 0.
      ("8M1", "9N1", [0x41], "--41+"), ("8S1", "9N1", [0x41], "--41"),
      ("9N1", "9N1", [0xFF], "--FF"), ("5N1", "5N1", [0xFF], "--1F"),
      ("5N1", "8N1", [0x1F], "--FF"),
    ] as [(String, String, [UInt8], String)])
  func `A UART receives a frame of another format as it samples it`(
    _ sender: String, _ receiver: String, _ sent: [UInt8], _ received: String
  ) throws {
    var line = try line(from: sender, to: receiver)
    for (index, byte) in sent.enumerated() {
      line.send([byte], at: .zero + .milliseconds(Int64(index) * 10))
    }
    #expect(arrivals(&line) == received)
  }

  @Test(
    arguments: [
      // Low for 72 of the board's bits: a byte of zeros without a stop bit, and no second one.
      (1_200, [0x00], "F-00"), (4_800, [0x58], "--80 --E6"), (19_200, [0x00], "--F8"),
    ] as [(Int, [UInt8], String)])
  func `A wrong speed shows in the stop bit`(
    _ baud: Int, _ sent: [UInt8], _ received: String
  ) throws {
    var line = try line(from: "8N1", to: "8N1", at: baud)
    line.send(sent, at: .zero)
    #expect(arrivals(&line) == received)
  }

  /// 104 us is a bit.
  @Test(
    arguments: [
      (20_000, "F-00 --55"), (1_000_000, "F-00 --55"), (1_042, "F-00 --55"),
      // Shorter than the sampling of the stop bit: it is a byte.
      (938, "--00 --55"), (312, "--FC --55"), (30, "--55"), (0, "--55"),
    ] as [(Int64, String)])
  func `A break is one byte of zeros without a stop bit, however long it lasts`(
    _ microseconds: Int64, _ received: String
  ) throws {
    var line = try line(from: "8N1", to: "8N1")
    let start = Instant.zero + .milliseconds(1)
    line.sendBreak(lasting: .microseconds(microseconds), at: start)
    // Later than the rest of the frame that a short break begins.
    line.send([0x55], at: start + .microseconds(microseconds) + .milliseconds(5))
    #expect(arrivals(&line) == received)
  }

  @Test func `A break that is not over is lengthened, and ended, by the next one`() throws {
    var line = try line(from: "8N1", to: "8N1")
    line.sendBreak(lasting: .seconds(3_600), at: .zero + .milliseconds(1))
    #expect(line.next(by: .zero + .milliseconds(100))?.hasFramingError == true)
    #expect(line.next(by: .zero + .milliseconds(100)) == nil)
    // Bytes that are sent meanwhile wait for its end.
    line.send([0x55], at: .zero + .milliseconds(100))
    line.sendBreak(lasting: .zero, at: .zero + .milliseconds(150))
    let bit = 1_000_000_000 / Int64(9_600)
    let end = Int64(150_000_000) + bit + 10_000_000_000 / 9_600
    #expect(line.next(by: .zero + .seconds(1))?.end == Instant(nanoseconds: end))
    #expect(line.count == 0)
    // Its end alone is none.
    line.sendBreak(lasting: .zero, at: .zero + .seconds(2))
    #expect(arrivals(&line) == "" && line.nextDeadline == nil)
    // One that still waits for the line keeps its length.
    line.send([0x41, 0x42, 0x43], at: .zero + .seconds(3))
    line.sendBreak(lasting: .seconds(3_600), at: .zero + .seconds(3))
    line.sendBreak(lasting: .zero, at: .zero + .seconds(3) + .microseconds(313))
    #expect(arrivals(&line) == "--41 --42 --43 --FC")
  }

  @Test func `A break that waited for the line ends when it is ended`() throws {
    // 100 bytes of 1.04 ms come before it, and it lasts until 200 ms.
    for request in [20, 110] as [Int64] {
      var line = try line(from: "8N1", to: "8N1")
      line.send([UInt8](repeating: 0x55, count: 100), at: .zero)
      line.sendBreak(lasting: .seconds(3_600), at: .zero + .milliseconds(request))
      var count = 0
      while line.next(by: .zero + .milliseconds(199)) != nil { count += 1 }
      #expect(count == 101)
      line.sendBreak(lasting: .zero, at: .zero + .milliseconds(200))
      line.send([0x41], at: .zero + .milliseconds(200))
      let next = line.next(by: .zero + .seconds(1))
      let arrival = try #require(next)
      let bit = 1_000_000_000 / Int64(9_600)
      #expect(arrival.byte == 0x41)
      #expect(abs(arrival.end.nanoseconds - 200_000_000 - 11 * bit) < 10)
    }
  }

  @Test func `When a line is busy, without its levels, follows the same breaks`() throws {
    var generator = SeededGenerator(seed: 2_201)
    for _ in 0..<300 {
      var line = try line(from: "8N1", to: "8N1")
      var occupied = OccupiedLine(baud: 9_600)
      var time = Instant.zero
      for _ in 0..<8 {
        time += .microseconds(.random(in: 20_000...50_000, using: &generator))
        if Bool.random(using: &generator) {
          let length = Interval.milliseconds([2, 3_600_000].randomElement(using: &generator)!)
          line.sendBreak(lasting: length, at: time)
          occupied.sendBreak(lasting: length, at: time)
        } else {
          // No sender sends in a break.
          line.sendBreak(lasting: .zero, at: time)
          occupied.sendBreak(lasting: .zero, at: time)
          line.send([0x41, 0x42], at: time)
          _ = occupied.send(at: time)
          _ = occupied.send(at: time)
        }
        while line.next(by: time) != nil {}
      }
      time += .milliseconds(20)
      line.sendBreak(lasting: .zero, at: time)
      occupied.sendBreak(lasting: .zero, at: time)
      line.send([0x43], at: time)
      _ = occupied.send(at: time)
      let rest = line.takeUndelivered()
      let last = try #require(rest.last)
      #expect(last.byte == 0x43)
      #expect((last.end - occupied.free).magnitude < .microseconds(2))
    }
  }

  @Test func `A missing stop bit belongs to its byte, wherever in the record it is`() throws {
    var line = try line(from: "8N1", to: "8N1")
    line.send([0x41, 0x42, 0x41, 0x43], at: .zero)
    line.addFramingError(to: 0x42)
    line.addFramingError(to: 0x7F)
    #expect(arrivals(&line) == "--41 F-42 --41 --43")
    // While it is on the line at another speed.
    line.sender.baud = 9_500
    line.send([0x55], at: .zero + .seconds(1))
    #expect(line.next(by: .zero + .seconds(1) + .microseconds(900)) == nil)
    line.addFramingError(to: 0x55)
    #expect(arrivals(&line) == "F-55")
  }

  /// The samples of normal speed mode are closer to the middle of a bit.
  @Test func `The mode of the receiver decides which samples vote`() throws {
    func received(isDoubleSpeed: Bool, _ microseconds: Int64) throws -> Int {
      var line = try line(from: "8N1", to: "8N1")
      line.receiver.isDoubleSpeed = isDoubleSpeed
      line.sendBreak(lasting: .nanoseconds(microseconds), at: .zero)
      return arrivals(&line).isEmpty ? 0 : 1
    }
    // Two of three samples are low if the start bit lasts 18 or 17 thirty-seconds of a bit.
    for (isDouble, sample) in [(true, Int64(18)), (false, 17)] {
      let nanoseconds = sample * 1_000_000_000 / (32 * 9_600)
      #expect(try received(isDoubleSpeed: isDouble, nanoseconds) == 0)
      #expect(try received(isDoubleSpeed: isDouble, nanoseconds + 1) == 1)
    }
  }

  @Test func `A byte takes the time of its frame, over any number of bytes`() throws {
    for (name, halves) in [("8E1", Int64(22)), ("5N1.5", 15), ("9O2", 26), ("7N1", 18)] {
      var line = try line(from: name, to: name)
      line.send([UInt8](repeating: 0, count: 1_000), at: .zero)
      var last = Instant.zero
      while let next = line.next(by: .distantFuture) { last = next.end }
      // The last byte's second stop bit comes after its arrival.
      let rest = Int64(halves) - Int64(try #require(LineFormat(name)).bitCount) * 2
      #expect(
        abs(last.nanoseconds - (1_000 * halves - rest) * 500_000_000 / 9_600) <= 1, "\(name)")
    }
  }

  @Test(arguments: 0..<UInt64(40))
  func `A line that was saved and read continues in the same way`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var line = SerialLine(baud: 9_600)
    var saved = line
    var time = Instant.zero
    for _ in 0..<60 {
      time += .microseconds(Int64.random(in: 0...3_000, using: &generator))
      let bytes = (0..<3).map { _ in UInt8.random(in: 0...3, using: &generator) }
      let format = LineFormat(
        dataSize: .random(in: 5...9, using: &generator),
        parity: LineFormat.Parity.allCases.randomElement(using: &generator)!)
      let length = Interval.microseconds(Int64.random(in: 0...6_000, using: &generator))
      let kind = Int.random(in: 0..<6, using: &generator)
      let speed = [9_600, 4_800].randomElement(using: &generator)!
      for index in 0...1 {
        var changed = index == 0 ? line : saved
        switch kind {
        case 0: changed.sender.format = format
        case 1: changed.sendBreak(lasting: length, at: time)
        case 2: changed.addFramingError(to: bytes[0])
        case 3: changed.sender.baud = speed
        case 4: changed.receiver.format = format
        default: changed.send(bytes, at: time)
        }
        if index == 0 { line = changed } else { saved = changed }
      }
      saved = try JSONDecoder().decode(SerialLine.self, from: JSONEncoder().encode(saved))
      while true {
        let (one, other) = (line.next(by: time), saved.next(by: time))
        #expect(one == other)
        if one == nil { break }
      }
      #expect(line == saved)
    }
  }
}
