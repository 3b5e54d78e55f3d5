import Judging
import Sketches
import Testing
import Traces

/// What is wrong with a recording, from what it shows.
struct RecordingFaultTests {
  /// Facts about a sound session on classic, to change.
  private static func facts(_ change: (inout RecordingFacts) -> Void) -> RecordingFacts {
    var facts = RecordingFacts()
    facts.firmware = .classic
    facts.isRunning = true
    facts.bytes = 16
    facts.sent = census(commands: 4, bytes: 16, fitting: 16)
    change(&facts)
    return facts
  }

  private static func census(commands: Int = 4, bytes: Int, fitting: Int) -> SketchFit.Census {
    var census = SketchFit.Census()
    (census.commands, census.bytes, census.fitting) = (commands, bytes, fitting)
    census.numbers = fitting > 0 ? 1 : 0
    return census
  }

  private static func evidence(
    _ change: (inout RecordingEvidence) -> Void
  ) -> RecordingEvidence {
    var evidence = RecordingEvidence()
    change(&evidence)
    return evidence
  }

  private static let junk = census(commands: 1, bytes: 16, fitting: 0)
  private static let fast = RecordingEvidence.Speed(read: 9_600, measured: 19_200, isSure: true)
  private static let perhaps = RecordingEvidence.Speed(read: 9_600, measured: 4_800, isSure: false)

  /// The facts, and the fault.
  static let rows: [(RecordingFacts, RecordingFault?)] = [
    (facts { _ in }, nil),
    // Nothing was sent.
    (facts { $0.bytes = 0 }, .empty(why: nil)),
    (facts { ($0.bytes, $0.isRunning, $0.hasOutputs) = (0, false, true) }, nil),
    (facts { ($0.bytes, $0.isRunning) = (0, false) }, .empty(why: nil)),
    (
      facts {
        $0.bytes = 0
        $0.evidence = evidence { $0.noByte = "rx never changes" }
      }, .empty(why: "rx never changes")
    ),
    (
      facts {
        $0.bytes = 0
        $0.answered = census(bytes: 8, fitting: 8)
      }, .swapped(byAnswers: false, exchange: nil)
    ),
    // The speed.
    (
      facts {
        $0.sent = junk
        $0.evidence = evidence { $0.speed = fast }
      }, .misread(fast, isPart: false)
    ),
    (
      facts {
        $0.sent = census(bytes: 16, fitting: 10)
        $0.evidence = evidence { $0.speed = fast }
      }, .misread(fast, isPart: true)
    ),
    // Commands without an error were read correctly, whatever a few edges look like.
    (facts { $0.evidence = evidence { $0.speed = fast } }, nil),
    (
      facts {
        $0.sent = census(bytes: 16, fitting: 10)
        $0.evidence = evidence { $0.speed = perhaps }
      }, nil
    ),
    (
      facts {
        $0.sent = junk
        $0.evidence = evidence { $0.speed = perhaps }
      }, .misread(perhaps, isPart: false)
    ),
    (
      facts { ($0.atOtherSpeed, $0.otherSpeed) = (16, 19_200) },
      .sentAtOtherSpeed(count: 16, of: 16, sent: 19_200, board: 9_600)
    ),
    (facts { ($0.firmware, $0.atOtherSpeed, $0.otherSpeed) = (nil, 16, 19_200) }, nil),
    // Stop bits.
    (
      facts { ($0.sent, $0.framingErrors) = (junk, 3) },
      .noStopBits(count: 3, of: 16, baud: 9_600, isPart: false, isConverted: true)
    ),
    (
      facts { $0.framingErrors = 3 },
      .noStopBits(count: 3, of: 16, baud: 9_600, isPart: true, isConverted: true)
    ),
    (facts { $0.framingErrors = 2 }, nil),
    // The tool that wrote a log has decoded the bytes.
    (
      facts {
        ($0.sent, $0.framingErrors) = (junk, 3)
        $0.evidence = evidence { $0.exchange = "--direction reverse" }
      }, .noStopBits(count: 3, of: 16, baud: 9_600, isPart: false, isConverted: true)
    ),
    (
      facts {
        ($0.sent, $0.framingErrors) = (junk, 3)
        $0.evidence = evidence { $0.exchange = "--rx-channel tx --tx-channel rx" }
      }, .noStopBits(count: 3, of: 16, baud: 9_600, isPart: false, isConverted: false)
    ),
    (
      facts { ($0.firmware, $0.framingErrors) = (nil, 3) },
      .noStopBits(count: 3, of: 16, baud: 9_600, isPart: false, isConverted: true)
    ),
    // The polarity.
    (
      facts {
        ($0.sent, $0.framingErrors) = (junk, 8)
        $0.evidence = evidence { $0.isOtherPolarity = true }
      }, .inverted(isRead: false)
    ),
    (
      facts {
        $0.sent = junk
        $0.complements = census(bytes: 16, fitting: 16)
      }, .complemented(.classic)
    ),
    // The lines.
    (
      facts {
        ($0.sent, $0.answered) = (junk, census(bytes: 8, fitting: 8))
        $0.evidence = evidence { $0.exchange = "--direction reverse" }
      }, .swapped(byAnswers: false, exchange: "--direction reverse")
    ),
    (
      facts { ($0.sent, $0.hasAnswersToBoard) = (junk, true) },
      .swapped(byAnswers: true, exchange: nil)
    ),
    // A board that repeats commands has not swapped the lines.
    (facts { $0.answered = census(bytes: 16, fitting: 16) }, nil),
    // The sketch.
    (facts { $0.sent = junk }, .unknownCommands(junk, of: .classic, other: nil)),
    (
      facts { ($0.sent, $0.other) = (junk, .guarded) },
      .unknownCommands(junk, of: .classic, other: .guarded)
    ),
    (facts { $0.sent = census(bytes: 16, fitting: 4) }, nil),
    // A burst of other bytes among commands.
    (
      facts {
        $0.sent = census(bytes: 271, fitting: 19)
        $0.sent.numbers = 2
      }, nil
    ),
    (facts { ($0.firmware, $0.sent) = (nil, junk) }, nil),
  ]

