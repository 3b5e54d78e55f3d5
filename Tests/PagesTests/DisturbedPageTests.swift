import Devices
import Foundation
import Testing
import Traces

@testable import Pages

/// The faults on the line of a session that the page drives.
@Suite struct DisturbedPageTests {
  private static func text(_ answer: PageAnswer) -> String {
    String(decoding: answer.bytes, as: UTF8.self)
  }

  /// Drives a disturbed session of three commands; returns its events of each kind, and its trace.
  private static func session(
    _ sketch: String, _ faults: String, in emulator: inout Emulator
  ) throws -> (rows: [[Any]], trace: String) {
    var rows: [[Any]] = []
    let requests = [
      "drive \(sketch)\n\(faults)", "advance 2500000", "send\nX45.", "advance 400000",
      "send\nX120.X7",
      "step", "send\nX90.", "advance 1500000", "advance 1500000",
    ]
    for request in requests {
      let answer = emulator.answer(
        Array("\(request)\n".utf8).dropLast(request.contains("\n") ? 1 : 0))
      try #require(answer.kind == .result, "\(request): \(text(answer))")
      let state = try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any]
      rows += try #require(state?["events"] as? [[Any]])
    }
    return (rows, text(emulator.answer(Array("driven\n".utf8))))
  }

  @Test(arguments: [
    "drop:20%", "dup:50%", "flip:2%", "noise:200/s", "clock:+3%±0.5%", "cut:2", "merge:20ms",
    "delay:5ms±3ms", "net:jitter=30ms", "stall:100ms,every=1s", "reset:1/s,boot=100ms",
    "unplug:100ms,every=1s,boot=0s", "adapter:hm-10,loss=50%", "adapter:bridge",
    "mix:long-cheap-cable", "net:jitter=30ms\ndrop:20%\nflip:1%",
  ])
  func `the trace of a disturbed session replays to the same text without its faults`(
    _ faults: String
  ) throws {
    var emulator = Emulator()
    let (rows, trace) = try Self.session("classic", "3\n\(faults)", in: &emulator)
    var playground = Playground()
    let replayed = Self.text(playground.answer(Array("replay model\n\(trace)".utf8)))
    let lines = { (text: String) in text.split(separator: "\n").dropFirst() }
    #expect(lines(trace) == lines(replayed))
    // What the trace has, the page shows.
    let struck = rows.filter { $0[1] as? String == "fault" }
    #expect(struck.count == lines(trace).filter { $0.contains("x-fault") }.count)
    let isSubtle = faults.hasPrefix("mix") || faults.hasPrefix("adapter:bridge")
    #expect(isSubtle || !struck.isEmpty)
  }

  @Test func `the seed decides where a fault strikes, whatever was driven before`() throws {
    var emulator = Emulator()
    let first = try Self.session("classic", "1\ndrop:30%", in: &emulator).trace
    let other = try Self.session("classic", "2\ndrop:30%", in: &emulator).trace
    let again = try Self.session("classic", "1\ndrop:30%", in: &emulator).trace
    #expect(first == again)
    #expect(first != other)
  }

  @Test func `the chip's line is disturbed, too`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let hex = try Data(contentsOf: root.appendingPathComponent("firmware/classic/classic.hex"))
    var emulator = Emulator()
    #expect(emulator.answer(Array("program classic.hex\n".utf8) + Array(hex)).kind == .result)
    let (rows, trace) = try Self.session("chip", "3\ndrop:30%", in: &emulator)
    #expect(rows.contains { $0[1] as? String == "fault" })
    let replayed = Self.text(emulator.answer(Array("replay chip\n\(trace)".utf8)))
    let lines = { (text: String) in text.split(separator: "\n").dropFirst() }
    #expect(lines(trace) == lines(replayed))
  }

  @Test func `going back undoes what struck, and the same strikes again`() {
    var emulator = Emulator()
    func ask(_ requests: [String]) {
      for request in requests {
        #expect(emulator.answer(Array(request.utf8)).kind == .result, "\(request)")
      }
    }
    let second = "advance 1000000\n"
    let last = ["send\nX45.X135.X90.", second]
    ask(["drive classic\n5\ndrop:40%\nnoise:3/s"] + Array(repeating: second, count: 6) + last)
    let trace = Self.text(emulator.answer(Array("driven\n".utf8)))
    #expect(trace.contains("drop") && trace.contains("noise"))
    ask(["back\n"])
    #expect(Self.text(emulator.answer(Array("driven\n".utf8))).count < trace.count)
    ask(Array(repeating: second, count: 4) + last)
    #expect(Self.text(emulator.answer(Array("driven\n".utf8))) == trace)
  }

  @Test(arguments: [
    ("1\nreorder", "reorder: column 1: a serial line cannot reorder bytes: "),
    ("1\ndrop:x", "drop:x: column 6: expected a chance above 0% and up to 100%, as in drop:1%"),
    ("1\nmix:none", "mix:none: column 5: expected one of long-cheap-cable, "),
    ("-1\ndrop:1%", "expected a seed from 0 to 18446744073709551615"),
  ])
  func `a fault that makes no sense has the command line's message and starts no session`(
    _ faults: String, _ message: String
  ) throws {
    var emulator = Emulator()
    _ = try Self.session("classic", "1\ndrop:1%", in: &emulator)
    for head in ["faults", "drive classic"] {
      let answer = emulator.answer(Array("\(head)\n\(faults)".utf8))
      #expect(answer.kind == .failure)
      #expect(Self.text(answer).hasPrefix(message), "\(Self.text(answer))")
    }
    let state = Self.text(emulator.answer(Array("advance 1\n".utf8)))
    #expect(state.hasPrefix("{\"now\": 59"), "\(state.prefix(40))")
  }

  @Test func `what the page offers is what the command line lists, in the order along the wire`()
    throws
  {
    var emulator = Emulator()
    let answer = emulator.answer(Array("faults\n".utf8))
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [[String: Any]])
    let names = rows.compactMap { $0["name"] as? String }
    #expect(names.prefix(5) == ["cut", "merge", "stall", "net", "adapter"])
    #expect(Set(names) == Set(FaultName.allCases.map { $0.rawValue }))
    // Every row is a fault as it is offered.
    var specs: [String] = []
    for row in rows {
      let name = try #require(row["name"] as? String)
      let choices = try #require(row["choices"] as? [[String]])
      let values =
        choices.isEmpty
        ? [try #require(row["value"] as? String)]
        : choices.map { [$0[0], $0[2]].filter { !$0.isEmpty }.joined(separator: ",") }
      specs += values.map { "\(name):\($0)" }
    }
    #expect(specs.contains("adapter:hm-10,loss=1%"))
    #expect(specs.contains("burst:0.1%,length=8"))
    #expect(
      specs.count == FaultName.allCases.count - 2 + Adapter.all.count + FaultName.mixtures.count)
    let options = emulator.answer(Array("faults\n9\n\(specs.joined(separator: "\n"))".utf8))
    #expect(options.kind == .result, "\(Self.text(options))")
    #expect(Self.text(options).hasSuffix(" --fault mix:tired-crystal --seed 9"))
  }

  @Test func `a line with faults is left to the other part of the bench, until one has none`() {
    var playground = Playground()
    #expect(playground.answer(Array("faults\n".utf8)).kind == .chip)
    #expect(playground.answer(Array("advance 1\n".utf8)).kind == .result)
    #expect(playground.answer(Array("drive classic\n1\ndrop:1%".utf8)).kind == .chip)
    #expect(playground.answer(Array("advance 1\n".utf8)).kind == .chip)
    #expect(playground.answer(Array("drive classic\n".utf8)).kind == .result)
    #expect(playground.answer(Array("advance 1\n".utf8)).kind == .result)
  }
}
