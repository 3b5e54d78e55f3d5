import Foundation
import Sketches
import TestSupport
import Testing

@testable import Pages

@Suite struct PlaygroundTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let start =
    #"{"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3}"#

  /// Sends a request and returns the answer's text; fails if it is not a result.
  private static func ask(
    _ playground: inout Playground, _ head: String, _ payload: String = ""
  ) -> String {
    var answer = playground.answer(Array("\(head)\n\(payload)".utf8))
    while answer.kind == .compress {
      _ = playground.answer(Array("done\n".utf8) + answer.bytes)
      answer = playground.answer(Array("\(head)\n\(payload)".utf8))
    }
    #expect(answer.kind == .result, "\(head): \(String(decoding: answer.bytes, as: UTF8.self))")
    return String(decoding: answer.bytes, as: UTF8.self)
  }

  private static func failure(_ playground: inout Playground, _ request: String) -> String? {
    let answer = playground.answer(Array(request.utf8))
    return answer.kind == .failure ? String(decoding: answer.bytes, as: UTF8.self) : nil
  }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// The servos of a state, each value as a text.
  private static func servos(_ state: [String: Any]) throws -> [[String]] {
    try #require(state["servos"] as? [[Any]]).map { row in
      row.map { ($0 as? String) ?? ($0 as? NSNumber)?.description ?? "nil" }
    }
  }

  @Test func `a driven turret follows an aim and its bytes have fates`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive classic")
    _ = Self.ask(&playground, "advance 1500000")
    _ = Self.ask(&playground, "send", "X45.")
    let state = try Self.object(Self.ask(&playground, "advance 500000"))
    #expect(try Self.servos(state) == [["D9", "45", "1008", "45", "45"]])
    let fates = (state["bytes"] as? [[Any]])?.compactMap { $0[2] as? String }
    #expect(fates == ["letter", "digit", "digit", "terminator"])
    #expect((state["frames"] as? [[Any]])?.count == 4)
  }

  @Test func `a byte that is swallowed says so when it happens`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive classic")
    _ = Self.ask(&playground, "advance 1500000")
    _ = Self.ask(&playground, "send", "X10X")
    let state = try Self.object(Self.ask(&playground, "advance 100000"))
    let last = try #require((state["bytes"] as? [[Any]])?.last)
    #expect(last[2] as? String == "swallowed")
    #expect(last[3] as? String == "ended a number in place of the full stop, and was lost")
  }

  @Test func `going back undoes five seconds, and the trace forgets them too`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive guarded")
    _ = Self.ask(&playground, "send", "X45.")
    for _ in 0..<6 { _ = Self.ask(&playground, "advance 1000000") }
    _ = Self.ask(&playground, "send", "X135.")
    _ = Self.ask(&playground, "advance 1000000")
    let state = try Self.object(Self.ask(&playground, "back"))
    #expect(state["rewound"] as? Bool == true)
    #expect(try Self.servos(state)[0][1] == "45")
    // The first aim took a microsecond.
    #expect(state["now"] as? Int == 2_000_001)
    #expect(!Self.ask(&playground, "driven").contains("X135."))
  }

  @Test func `the trace of a driven session replays to the same text`() {
    var playground = Playground()
    _ = Self.ask(&playground, "drive buzzer")
    for text in ["T", "X45.", "L", "X12"] {
      _ = Self.ask(&playground, "advance 700000")
      _ = Self.ask(&playground, "send", text)
    }
    let trace = Self.ask(&playground, "driven")
    let replayed = Self.ask(&playground, "replay model", trace)
    let lines = { (text: String) in text.split(separator: "\n").dropFirst() }
    #expect(lines(trace) == lines(replayed))
  }

  private static func hex(_ sketch: String) throws -> [UInt8] {
    Array(
      try Data(contentsOf: root.appendingPathComponent("firmware/\(sketch)/\(sketch).hex")))
  }

  @Test(arguments: [
    "program a.hex", "profile a.yaml", "parts", "drive chip", "drive own", "replay chip",
  ])
  func `requests for the chip are left to it, until a model is driven again`(_ head: String) {
    var playground = Playground()
    #expect(playground.answer(Array("\(head)\n".utf8)).kind == .chip)
    let isDriven = head.hasPrefix("drive")
    #expect((playground.answer(Array("advance 1\n".utf8)).kind == .chip) == isDriven)
    _ = Self.ask(&playground, "drive classic")
    #expect(playground.answer(Array("advance 1\n".utf8)).kind == .result)
  }

  @Test(arguments: [
    ("classic.hex", "classic"), ("build/blink.v2.hex", "blink.v2"), (".hex", "program"),
  ])
  func `a session on the chip is headed with its program's name`(
    _ file: String, _ name: String
  ) throws {
    var emulator = Emulator()
    let program = Array("program \(file)\n".utf8) + (try Self.hex("classic"))
    #expect(emulator.answer(program).kind == .result)
    for request in ["drive chip", "advance 1500000", "send\nX45.", "advance 500000"] {
      #expect(emulator.answer(Array("\(request)\n".utf8)).kind == .result)
    }
    let trace = String(decoding: emulator.answer(Array("driven\n".utf8)).bytes, as: UTF8.self)
    #expect(trace.contains(#""firmware": "\#(name)""#))
    #expect(trace.contains(#""servo", 45"#))
    let replayed = emulator.answer(Array("replay chip\n\(trace)".utf8))
    let lines = { (text: String) in text.split(separator: "\n").dropFirst() }
    #expect(lines(trace) == lines(String(decoding: replayed.bytes, as: UTF8.self)))
  }

  /// Sends requests to an emulator that runs a program as the user's own, and returns the last
  /// answer's text.
  private static func own(_ requests: String...) throws -> String {
    var emulator = Emulator()
    #expect(emulator.answer(Array("program a.hex\n".utf8) + (try hex("guarded"))).kind == .result)
    return requests.reduce("") { _, request in
      String(decoding: emulator.answer(Array(request.utf8)).bytes, as: UTF8.self)
    }
  }

  @Test func `what is sent and answered is the monitor's log, once, and is rewound`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive guarded")
    _ = Self.ask(&playground, "advance 1500000")
    func log(_ answer: String) throws -> [String] {
      let serial = try #require(try Self.object(answer)["serial"] as? [String: Any])
      let entries = try #require(serial["entries"] as? [[Any]])
      return entries.map { "\($0[1]) \($0[2])" }
    }
    #expect(try log(Self.ask(&playground, "send", "?\u{e9}")) == ["sent ?\u{c3}\u{a9}"])
    let answers = try log(Self.ask(&playground, "advance 500000"))
    #expect(answers.count == 1 && answers[0].hasPrefix("answered 090 hold"), "\(answers)")
    #expect(try log(Self.ask(&playground, "advance 500000")) == [])
    for _ in 0..<6 { _ = Self.ask(&playground, "advance 1000000") }
    let state = try Self.object(Self.ask(&playground, "back"))
    let serial = try #require(state["serial"] as? [String: Any])
    #expect(serial["from"] as? Int == 2)
    #expect(try log(Self.ask(&playground, "reset")) == ["reset "])
  }

  @Test func `a sender can write at another speed`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive classic")
    let state = try Self.object(Self.ask(&playground, "speed 4800"))
    #expect(state["baud"] as? Int == 9_600 && state["senderBaud"] as? Int == 4_800)
    #expect(Self.failure(&playground, "speed 0\n")?.hasPrefix("expected a speed") == true)
  }

  @Test func `the profile of a program gives its commands, names and speed`() throws {
    let profile =
      "profile turret.yaml\n" + #"commands: ["P{pan:0..180}\n"]"#
      + "\nbaud: 4800\nservos: {pan: D9}\npins: {fire: D7}\n"
    let found = try Self.object(try Self.own(profile))
    #expect(found["name"] as? String == "turret")
    #expect(found["servos"] as? [String: String] == ["D9": "pan"])
    #expect(found["pins"] as? [String: String] == ["D7": "fire"])
    #expect((found["forms"] as? [Any])?.count == 1)
    let state = try Self.object(try Self.own(profile, "drive own\n"))
    #expect(state["senderBaud"] as? Int == 4_800)
    let trace = try Self.own(profile, "drive own\n", "driven\n")
    #expect(trace.contains(#""firmware": "turret""#) && trace.contains("P{pan:0..180}"))
    // Without one, nothing is known but the program's name.
    let bare = try Self.own(profile, "profile turret.yaml\n", "drive own\n", "driven\n")
    #expect(bare.contains(#""firmware": "a""#) && !bare.contains("P{pan"))
    #expect(try Self.own("profile b.yaml\ncommands: [P\n").hasPrefix("b.yaml:2:1: error: expected"))
    #expect(try Self.own("profile b.yaml\nbaud: 1\n").contains("expected \"commands\""))
  }

  @Test func `inputs are applied, and parts are told`() throws {
    let parts = try Self.own("parts hc-sr04@D7:D8\n")
    #expect(parts.hasPrefix(#"[{"kind": "part", "target": "hc-sr04@D7:D8", "name": "a distance"#))
    let attach = "parts hc-sr04@D7:D8 pca9685@0x40\n"
    let set = try Self.object(
      try Self.own(
        attach, "drive own\n", "input\n[\"set\", \"D4\", 1]", "input\n[\"analog\", \"A0\", 2.5]",
        "input\n[\"part\", \"hc-sr04@D7:D8\", 0.5]", "advance 100000\n"))
    let inputs = try #require(set["inputs"] as? [[Any]])
    let shown = inputs.map { "\($0[0]) \($0[1]) \($0[2])" }
    #expect(shown == ["set D4 1", "analog A0 2.5", "part hc-sr04@D7:D8 0.5"])
    #expect(try Self.own("parts radio\n").contains("expected a part at a place of its own"))
    let alone = try Self.own("drive own\n", "input\n[\"part\", \"hc-sr04@D7:D8\", 0.5]")
    #expect(alone.contains("no hc-sr04@D7:D8 is attached"))
    var playground = Playground()
    #expect(
      Self.failure(&playground, "input\n[\"set\", \"D4\", 1]")?
        .contains("only on the emulated chip") == true)
    #expect(Self.failure(&playground, "input\n[\"rx\", \"X\"]") == "expected an input")
  }

  @Test func `a full line refuses more bytes`() {
    var playground = Playground()
    let text = String(repeating: "X", count: 2_000)
    _ = Self.ask(&playground, "send", text)
    #expect(
      Self.failure(&playground, "send\n\(text)")?.hasPrefix("the line is full: 2000 bytes") == true)
  }

  @Test func `the face becomes the commands of the aim, each once`() {
    var playground = Playground()
    #expect(Self.ask(&playground, "look 0.5 0.5") == "X90.")
    #expect(Self.ask(&playground, "look 0.5 0.5") == "")
    #expect(Self.ask(&playground, "look") == "L")
    #expect(Self.failure(&playground, "look 1") != nil)
  }

  @Test func `a recording has a section, a report and its trace`() throws {
    var playground = Playground()
    let trace = "\(Self.start)\n[1.5, \"rx\", \"X45.\"]\n"
    let summary = try Self.object(Self.ask(&playground, "open a.jsonl", trace))
    #expect(summary["kind"] as? String == "trace")
    #expect(Self.ask(&playground, "section").hasPrefix("<section id=\"s1\""))
    let report = Self.ask(&playground, "report", "start();")
    #expect(report.hasPrefix("<!DOCTYPE html>"))
    #expect(report.contains("<script>start();</script>"))
    // Opening a lesson does not change it.
    _ = Self.ask(&playground, "lesson", "\(Self.start)\n[2, \"rx\", \"L\"]\n")
    #expect(Self.ask(&playground, "section lesson").hasPrefix("<section id=\"s2\""))
    #expect(Self.ask(&playground, "trace") == trace)
    #expect(Self.ask(&playground, "svg").hasPrefix("<svg"))
  }

  @Test func `a recording that does not show its session says so first`() throws {
    var playground = Playground()
    let trace = "\(Self.start)\n[1.5, \"rx\", \"J 1\\nJ 2\\n\"]\n"
    let sentence = "none of 2 commands fits classic"
    let summary = try Self.object(Self.ask(&playground, "open a.jsonl", trace))
    #expect((summary["explanation"] as? [String])?.first == sentence)
    let section = Self.ask(&playground, "section")
    #expect(section.contains("None of 2 commands fits classic."))
    #expect(!section.contains("--firmware"))
    #expect(Self.ask(&playground, "explain model", trace).hasPrefix("\(sentence)\n"))
    #expect(Self.ask(&playground, "plot model", trace).contains(sentence))
  }

  @Test func `a session of a sketch that no model behaves as is shown as it was recorded`() throws {
    var playground = Playground()
    let start = Self.start.replacingOccurrences(of: "classic", with: "blink")
    let outputs = (before: #"[1, "servo", 90, 1472]"#, after: #"[2, "servo", 45, 1008]"#)
    let trace = "\(start)\n\(outputs.before)\n[1.5, \"rx\", \"X45.\"]\n\(outputs.after)\n"
    let summary = try Self.object(Self.ask(&playground, "open a.jsonl", trace))
    #expect(summary["firmware"] as? String == "blink")
    #expect(summary["verdict"] as? String == "not judged")
    #expect(Self.ask(&playground, "section").contains("What followed the bytes"))
    #expect(Self.ask(&playground, "explain model", trace).contains("arrived"))
    #expect(Self.ask(&playground, "explain-json model", trace).contains("\"outputs\""))
    #expect(Self.ask(&playground, "plot model", trace).contains("blink"))
    #expect(Self.failure(&playground, "replay model\n\(trace)")?.contains("no model") == true)
  }

  @Test func `a trace becomes a VCD file of its session`() {
    let trace = "\(Self.start)\n[1.5, \"rx\", \"X45.\"]\n"
    let request = Array("vcd a.jsonl\n\(trace)".utf8)
    var playground = Playground()
    #expect(playground.answer(request).kind == .draw)
    var converter = Converter()
    let answer = converter.answer(request)
    let text = String(decoding: answer.bytes, as: UTF8.self)
    #expect(answer.kind == .result && text.contains("$var wire 1 ! RX $end"), "\(text.prefix(600))")
    let angle = #"[1.6, "servo", 45, 1008]"#
    let recorded = converter.answer(Array("vcd a.jsonl\n\(trace)\(angle)\n".utf8))
    #expect(String(decoding: recorded.bytes, as: UTF8.self).contains("from the trace: rx, servo, "))
    #expect(converter.answer(Array("vcd a.jsonl\n\(trace)[1.6, \"rx\"]\n".utf8)).kind == .failure)
  }

  @Test func `a damaged trace is an error with its place`() {
    var playground = Playground()
    #expect(
      Self.failure(&playground, "open a.jsonl\n\(Self.start)\n[1.5, \"rx\"]\n")?
        .hasPrefix("a.jsonl:2:") == true)
  }

  @Test func `another tool's recording is converted before it is opened`() throws {
    var playground = Playground()
    let log = "> 2026/11/23 09:00:00.000000100  length=4 from=0 to=3\n 58 39 30 2e\n--\n"
    #expect(playground.answer(Array("open s.log\n\(log)".utf8)).kind == .convert)
    var converter = Converter()
    let converted = converter.answer(Array("convert s.log\n\(log)".utf8))
    let text = String(decoding: converted.bytes, as: UTF8.self)
    #expect(converted.kind == .result, "\(text)")
    let summary = try Self.object(Self.ask(&playground, "converted s.log", text))
    #expect(summary["kind"] as? String != "trace")
    #expect(Self.ask(&playground, "trace").contains("X90."))
  }

  @Test func `the lessons are the rows of the corpus's table, and their sessions run`() throws {
    var playground = Playground()
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("traces/README.md"), encoding: .utf8)
    #expect(Lesson.all.count == 12)
    for lesson in Lesson.all {
      #expect(text.contains("| \(lesson.happens) |"), "\(lesson.happens)")
      #expect(text.contains("| \(lesson.sender) |"), "\(lesson.sender)")
      _ = Self.ask(&playground, "lesson", lesson.trace)
    }
  }

  @Test func `every sketch that has a model is offered and can be driven`() throws {
    var playground = Playground()
    let names = Firmware.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    #expect(Self.ask(&playground, "sketches") == "[\(names)]")
    for firmware in Firmware.allCases {
      #expect(try Self.object(Self.ask(&playground, "drive \(firmware)"))["now"] != nil)
    }
  }

  @Test func `no request traps, whatever its bytes`() throws {
    var random = SeededGenerator(seed: Seeds.start)
    let words = [
      "advance", "send", "input", "speed", "step", "reset", "back", "driven", "drive", "look",
      "program", "profile", "parts", "open",
      "converted", "done", "lesson", "section", "report", "trace", "svg", "vcd", "replay",
      "explain",
      "explain-json", "plot", "faults", "lessons", "sketches", "style", "rig", "", "nothing",
    ]
    let arguments = [
      "", "model", "chip", "own", "guarded", "hc-sr04@D7:D8", "9600", "-1", "99999999999999999999",
      "0.5 nan", "7",
      "9000 90 1 100 2.5 follow sg90",
    ]
    var playground = Playground()
    var converter = Converter()
    var emulator = Emulator()
    _ = emulator.answer(Array("program classic.hex\n".utf8) + (try Self.hex("classic")))
    for round in 0..<400 {
      let head =
        "\(words.randomElement(using: &random)!) \(arguments.randomElement(using: &random)!)"
      var payload = Array("\(Self.start)\n[1.5, \"rx\", \"X45.\"]\n".utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        payload[Int.random(in: 0..<payload.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if round % 8 == 0 { payload = Array("7\ndrop:50%\nmix:tired-crystal".utf8) }
      let request = Array("\(head)\n".utf8) + payload
      let answer = playground.answer(request)
      #expect(
        answer.kind != .failure || !answer.bytes.isEmpty, "seed \(Seeds.start), round \(round)")
      _ = emulator.answer(request)
      _ = converter.answer(request)
      _ = converter.answer(Array("convert \(head)\n".utf8) + payload)
    }
  }
}