  @Test(arguments: rows.indices)
  func `What explains most is what is wrong`(_ index: Int) {
    let (facts, fault) = Self.rows[index]
    #expect(facts.fault == fault)
  }

  @Test(arguments: rows.compactMap { $0.1 })
  func `A sentence has no full stop, and names options only where there are some`(
    _ fault: RecordingFault
  ) {
    #expect(!fault.sentence.hasSuffix("."))
    #expect(!fault.sentence.contains("--"))
    #expect(fault.text(.none) == fault.sentence)
    #expect(fault.text(.all).hasPrefix(fault.sentence))
    if case .unknownCommands = fault {
      // distil's own --firmware is another sketch.
      #expect(fault.text(.reading).contains("convert --firmware"))
    }
  }

  private static func facts(
    _ lines: String, firmware: Firmware? = nil, start: String = "unknown"
  ) throws -> RecordingFacts {
    let text =
      "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"classic\", "
      + "\"start\": \"\(start)\"}\n" + lines
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    return try RecordingFacts(&reader, firmware: firmware)
  }

  /// The events of a trace, and the first words of what is wrong; empty for nothing.
  static let traces: [(lines: String, words: String)] = [
    ("[1, \"rx\", \"X45.\"]\n[2, \"rx\", \"X90.L\"]\n", ""),
    ("[1, \"rx\", \"X45\"]\n[2, \"rx\", \"X90X\"]\n", ""),
    ("[1, \"rx\", \"n\\u00ee^*\"]\n", "what was sent is not a command of classic"),
    ("[1, \"rx\", \"P10\\nSTOP\\nP20\\n\"]\n", "none of 3 commands fits classic"),
    ("[1, \"rx\", \"X9\"]\n[1.1, \"rx\", \"abcdefghijklmnopqrst\"]\n", "only 2 of 22 bytes"),
    ("[1, \"rx\", \"?\\n?\\n\"]\n", "none of 2 commands fits classic"),
    ("[1, \"rx\", \"090 hold ok=00012 no=00003\\r\\n\"]\n", "the line to the board carries"),
    ("[1, \"tx\", \"X\"]\n[1.1, \"tx\", \"9\"]\n[1.2, \"tx\", \".\"]\n", "the commands are on"),
    ("[1, \"rx\", \"\\u00a7\\u00cb\\u00ca\\u00d1\"]\n", "the line to the board is inverted"),
    ("[0, \"baud\", 19200]\n[1, \"rx\", \"X45.\"]\n", "all of the bytes were sent at 19200 baud"),
    (
      "[1, \"rx\", \"X45.\"]\n[2, \"baud\", 4800]\n[3, \"rx\", \"X9.\"]\n",
      "3 of 7 bytes were sent at 4800 baud"
    ),
    ("[0, \"baud\", 9700]\n[1, \"rx\", \"X45.\"]\n", ""),
    ("[1, \"rx\", \"nn\"]\n[1.001, \"x-framing\", \"rx\", \"n\"]\n", "1 of 2 bytes to the board"),
    ("", "nothing was sent to the board"),
  ]

  @Test(arguments: traces)
  func `A trace shows what is wrong with its recording`(_ lines: String, _ words: String) throws {
    let fault = try Self.facts(lines).fault
    #expect(fault?.sentence.hasPrefix(words) ?? words.isEmpty, "\(fault?.sentence ?? "sound")")
  }

  @Test func `Commands of another sketch of the bench are named`() throws {
    let fault = try Self.facts("[1, \"rx\", \"?\\n?\\n\"]\n").fault
    let remedy = "guarded has such commands: add --firmware guarded"
    #expect(fault?.text(.all).hasSuffix(remedy) == true)
    #expect(try Self.facts("[1, \"rx\", \"?\\n?\\n\"]\n", firmware: .guarded).fault == nil)
  }

  @Test func `What never reached the line is counted`() throws {
    let facts = try Self.facts(
      "[1, \"rx\", \"L\"]\n[1, \"x-refused\", \"X\", \"late\"]\n[2, \"x-unsent\", \"X\"]\n"
        + "[3, \"x-unsent\", \"L\"]\n")
    #expect(facts.unsentWords == ["1 message refused", "2 writes without a board"])
  }
}
