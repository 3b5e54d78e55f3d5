import Devices
import Judging
import Sketches
import Testing
import Traces

/// What a search sends besides whole commands is not held against a sketch.
@Suite struct WholeCommandsTests {
  /// A session that a search made up, on a sketch that never does anything and listens 100 ms after
  /// a start. The script has milliseconds and bytes, a restart or a speed:
  /// `1500 P45\n | 1600 reset | 1700 baud 1200`.
  private static func record(
    _ script: String, _ forms: [String], baud: Int = 9_600,
    losing lost: (Int64, Output.Loss)? = nil
  ) throws -> SessionRecord {
    var setup = SessionSetup(
      firmware: .guarded,
      profile: Profile(name: "mine", commands: try forms.map { try CommandForm($0) }),
      baud: baud, reportsFates: false)
    setup.listensAfter = .milliseconds(100)
    var record = SessionRecord(setup)
    for part in script.split(separator: "|") {
      let words = part.split(separator: " ")
      let time = Instant.zero + .milliseconds(try #require(Int64(words[0])))
      let kind: Event.Kind =
        switch words[1] {
        case "reset": .reset(.zero)
        case "baud": .baud(try #require(Int(words[2])))
        default: .receive(Array(words[1].replacing("\\n", with: "\n").utf8))
        }
      if let lost, .zero + .milliseconds(lost.0) < time {
        Issue.record("the loss must come last")
      }
      record.take(Event(time, kind))
    }
    if let lost {
      record.take(
        Event(.zero + .milliseconds(lost.0), .output(.lost(UInt8(ascii: "4"), lost.1))))
    }
    record.finish(at: .zero + .seconds(9))
    return record
  }

  /// Returns whether the session tested a rule, by whose failure that shows.
  private static func isTested(_ rule: String, by record: SessionRecord) throws -> Bool {
    let value = try JSONValue.contents(of: Array(rule.utf8), path: "rule")
    let failures = RuleReport(try RuleParser(path: "").rules(Notation(value)), record).failures
    return failures.first?.cause.isTested ?? false
  }

  private static let lines = ["P{pan:0..180}\\n", "F"]

  @Test(arguments: [
    // Whole.
    ("1500 P45\\n", true), ("1500 F | 1501 P45\\n", true), ("1500 P45\\nP45\\n", true),
    // After part of another command, which the end of a line ends.
    ("1500 P | 1900 P45\\n", false), ("1500 P4P45\\n", false), ("1500 P\\nP45\\n", true),
    ("1500 zz\\nP45\\n", true), ("1500 zzP45\\n", false), ("1500 \\nP45\\n", true),
    // In two parts.
    ("1500 P4 | 1510 5\\n", false),
    // While the board starts, and after it.
    ("50 P45\\n", false), ("500 reset | 550 P45\\n", false), ("500 reset | 650 P45\\n", true),
    ("500 P4 | 501 reset | 650 5\\nP45\\n", true), ("500 P4 | 501 reset | 650 5\\n", false),
    // The board restarts before the time is up.
    ("1500 P45\\n | 1520 reset", false),
    // At another speed.
    ("1500 baud 1200 | 1510 P45\\n", false),
    ("1500 baud 1200 | 1510 F | 1600 baud 9600 | 1610 P45\\n", false),
    ("1500 baud 1200 | 1510 F | 1600 baud 9600 | 1610 \\nP45\\n", true),
    // In a flood.
    ("1500 FFFFP45\\n", false), ("1500 FFFF | 1560 P45\\n", true),
  ])
  func `A rule is judged by commands that were sent whole to a sketch that expects one`(
    script: String, isTested: Bool
  ) throws {
    let record = try Self.record(script, Self.lines)
    let rule = #"{"servo": 110, "within": "50ms", "of": "P45\n"}"#
    #expect(try Self.isTested(rule, by: record) == isTested)
  }

  /// At 115 200 bits a second, 64 bytes arrive in 5.6 ms.
  @Test(arguments: [
    (58, 0, false), (57, 0, true), (58, 49, false), (58, 60, true), (300, 49, false),
  ])
  func `A command with which more arrives than a board keeps is no attempt`(
    junk: Int, pause: Int, isTested: Bool
  ) throws {
    let junk = String(repeating: "7", count: junk) + "\\n"
    let script = "1500 \(junk) | \(1_500 + pause) P120\\n"
    let record = try Self.record(script, Self.lines, baud: 115_200)
    let rule = #"{"servo": 110, "within": "50ms", "of": "P120\n"}"#
    #expect(try Self.isTested(rule, by: record) == isTested)
  }

  @Test(arguments: [
    // Nothing says where a frame ends that was cut.
    (["<{pan:u8}", "[{pan:u8}"], "1500 z | 2500 <A", false),
    (["<{pan:u8}", "[{pan:u8}"], "1500 [B | 2500 <A", true),
    // Each byte is a command.
    (["A", "B"], "1500 z | 1600 A", true),
    // A pause ends each.
    (["{pan:0..180}{pause 20ms}"], "1500 4z | 1700 45", true),
    (["{pan:0..180}{pause 20ms}"], "1500 4z | 1505 45", false),
  ])
  func `After what a sketch expects a command depends on how its commands end`(
    forms: [String], script: String, isTested: Bool
  ) throws {
    let record = try Self.record(script, forms)
    let command = try #require(script.split(separator: " ").last)
    let rule = #"{"servo": 110, "within": "50ms", "of": "\#(command)"}"#
    #expect(try Self.isTested(rule, by: record) == isTested)
  }

  @Test(arguments: [
    ("1500 P45\\n", Output.Loss.uartOverrun, true), ("1500 P45\\n", .ringFull, true),
    ("1500 P45\\n", .booting, false), ("1500 zz", .uartOverrun, false),
  ])
  func `A byte of a whole command that is lost is held against the sketch`(
    script: String, loss: Output.Loss, isTested: Bool
  ) throws {
    let record = try Self.record(script, Self.lines, losing: (1_510, loss))
    #expect(try Self.isTested(#"{"never": "lost"}"#, by: record) == isTested)
  }

  /// Line feeds between commands are no commands.
  @Test(arguments: [(59, true), (60, false), (200, false)])
  func `A byte that is lost in a flood is not held against the sketch`(
    spaces: Int, isTested: Bool
  ) throws {
    let flood = String(repeating: "\\n", count: spaces)
    let record = try Self.record(
      "1500 P45\\n\(flood)", Self.lines, baud: 115_200, losing: (1_510, .ringFull))
    #expect(try Self.isTested(#"{"never": "lost"}"#, by: record) == isTested)
  }

  @Test(arguments: [
    #"{"never": "reset"}"#, #"{"never": "wrong-speed"}"#, #"{"never": ["junk", "abandoned"]}"#,
    #"{"commands": 1}"#, #"{"gap": "at least 1s"}"#, #"{"commands": "at most 1 in 1s"}"#,
    #"{"ends": {"servo": 45}}"#, #"{"pin D7": "pulse", "at most": "700ms"}"#,
  ])
  func `What the search did itself breaks no rule`(rule: String) throws {
    let record = try Self.record(
      "1500 P200\\nzP4 | 1600 reset | 1700 baud 1200 | 1800 P45\\nF", Self.lines)
    #expect(try !Self.isTested(rule, by: record))
  }
}
