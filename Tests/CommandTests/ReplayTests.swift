import Foundation
import Sketches
import TestSupport
import Testing

@Suite("replay", .ownThread)
struct ReplayTests {
  @Test func `A replay replaces the outputs, and copies the rest in canonical form`() throws {
    let bench = try Bench()
    let messy = Sample.bad.replacing(
      "[1.500000, \"rx\", \"X45.\"]",
      with: "[1.5,\"rx\",\"X45.\"]\n[1.5,\"mark\",\"ü\"]\n[1.50, \"x-a\",1.0]")
    try bench.write(messy, "t.jsonl")
    let outcome = try bench.run("replay", "t.jsonl")
    #expect(
      outcome.output
        == """
        \(Sample.header.dropLast()), "source": "sentrybench, model"}
        [0.000197, "servo", 90, 1472]
        [1.500000, "rx", "X45."]
        [1.500000, "mark", "\\u00fc"]
        [1.500000, "x-a", 1]
        [1.504224, "servo", 45, 1008]

        """.replacing("1.504224, \"servo\"", with: "\(Self.time(in: outcome.output)), \"servo\""))
    #expect(abs((Double(Self.time(in: outcome.output)) ?? 0) - 1.504224) < 5e-6)
  }

  @Test func `An output at the very end precedes a note after the end`() throws {
    let bench = try Bench()
    let first = try bench.run("replay", "--firmware", "guarded", "--send", "X45.", "--for", "2s")
    let line = try #require(first.lines.first { $0.contains("\"servo\", 45") })
    let time = line.dropFirst().prefix { $0 != "," }
    try bench.write(
      """
      {"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": \(time)}
      [1.500000, "rx", "X45."]
      [3.000000, "mark", "behind"]

      """, "t.jsonl")
    let second = try bench.run("replay", "t.jsonl")
    #expect(second.lines.last == "[3.000000, \"mark\", \"behind\"]")
    #expect(second.lines.contains(line))
    try bench.write(second.output, "u.jsonl")
    #expect(try bench.run("replay", "u.jsonl").output == second.output)
  }

  /// Returns the last event's time.
  static func time(in text: String) -> Substring {
    text.split(separator: "\n").last?.dropFirst().prefix { $0 != "," } ?? ""
  }

  static let sends = ["X45. L", "X45.LX10.", "qX45L X999. X.", "TOC?V X90.", ""]

  @Test(arguments: Firmware.allCases, sends)
  func `The output of replay verifies exactly`(_ firmware: Firmware, _ bytes: String) throws {
    let bench = try Bench()
    let made = try bench.run(
      "replay", "--firmware", firmware.rawValue, "--send", bytes, "--for", "4s", "-o", "t.jsonl")
    #expect(made == Bench.Outcome(status: 0, output: "", errors: ""))
    let verified = try bench.run("verify", "--tolerance", "0us", "t.jsonl")
    #expect(verified.status == 0, "\(verified.output)")
    #expect(try bench.run("replay", "t.jsonl").output == bench.read("t.jsonl"))
    // Checks that the comparison can fail.
    let text = try bench.read("t.jsonl")
    try bench.write(text.replacing("\"servo\", 90, 1472", with: "\"servo\", 89, 1461"), "t.jsonl")
    #expect(try bench.run("verify", "--tolerance", "0us", "t.jsonl").status == 1)
  }

  @Test func `With --send, --baud and --sender-baud are the speeds of the board and the sender`()
    throws
  {
    let bench = try Bench()
    let lines = try bench.run(
      "replay", "--baud", "115200", "--sender-baud", "9600", "--send", "X"
    ).lines
    #expect(lines[0].contains(#""baud": 115200"#))
    #expect(lines[1] == #"[0.000000, "baud", 9600]"#)
    let same = try bench.run("replay", "--sender-baud", "9600", "--send", "X45.")
    #expect(same.lines == (try bench.run("replay", "--send", "X45.")).lines)
    let other = try bench.run("replay", "--rx-channel", "D0", "--send", "X")
    #expect(other.status != 0 && other.errors.contains("With --send there is no recording"))
  }

  @Test func `With --send the bytes go to guarded at 1.5 s, for 5 s or the time in --for`() throws {
    let bench = try Bench()
    let lines = try bench.run("replay", "--send", "X45.").lines
    #expect(lines[0].contains(#""firmware": "guarded""#))
    #expect(lines[0].contains(#""duration": 5,"#))
    #expect(lines.contains(#"[1.500000, "rx", "X45."]"#))
    let short = try bench.run("replay", "--send", "X45.", "--for", "1600ms")
    #expect(short.first.contains(#""duration": 1.6,"#))
    // Bytes sent after the end are copied, but have no effect.
    #expect(try bench.run("replay", "--send", "L", "--for", "1s").lines.count == 3)
  }

  @Test func `With --summary the output is one JSON object with these keys in this order`() throws {
    let bench = try Bench()
    try bench.write(Sample.bad, "t.jsonl")
    #expect(
      try bench.run("replay", "--summary", "t.jsonl").output
        == #"{"seconds": 2, "events": 2, "servo": 2, "angle": 45, "lost": 0}"# + "\n")
    try bench.write(
      Sample.inputs("classic", duration: "0.0001"), "nothing.jsonl")
    #expect(
      try bench.run("replay", "--summary", "nothing.jsonl").output
        == #"{"seconds": 0.0001, "events": 0, "servo": 0, "angle": null, "lost": 0}"# + "\n")
    try bench.write(
      Sample.inputs(
        "classic", duration: "1.5", "[0.1, \"rx\", \"\(String(repeating: "X", count: 70))\"]"),
      "lost.jsonl")
    #expect(
      try bench.run("replay", "--summary", "lost.jsonl").output.hasSuffix(", \"lost\": 7}\n"))
  }

  @Test func `With --pulses or pulses in the trace there are 50 pulses a second`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    func count(_ outcome: Bench.Outcome) -> Int { outcome.lines.count { $0.contains("\"pulse\"") } }
    #expect(count(try bench.run("replay", "t.jsonl")) == 0)
    let pulses = try bench.run("replay", "--pulses", "t.jsonl")
    #expect(count(pulses) == 98)
    try bench.write(pulses.output, "p.jsonl")
    #expect(try bench.run("replay", "p.jsonl").output == pulses.output)
    #expect(try bench.run("verify", "--tolerance", "0us", "p.jsonl").status == 0)
    let one = Sample.good + "[1.900000, \"pulse\", 1008]\n"
    #expect(count(try bench.run("replay", "-", input: one)) == 98)
    try bench.write(one, "one.jsonl")
    #expect(count(try bench.run("replay", "one.jsonl")) == 98)
  }

  @Test(arguments: ["sg90", "mg996r"])
  func `With --servo the shaft's motion is added in x-shaft events, without pulses`(_ servo: String)
    throws
  {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    let plain = try bench.run("replay", "t.jsonl").lines
    let outcome = try bench.run("replay", "--servo", servo, "t.jsonl")
    #expect(outcome.lines.filter { !$0.contains("\"x-shaft\"") } == plain)
    let shaft = outcome.lines.filter { $0.contains("\"x-shaft\"") }
    // The shaft's movement from 90 to 45 degrees has two ends.
    #expect(shaft.count >= 2)
    #expect(shaft.last?.hasSuffix(", 45]") == true)
    try bench.write(outcome.output, "s.jsonl")
    #expect(try bench.run("verify", "--tolerance", "0us", "s.jsonl").status == 0)
  }

  @Test func `With -o the whole file is written or the old one stays`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    try bench.write(Sample.broken, "broken.jsonl")
    try bench.write(Sample.late, "out.jsonl")
    #expect(try bench.run("replay", "broken.jsonl", "-o", "out.jsonl").status == 65)
    #expect(try bench.read("out.jsonl") == Sample.late)
    #expect(try bench.run("replay", "t.jsonl", "-o", "out.jsonl").output == "")
    #expect(try bench.read("out.jsonl") == bench.run("replay", "t.jsonl", "-o", "-").output)
    #expect(bench.names == ["broken.jsonl", "out.jsonl", "t.jsonl"])
  }

  @Test func `Standard input is a trace like a file`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    #expect(try bench.run("replay", "-", input: Sample.good) == bench.run("replay", "t.jsonl"))
    #expect(try bench.run("verify", "-", input: Sample.bad).first.hasPrefix("-:4: error: "))
    #expect(
      try bench.run("replay", "-").errors
        == "-:1:1: error: expected a header, found an empty file\n")
  }
}
