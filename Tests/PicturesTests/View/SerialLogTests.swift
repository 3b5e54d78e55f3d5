import Sketches
import Testing
import Traces

@testable import Pictures

struct SerialLogTests {
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private static func sent(_ text: String, at time: Int64) -> Event {
    Event(at(time), .receive(Array(text.utf8)))
  }

  /// The board sends a byte each millisecond.
  private static func answers(_ text: String, at time: Int64) -> [Event] {
    text.utf8.enumerated().map { index, byte in
      Event(at(time + Int64(index)), .output(.transmit(byte)))
    }
  }

  private static func log(_ events: [Event]) -> SerialLog {
    var log = SerialLog()
    for event in events { log.take(event) }
    return log
  }

  private static func lines(_ log: SerialLog) -> [String] {
    log.entries.map {
      "\($0.kind.rawValue) \(SerialLog.shown($0.bytes, inHexadecimal: false))"
    }
  }

  @Test func `Bytes of a line are an entry, whoever sends them one by one`() {
    let log = Self.log(
      [Self.sent("P1", at: 0), Self.sent("20\n", at: 5)] + Self.answers("ok\r\nok", at: 10)
        + [Self.sent("T45\nF\n", at: 20)])
    #expect(
      Self.lines(log) == [
        #"sent P120\n"#, #"answered ok\r\n"#, "answered ok", #"sent T45\n"#, #"sent F\n"#,
      ])
    #expect(log.entries[1].time == Self.at(10))
  }

  @Test func `A pause and a length end an entry`() {
    let paused = Self.log([
      Self.sent("X4", at: 0), Self.sent("5.", at: 99), Self.sent("L", at: 199),
    ])
    #expect(Self.lines(paused) == ["sent X45.", "sent L"])
    let long = Self.log([Self.sent(String(repeating: "a", count: 300), at: 0)])
    #expect(long.entries.map(\.bytes.count) == [128, 128, 44])
  }

  @Test func `What was not sent is marked, but not an aim that a newer one replaced`() {
    let log = Self.log([
      Event(Self.at(1), .refused(RefusedMessage(Array("hello".utf8), why: .notACommand))),
      Event(Self.at(2), .refused(RefusedMessage(Array("X1.".utf8), why: .replaced))),
      Event(Self.at(3), .unsent(Array("X2.".utf8))), Event(Self.at(4), .reset(.zero)),
    ])
    #expect(Self.lines(log) == ["refused hello", "refused X2.", "reset "])
  }

  @Test func `What was answered before and is not answered for 5 s is said`() {
    var log = Self.log([Self.sent("P120\n", at: 0)] + Self.answers("ok\n", at: 10))
    log.take(Self.sent("P45\n", at: 1_000))
    #expect(log.unanswered(at: Self.at(5_999)) == nil)
    #expect(log.unanswered(at: Self.at(6_000)) == Array("P45\n".utf8))
    // Another try does not hide it, and an answer ends it.
    log.take(Self.sent("P46\n", at: 6_500))
    #expect(log.unanswered(at: Self.at(7_000)) == Array("P45\n".utf8))
    for event in Self.answers("ok\n", at: 7_100) { log.take(event) }
    #expect(log.unanswered(at: Self.at(20_000)) == nil)
  }

  @Test func `What never was answered is not missed`() {
    var log = Self.log([Self.sent("P120\n", at: 0)] + Self.answers("ok\n", at: 10))
    log.take(Self.sent("F\n", at: 1_000))
    #expect(log.unanswered(at: Self.at(60_000)) == nil)
    log.take(Self.sent("P1\n", at: 61_000))
    #expect(log.unanswered(at: Self.at(66_000)) == Array("P1\n".utf8))
  }

  @Test func `Dashboards get each entry once, and a new one all that are kept`() {
    var log = Self.log([Self.sent("P1\n", at: 1_000)])
    #expect(log.json(from: 0).text == #"{"from": 0, "entries": [[1, "sent", "P1\n"]]}"#)
    #expect(log.json(from: 1).text == #"{"from": 1, "entries": []}"#)
    log.take(Self.sent("\u{1}", at: 1_001))
    log.take(Event(Self.at(1_002), .receive([0xFF])))
    let rest = #"{"from": 1, "entries": [[1.001, "sent", "\u0001\u00ff"]]}"#
    #expect(log.json(from: 1).text == rest)
    // What follows is an entry of its own, since the last one has been sent.
    log.take(Self.sent("2\n", at: 1_003))
    #expect(log.json(from: 2).text == #"{"from": 2, "entries": [[1.003, "sent", "2\n"]]}"#)
    #expect(log.json(from: nil).text.hasPrefix(#"{"from": 0, "entries": [[1, "sent""#))
    #expect(log.json(from: 99).text == #"{"from": 3, "entries": []}"#)
  }

  @Test func `Of a flood the last entries are kept, and their numbers stay`() {
    var log = SerialLog()
    var most = 0
    for number in 0..<50_000 {
      log.take(transmitted: Array("\(number)\r\n".utf8), at: Self.at(Int64(number)))
      most = max(most, log.entries.count)
    }
    #expect(most <= 4_000)
    #expect(log.next == 50_000)
    #expect(log.entries.last?.bytes == Array("49999\r\n".utf8))
    #expect(log.entries.count >= 2_000)
    for number in 0..<20_000 {
      log.take(transmitted: [UInt8](repeating: 0x61, count: 1_000), at: Self.at(Int64(number)))
    }
    #expect(log.entries.reduce(0) { $0 + $1.bytes.count } <= 1 << 17)
  }

  @Test func `A rewind forgets what came after`() {
    var log = Self.log([Self.sent("a\n", at: 0), Self.sent("b\n", at: 2_000)])
    log.goBack(to: Self.at(1_000))
    #expect(Self.lines(log) == [#"sent a\n"#])
    #expect(log.next == 1)
  }

  @Test(arguments: [
    ([0x50, 0x0A], #"P\n"#, "50 0A"), ([0x0D, 0x0A, 0x09], #"\r\n\t"#, "0D 0A 09"),
    ([0x00, 0x7F, 0xFF], #"\x00\x7F\xFF"#, "00 7F FF"), ([], "", ""),
  ])
  func `Bytes are shown as they would be typed, or in hexadecimal`(
    _ bytes: [UInt8], _ text: String, _ hexadecimal: String
  ) {
    #expect(SerialLog.shown(bytes, inHexadecimal: false) == text)
    #expect(SerialLog.shown(bytes, inHexadecimal: true) == hexadecimal)
  }
}
