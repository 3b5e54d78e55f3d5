import Captures
import Sketches
import Testing
import Traces

/// What the header of a converted log states about its times.
@Suite struct LogHeaderTests {
  static let socat = """
    > 2026/01/31 12:00:00.000001  length=1 from=0 to=0
     58                                               X
    --
    < 2026/01/31 12:00:01.000001  length=1 from=0 to=0
     6b                                               k
    --

    """

  @Test func `a log is stamped by a computer and begins while the board runs`() throws {
    let header = try Converted(Self.socat).capture.header
    #expect(header.clock == .host)
    #expect(header.start == .unknown)
    #expect(header.duration == .nanoseconds(5_001_041_666))
    #expect(header.shownEnd(lastEvent: .zero) == .zero + .seconds(1))
    #expect(header.expects == [.transmit])
    #expect(header.resolution == .microseconds(1))
    #expect(header.uncertainty == .milliseconds(2))
    #expect(header.tolerance == .milliseconds(20))
  }

  @Test(arguments: [
    (nil, nil), (0, "2026-01-31T12:00:00.000001Z"),
    (7_200, "2026-01-31T12:00:00.000001+02:00"), (-12_600, "2026-01-31T12:00:00.000001-03:30"),
  ])
  func `local times become a date with a time zone`(zone: Int?, expected: String?) throws {
    let header = try Converted(Self.socat, options { $0.timeZone = zone }).capture.header
    let recorded = header.members.first { $0.key == "recorded" }?.value
    #expect(recorded == expected.map { .string($0) })
  }

  @Test func `stamps in UTC are a date without more`() throws {
    let log = """
      1795318384.5 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
      1795318384.5 write(3, "X", 1) = 1

      """
    let header = try Converted(log).capture.header
    #expect(
      header.members.first { $0.key == "recorded" }?.value
        == .string("2026-11-22T03:33:04.500000Z"))
    #expect(header.expects == nil)
  }

  @Test(arguments: [(1, 2_000_000), (50, 49_000_000), (500, 100_000_000)])
  func `jpnevulator's records show how many milliseconds it can have merged`(
    gap: Int, uncertainty: Int64
  ) throws {
    let second = gap == 50 ? "049" : gap == 1 ? "001" : "500"
    let log = """
      2026-01-31 12:00:00.000000: APP
      58
      2026-01-31 12:00:00.\(second)000: APP
      31

      """
    let header = try Converted(log).capture.header
    #expect(header.uncertainty == .nanoseconds(uncertainty))
    #expect(header.tolerance >= .nanoseconds(uncertainty))
  }

  @Test func `another speed of the sender comes first`() throws {
    let converted = try Converted(Self.socat, options { $0.senderBaud = 4_800 })
    #expect(converted.lines == ["0 baud 4800", "0 rx X", "0.998958334 tx k"])
  }

  @Test func `only the chosen part is converted, at its own times`() throws {
    let converted = try Converted(
      Self.socat,
      options {
        $0.since = .milliseconds(500)
        $0.until = .seconds(3)
      })
    #expect(converted.lines == ["0.998958334 tx k"])
    #expect(converted.capture.header.duration == .seconds(3))
  }

  @Test(arguments: [
    // The last byte has left the line a millisecond after its time, or later at a lower speed.
    ("X", 1, 9_600, nil, 5_001_041_666), ("X", 1, 1_200, nil, 5_008_333_333),
    // A hundred records at one time wait for the line.
    ("X90.", 100, 9_600, nil, 5_416_666_400),
    // What follows --until was sent too, so nothing can be said about the time after it.
    ("X", 1, 9_600, 3, 3_000_000_000), ("X90.", 100, 9_600, 0, 0),
  ])
  func `a trace goes on for five seconds after the last byte has left the line`(
    _ bytes: String, _ count: Int, _ baud: Int, _ until: Int64?, _ nanoseconds: Int64
  ) throws {
    let hex = bytes.utf8.map { " " + String($0, radix: 16) }.joined()
    let record = """
      > 2026/01/31 12:00:00.000001  length=\(bytes.utf8.count) from=0 to=3
      \(hex)    \(bytes)
      --

      """
    let header = try Converted(
      String(repeating: record, count: count),
      options {
        $0.baud = baud
        $0.until = until.map { .seconds($0) }
      }
    ).capture.header
    #expect(header.duration == .nanoseconds(nanoseconds))
  }

  @Test func `commands that seem to come from the board are mentioned`() throws {
    let log = """
      < 2026/01/31 12:00:00.000001  length=4 from=0 to=3
       58 39 30 2e                                      X90.
      --
      > 2026/01/31 12:00:01.000001  length=1 from=0 to=0
       6b                                               k
      --

      """
    let notes = try Converted(log).capture.summary.notes
    #expect(notes.contains { $0.contains("--direction reverse") })
  }

  @Test func `a byte from the board precedes what was sent before it was read`() throws {
    let log = """
      > 2026/01/31 12:00:00.000000  length=1 from=0 to=0
       58                                               X
      --
      > 2026/01/31 12:00:00.010000  length=1 from=1 to=1
       31                                               1
      --
      < 2026/01/31 12:00:00.010500  length=2 from=0 to=1
       6f 6b                                            ok
      --

      """
    #expect(
      try Converted(log).lines == ["0 rx X", "0.008416668 tx o", "0.009458334 tx k", "0.01 rx 1"])
  }

  /// What the board sent, and the sketch that it shows.
  private static let answers: [(sent: String, sketch: Firmware, sentence: String)] = [
    ("090 hold ok=00012 no=00003", .guarded, "the board answers as guarded does"),
    ("045 scan ok=0", .guarded, "the board answers as guarded does"),
    ("hold ok=x scan ok", .classic, "is assumed to be classic"),
    ("ok 110", .classic, "is assumed to be classic"),
  ]

  @Test(arguments: answers)
  func `the board's answers show which sketch it is`(
    sent: String, sketch: Firmware, sentence: String
  ) throws {
    let dump = sent.utf8.map { String($0, radix: 16) }.joined(separator: " ")
    let log = """
      > 2026/01/31 12:00:00.000001  length=1 from=0 to=0
       3f                                               ?
      --
      < 2026/01/31 12:00:00.050001  length=\(sent.utf8.count) from=0 to=\(sent.utf8.count - 1)
       \(dump)
      --

      """
    let capture = try Converted(log).capture
    #expect(capture.header.firmware == sketch)
    #expect(capture.sentences().last?.contains(sentence) == true, "\(capture.sentences())")
    // What the user states counts.
    let stated = try Converted(log, options { $0.firmware = .buzzer }).capture
    #expect(stated.header.firmware == .buzzer)
  }
}
