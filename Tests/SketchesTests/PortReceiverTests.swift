import TestSupport
import Testing

@testable import Sketches

/// What a program receives that reads at another speed than the board's.
@Suite struct PortReceiverTests {
  private static let ready = Array("ready\n".utf8)

  /// Returns what arrives of bytes that begin at `starts`, when turns end at `turns` and finally
  /// long after the last byte.
  private static func received(
    _ bytes: [UInt8], at starts: [Instant], from board: Int, by reader: Int, turns: [Instant],
    hasGarbled: inout Bool
  ) -> [UInt8] {
    var receiver = PortReceiver(baud: reader)
    var rest = Array(zip(bytes, starts))[...]
    var received: [UInt8] = []
    for now in turns + [.zero + .seconds(1_000)] {
      let ended = rest.prefix { $0.1 + ByteClock.byteTime(baud: board) <= now }
      rest = rest.dropFirst(ended.count)
      let sent = SentBytes(ended.map { $0.0 }, starts: ended.map { $0.1 }, baud: board)
      received += receiver.receive(sent, at: reader, by: now)
    }
    #expect(receiver.nextDeadline == nil)
    hasGarbled = receiver.hasGarbled
    return received
  }

  private static func starts(_ count: Int, baud: Int, gap: Interval = .zero) -> [Instant] {
    let step = ByteClock.byteTime(baud: baud) + gap
    return (0..<count).map { .zero + Interval(nanoseconds: Int64($0) * step.nanoseconds) }
  }

  /// The bits on the line in order of time, worked out by hand.
  @Test(
    arguments: [
      // X is 0 00011010 1, and each bit lasts two of the reader's: 0 00000001 1, then from the next
      // falling edge 0 01100111 1.
      (4_800, [0x58], [0x80, 0xE6]),
      // Low for 4.5 of the reader's bits: 0 00011111 1.
      (19_200, [0x00], [0xF8]),
      // A start bit of half a bit is noise: nothing is received.
      (19_200, [0xFF], []),
      // Low for 12 of the reader's bits, and high for 108: one 0 with a low stop bit.
      (800, [0xFF], [0x00]),
      // A small deviation is still understood, and so is none.
      (9_800, [0x58, 0x39, 0x2E], [0x58, 0x39, 0x2E]),
      (9_150, [0x58, 0x39, 0x2E], [0x58, 0x39, 0x2E]),
      (9_600, [0x58, 0x39, 0x2E], [0x58, 0x39, 0x2E]),
    ] as [(Int, [UInt8], [UInt8])])
  func `A reader at 9600 baud receives what its UART samples`(
    _ board: Int, _ sent: [UInt8], _ expected: [UInt8]
  ) {
    var hasGarbled = false
    let found = Self.received(
      sent, at: Self.starts(sent.count, baud: board), from: board, by: 9_600, turns: [],
      hasGarbled: &hasGarbled)
    #expect(found == expected)
    #expect(hasGarbled == (sent != expected))
  }

  /// The two directions of a line behave the same, and it does not matter when the turns are.
  @Test(
    arguments: [(115_200, 9_600), (9_600, 115_200), (9_600, 4_800), (57_600, 38_400)],
    [Interval.zero, .microseconds(37), .milliseconds(3)])
  func `Bytes back to back and with gaps are those of a line, however turns divide them`(
    _ speeds: (board: Int, reader: Int), _ gap: Interval
  ) {
    let (board, reader) = speeds
    var generator = SeededGenerator(seed: UInt64(board + reader))
    let bytes = (0..<60).flatMap { _ in Self.ready }
    let starts = Self.starts(bytes.count, baud: board, gap: gap)
    var line = SerialLine(baud: reader)
    line.sender.baud = board
    for (byte, start) in zip(bytes, starts) { line.send([byte], at: start) }
    var expected: [UInt8] = []
    while let arrival = line.next(by: .distantFuture) { expected.append(arrival.byte) }
    for round in 0..<10 {
      var turns = [Instant.zero]
      while round > 0, let last = turns.last, last < .zero + .seconds(2) {
        turns.append(last + .microseconds(Int64.random(in: 1...20_000, using: &generator)))
      }
      var hasGarbled = false
      let found = Self.received(
        bytes, at: starts, from: board, by: reader, turns: turns, hasGarbled: &hasGarbled)
      #expect(found == expected, "round \(round)")
      #expect(hasGarbled)
    }
    #expect(!expected.isEmpty)
  }

