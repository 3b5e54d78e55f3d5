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

  @Test func `a driven turret follows an aim and its bytes have fates`() throws {
    var playground = Playground()
    _ = Self.ask(&playground, "drive classic")
    _ = Self.ask(&playground, "advance 1500000")
    _ = Self.ask(&playground, "send", "X45.")
    let state = try Self.object(Self.ask(&playground, "advance 500000"))
    #expect(state["commanded"] as? Int == 45)
    #expect(state["shaft"] as? Double == 45)
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
    #expect(state["commanded"] as? Int == 45)
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

  @Test(arguments: ["program a.hex", "drive chip", "replay chip"])
  func `requests for the chip are left to it, until a model is driven again`(_ head: String) {
    var playground = Playground()
    #expect(playground.answer(Array("\(head)\n".utf8)).kind == .chip)
    let isDriven = head == "drive chip"
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
      "advance", "send", "step", "reset", "back", "driven", "drive", "look", "program", "open",
      "converted", "done", "lesson", "section", "report", "trace", "svg", "vcd", "replay",
      "explain",
      "explain-json", "plot", "faults", "lessons", "sketches", "style", "rig", "", "nothing",
    ]
    let arguments = [
      "", "model", "chip", "guarded", "-1", "99999999999999999999", "0.5 nan", "7",
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
