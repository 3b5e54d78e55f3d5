import Captures
import Sketches
import Testing
import Traces

/// What an iPhone's app says that it sent: which lines count, and what is said about the others.
@Suite struct IPhoneAppLogTests {
  private static let first = "2026-01-31 12:00:00.000 X1.\n"

  @Test(arguments: [
    ("X90.", "X90."), ("L", "L"), ("?", "?"), ("sent X90.", "X90."), ("Sent: X90.", "X90."),
    ("sending \"X90.\"", "X90."), ("ws.send('X90.')", "X90."), ("didSend(X90.)", "X90."),
    ("-> X90.", "X90."), ("→ L", "L"), ("[link] sent to 10.0.0.7: X90.", "X90."),
    ("face lost, sent L", "L"), ("no face: sending L", "L"), ("not tracking, sent L", "L"),
    ("frame 12, error 0.3: sent X90.", "X90."), ("tx X90. X91.", "X90.X91."),
    ("sent \"X90.\", \"L\"", "X90.L"), ("sent X200.", "X200."), ("sent T", "T"),
    ("🎯 X90.", "X90."), (#"Writing "X90.\r\n""#, #"X90.\0d\0a"#), (#"sent X90.\n"#, #"X90.\0a"#),
    (#"write('L\r')"#, #"L\0d"#), (#"X90.\r\n"#, #"X90.\0d\0a"#),
  ])
  func `a message that says that a command was sent is taken`(
    message: String, sent: String
  ) throws {
    let converted = try Converted(Self.first + "2026-01-31 12:00:01.000 \(message)\n")
    #expect(converted.lines == ["0 rx X1.", "1 rx \(sent)"])
  }

  @Test(arguments: [
    "not sent X90.", "did not send X90.", "didn't send X90.", "failed to send X90.",
    "error sending X90.", "could not be sent: X90. would be late", "sent X90. twice", "frame X90",
    "sent 90.", "sent x", "received X90.", "<- X90.", "echo X90.", "queued X90.", "skipped X90.",
    "plan L", "vitamin C", "ready?", "too COOL", "X", "X90.5", "X90.L.", "sent LX", "X90. -> queue",
    "would send X90.", "sending: X90. was dropped", "aim X90.", "090 hold ok=00012",
    #"sent X90.\t"#, #"not sent X90.\r\n"#, #"\r\n"#,
  ])
  func `a message that does not say that a command was sent is left out and counted`(
    message: String
  ) throws {
    let converted = try Converted(Self.first + "2026-01-31 12:00:01.000 \(message)\n")
    #expect(converted.lines == ["0 rx X1."])
    let notes = converted.capture.summary.notes
    #expect(notes.contains { $0.hasPrefix("1 line left out") && $0.hasSuffix(": line 2.") })
  }

  @Test func `a number whose full stop is missing was sent if the line says so`() throws {
    let log = """
      2026-01-31 12:00:00.000 X90.
      2026-01-31 12:00:01.000 sent X150
      2026-01-31 12:00:02.000 X30
      2026-01-31 12:00:03.000 width X375

      """
    let converted = try Converted(log)
    #expect(converted.lines == ["0 rx X90.", "1 rx X150", "2 rx X30"])
    #expect(converted.capture.summary.notes.contains { $0.hasPrefix("1 line left out") })
  }

  @Test func `lines that only name commands are taken if no line says that it sends`() throws {
    let log = """
      2026-01-31 12:00:00.000 plan L
      2026-01-31 12:00:00.000 aim X90.
      2026-01-31 12:00:01.000 target: L
      2026-01-31 12:00:02.000 aim L
      2026-01-31 12:00:03.000 plan L

      """
    let converted = try Converted(log)
    // `L` is only taken after a word that has named an angle.
    #expect(converted.lines == ["0 rx X90.", "2 rx L"])
    #expect(converted.capture.summary.notes.contains { $0.hasPrefix("3 lines left out") })
    #expect(converted.capture.summary.notes.contains { $0.contains("only name a command") })
  }

  @Test func `it is said that this is the phone's side`() throws {
    let converted = try Converted(Self.first)
    let note = try #require(converted.capture.summary.notes.first)
    #expect(note.contains("phone's side"))
    #expect(note.contains("100 ms"))
    let header = converted.capture.header
    #expect(header.clock == .host)
    #expect(header.resolution == .milliseconds(1))
    #expect(header.uncertainty == .milliseconds(100))
    #expect(header.expects == nil)
  }

  @Test(
    arguments: [
      ("2026-01-31 12:00:00.204+0100", .milliseconds(1), "2026-01-31T11:00:00.204000Z"),
      ("2026-01-31T12:00:00Z", .seconds(1), "2026-01-31T12:00:00.000000Z"),
      ("2026-01-31 12:00:00.204817 -05:30", .microseconds(1), "2026-01-31T17:30:00.204817Z"),
      ("2026/01/31 12:00:00,204", .milliseconds(1), nil), ("12:00:00.204", .milliseconds(1), nil),
      ("2026/01/31 12:00:00:204", .milliseconds(1), nil),
    ] as [(String, Interval, String?)])
  func `a stamp shows its grain and, with an offset, the date`(
    stamp: String, resolution: Interval, recorded: String?
  ) throws {
    let header = try Converted("\(stamp) X90.\n").capture.header
    #expect(header.resolution == resolution)
    #expect(
      header.members.first { $0.key == "recorded" }?.value == recorded.map { .string($0) })
  }

  @Test func `one of several processes is chosen by its name`() throws {
    let log = """
      2026-01-31 12:00:00.000 Turret[1:2] sent X90.
      2026-01-31 12:00:00.500 Widget[3:4] sent X91.
      2026-01-31 12:00:00.600 Turret[1:2] aim X92.

      """
    #expect(try Converted(log, options { $0.port = "Widget" }).lines == ["0 rx X91."])
    #expect(try Converted(log, options { $0.port = "Turret" }).lines == ["0 rx X90."])
    let error = #expect(throws: CaptureError.self) { try Converted(log) }
    #expect(error?.message.contains("one process that carries bytes") == true)
    for process in ["Turret", "Widget"] {
      #expect(error?.message.contains("\(process): 4 bytes") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `a clock that was set back is refused at its line, and a step of some ms is not`()
    throws
  {
    let error = #expect(throws: CaptureError.self) {
      try Converted(Self.first + "2026-01-31 11:50:00.000 X90.\n")
    }
    #expect(error?.place == .line(2, column: 1))
    #expect(error?.message.contains("set back") == true)
    let converted = try Converted(Self.first + "2026-01-31 11:59:59.995 X90.\n")
    #expect(converted.lines == ["0 rx X1.", "0 rx X90."])
  }

  @Test(arguments: [
    "2026-02-30 12:00:00.000 X90.", "2026-01-31 25:00:00.000 X90.", "2026-01-31 12:00 X90.",
    "31.01.2026 12:00:00 X90.", "12:00:00 X90.", "X90.",
  ])
  func `a line whose time is none is left out`(line: String) throws {
    let others = "2026-01-31 12:00:01.000 L\n2026-01-31 12:00:02.000 X2.\n"
    let converted = try Converted(Self.first + others + line + "\n")
    #expect(converted.lines == ["0 rx X1.", "1 rx L", "2 rx X2."])
  }

  @Test(arguments: [
    // Only what the board sent, as tools stamp it.
    "[2026-01-31T12:00:00.123] X90.\n", "[0.000001 0.000001] X90.\n", "1795318454.397953 X90.\n",
    "Jan 31 12:00:00 X90.\n", "12:00:00.123 -> X90.\n", "12:00:00.123 -> sent X90.\n",
    "2026-01-31 12:00:00.123 090 hold ok=00012 no=00000 lost=00000 drop=00000\n",
    "2026-01-31 12:00:00.123456: APP\n58 39 30 2e\n", "12:00:00.123456 write(3, \"L\", 1) = 1\n",
  ])
  func `a log of another kind is not an app's`(log: String) {
    #expect(!CaptureKind.candidates(for: CaptureHead(Array(log.utf8))).contains(.iphoneApp))
  }

  @Test func `a log without a command says what is expected`() throws {
    let log = "2026-01-31 12:00:00.000 Turret[1:2] no face\n"
    let error = #expect(throws: CaptureError.self) { try Converted(log) }
    #expect(error?.message.contains("sent X90.") == true)
  }

  @Test func `a line of a megabyte is read, whatever is in it`() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let log = Self.first + "2026-01-31 12:00:01.000 \(long) sent X90.\n"
    #expect(try Converted(log).lines == ["0 rx X1.", "1 rx X90."])
    let commands = String(repeating: "X90. ", count: 1 << 16)
    #expect(try Converted(Self.first + "2026-01-31 12:00:01.000 \(commands)\n").lines.count == 1)
  }
}