  @Test func `Bytes of which only their arrival is known follow each other on the line`() {
    var receiver = PortReceiver(baud: 4_800)
    let now = Instant.zero + .seconds(1)
    let sent = SentBytes(Self.ready, baud: 9_600)
    var found = receiver.receive(sent, at: 4_800, by: now)
    found += receiver.receive(SentBytes(baud: 9_600), at: 4_800, by: now + .seconds(1))
    var line = SerialLine(baud: 4_800)
    line.sender.baud = 9_600
    line.send(Self.ready, at: .zero)
    var expected: [UInt8] = []
    while let arrival = line.next(by: .distantFuture) { expected.append(arrival.byte) }
    #expect(found == expected)
  }

  @Test func `A reader that returns to the board's speed receives clean bytes again`() {
    var receiver = PortReceiver(baud: 9_600)
    var now = Instant.zero
    func receive(at baud: Int) -> [UInt8] {
      now += .milliseconds(100)
      let begin = now - .milliseconds(20) - Instant.zero
      let starts = Self.starts(Self.ready.count, baud: 9_600).map { $0 + begin }
      let sent = SentBytes(Self.ready, starts: starts, baud: 9_600)
      let bytes = receiver.receive(sent, at: baud, by: now)
      now += .milliseconds(100)
      return bytes + receiver.receive(SentBytes(baud: 9_600), at: baud, by: now)
    }
    #expect(receive(at: 9_600) == Self.ready)
    #expect(!receiver.hasGarbled)
    #expect(receive(at: 115_200) != Self.ready)
    #expect(receiver.hasGarbled)
    receiver.hasGarbled = false
    #expect(receive(at: 9_600) == Self.ready)
    #expect(!receiver.hasGarbled)
  }

  /// 0x41 has two ones, 0x43 three.
  @Test(
    arguments: [
      ("8E1", "8E1", [0x41, 0x43], [0x41, 0x43]), ("8N2", "8N1", [0x41, 0x43], [0x41, 0x43]),
      // The parity bit is where the other format has its eighth bit, its stop bit, or nothing.
      ("7E1", "8N1", [0x41, 0x43], [0x41, 0xC3]), ("8E1", "8N1", [0x41, 0x43], [0x41, 0x43]),
      ("8N1", "8O1", [0x41, 0x43], [0x41, 0x43]), ("8N1", "7N1", [0x41, 0xC3], [0x41, 0x43]),
      ("5N1", "8N1", [0x1F], [0xFF]),
    ] as [(String, String, [UInt8], [UInt8])])
  func `A reader in another format receives what its UART samples`(
    _ board: String, _ reader: String, _ sent: [UInt8], _ expected: [UInt8]
  ) throws {
    let boardFormat = try #require(LineFormat(board))
    let format = try #require(LineFormat(reader))
    var receiver = PortReceiver(baud: 9_600)
    let starts = sent.indices.map { Instant.zero + .milliseconds(Int64($0) * 10) }
    let bytes = SentBytes(sent, starts: starts, baud: 9_600, format: boardFormat)
    var found = receiver.receive(bytes, at: 9_600, in: format, by: .zero + .seconds(1))
    let nothing = SentBytes(baud: 9_600, format: boardFormat)
    found += receiver.receive(nothing, at: 9_600, in: format, by: .zero + .seconds(2))
    #expect(found == expected)
    #expect(receiver.hasGarbled == (sent != expected))
    #expect(receiver.nextDeadline == nil)
  }
}
