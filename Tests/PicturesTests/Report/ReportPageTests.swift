import Foundation
import Sketches
import TestSupport
import Testing
import Traces

@testable import Devices
@testable import Judging
@testable import Pictures

struct ReportPageTests {
  private func header(_ title: String, _ firmware: Firmware, duration: Int) -> String {
    let title = JSONValue.string(title).text
    return #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware.rawValue)", "#
      + #""duration": \#(duration), "title": \#(title), "source": \#(title)}"# + "\n"
  }

  private func report(
    _ events: String, title: String = "t", firmware: Firmware = .classic, duration: Int = 3,
    divergence: Divergence? = nil
  ) throws -> SessionReport {
    let text = Array((header(title, firmware, duration: duration) + events).utf8)
    let reader = try TraceReader(text: text, path: "t")
    let device = ModelSource().makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    return try .make(
      of: "folder/t.jsonl", divergence, on: device, named: "model", firmware: firmware
    ) { () throws(TraceError) in try TraceReader(text: text, path: "t") }
  }

  private func html(_ report: SessionReport, _ verdict: ReportVerdict? = nil) -> String {
    let verdict = verdict ?? ReportVerdict(Verdict(.agrees, tally: Tally(matched: 2)))
    return ReportPage([ReportEntry("t.jsonl", verdict, report)], program: "sentrybench 1")
      .html { $0 }
  }

  @Test func `A report of a session with a face shows it next to the session`() throws {
    let face = "[0.5, \"x-truth\", 70]\n[0.6, \"x-shaft\", 80]\n[1.5, \"rx\", \"X45.\"]\n"
    let page = html(try report(face))
    #expect(page.contains(#"<figure class="r-picture tracking" aria-label="The face">"#))
    #expect(page.contains(#"id="f1title""#))
    #expect(page.contains(".tracking .face {"))
    // Without a style sheet of its own, which the page's policy would refuse.
    #expect(page.ranges(of: "<style").count == 1)
    #expect(!html(try report("[1.5, \"rx\", \"X45.\"]\n")).contains("aria-label=\"The face\""))
  }

  // MARK: Commands

  @Test func `A command has its meaning, its effect and its delay`() throws {
    let report = try report("[1.5, \"rx\", \"X45.\"]\n[2.0, \"rx\", \"L\"]\n")
    let commands = report.commands
    #expect(commands.map(\.bytes) == ["X45.", "L"])
    #expect(commands.map(\.meaning) == ["aim at 45°", "sweep"])
    #expect(commands.map(\.effect) == ["goes to 45°", "sweeps, first to 46°"])
    #expect(commands.map(\.guarded) == ["goes to 45°", "sweeps, first to 46°"])
    #expect(commands.allSatisfy { $0.trouble == nil })
    let delays = try commands.map { try #require($0.delay) }
    #expect(delays[0] > .zero && delays[0] < .milliseconds(1))
    #expect(delays[1] > .milliseconds(10) && delays[1] < .milliseconds(20))
  }

  /// The next command's first byte ends a number that has no full stop.
  @Test func `A cut number is late on classic, and comes to nothing on guarded`() throws {
    let report = try report("[1.5, \"rx\", \"X100\"]\n[2.0, \"rx\", \"X50.\"]\n")
    #expect(report.commands.map(\.effect) == ["goes to 100°", "nothing"])
    #expect(report.commands.map(\.guarded) == ["nothing", "goes to 50°"])
    #expect(report.commands.allSatisfy { $0.trouble != nil })
    #expect(try #require(report.commands[0].delay) > .milliseconds(490))
    #expect(report.commands[1].delay == nil)
  }

  @Test(arguments: [
    ("X90.", Firmware.classic, "aim at 90°", "stays at 90°"),
    ("X", .classic, "aim, without an angle, without its full stop", "nothing"),
    ("X999.", .guarded, "aim at 999, too far", "nothing"),
    ("T", .guarded, "sound 800 Hz", "sounds 800 Hz"),
    ("?", .guarded, "ask for the status", "answers `"),
    ("V", .guarded, "turn reports on or off", "turns its reports on or off"),
    ("zz", .classic, "not a command", "nothing"),
  ])
  func `Each kind of command is described`(
    _ bytes: String, _ firmware: Firmware, _ meaning: String, _ effect: String
  ) throws {
    let report = try report("[1.5, \"rx\", \"\(bytes)\"]\n", firmware: firmware)
    let command = try #require(report.commands.first)
    #expect(command.meaning == meaning)
    #expect(command.effect.hasPrefix(effect), "\(command.effect)")
    #expect((command.guarded == nil) == (firmware == .guarded))
  }

  /// A line end does no harm to guarded, which ignores it, but starts a purge on classic.
  @Test func `A line end is a command only where it did something`() throws {
    let events = "[1.5, \"rx\", \"X45.\\n\"]\n"
    #expect(try report(events, firmware: .guarded).commands.map(\.bytes) == ["X45."])
  }

  // MARK: The page

  @Test(arguments: [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "]]>--><svg onload=a>",
    "\u{0}\u{1B}[31m\u{202E}", "&lt;script&gt;", "'\"`",
  ])
  func `Text from a trace stays text`(_ text: String) throws {
    let quoted = JSONValue.string(String(text.unicodeScalars.filter { $0.value < 256 })).text
    let report = try report("[1.5, \"rx\", \(quoted)]\n", title: text)
    var verdict = ReportVerdict(.bad, "fails", text)
    verdict.text = text
    verdict.details = [text]
    var page = ReportPage([ReportEntry(text, verdict, report)], program: text)
    page.heading = text
    page.summary = text
    let html = page.html { $0 }
    #expect(html.matches(of: /<script/).count == 3)
    #expect(!html.contains("<img") && !html.contains("onerror=alert(1)>"))
    #expect(!html.contains("<svg onload"))
    #expect(!html.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `Any bytes give a page, and no more scripts than its own`() throws {
    var source = SeededGenerator(seed: 16)
    for round in 0..<50 {
      var line: [UInt8] = []
      line.appendQuoted(bytes: (0..<60).map { _ in UInt8.random(in: 0...255, using: &source) })
      let report = try report(
        "[1.5, \"rx\", \(String(decoding: line, as: UTF8.self))]\n",
        firmware: Firmware.allCases[round % Firmware.allCases.count])
      let count = report.guarded == nil ? 2 : 3
      #expect(html(report).matches(of: /<script/).count == count, "seed 16, round \(round)")
    }
  }

  @Test func `The policy admits the page's own script and style, and nothing else`() throws {
    let html = html(try report(""))
    let begin = try #require(html.firstRange(of: "<script>"))
    let end = try #require(html[begin.upperBound...].firstRange(of: "</script>"))
    let script = html[begin.upperBound..<end.lowerBound]
    let hash = "sha256-" + Base64.text(of: SHA256.hash(of: Array(script.utf8)))
    #expect(html.contains("script-src &#39;\(hash)&#39;"))
    #expect(html.contains("default-src &#39;none&#39;"))
    #expect(!html.contains(" style=\"") && !html.contains(" onclick="))
  }

  @Test func `The page refers to nothing outside`() throws {
    let html = html(try report("[1.5, \"rx\", \"X45.\"]\n"))
    for match in html.matches(of: /(?:href|src)="([^"]*)"/) {
      #expect(match.output.1.hasPrefix("#") || match.output.1.hasPrefix("data:"))
    }
    #expect(!html.contains("@import") && !html.contains("url(http"))
  }

  @Test func `The verdict, the counts and each fate are in the page without a script`() throws {
    let report = try report("[1.5, \"rx\", \"X45.\"]\n[2.0, \"rx\", \"z\"]\n")
    let html = html(report)
    #expect(html.contains("The device did what the trace expects."))
    #expect(html.contains("4 of 5 bytes were taken; 0 of") == false)
    #expect(html.contains("<tr data-fate=\"letter\">"))
    #expect(html.contains("<tr data-fate=\"junk\">"))
    #expect(html.contains("<figure class=\"r-picture\""))
  }

  /// Returns what a page says first, and then its counts.
  private func head(
    _ report: SessionReport, _ verdict: ReportVerdict? = nil
  ) throws -> (first: String, lead: String) {
    let html = html(report, verdict)
    let first = try #require(
      html.firstMatch(of: /<p class="r-verdict r-(.*?)"><span .*?>(.*?)<\/span> (.*?)<\/p>/))
    let lead = try #require(html.firstMatch(of: /<p class="r-lead">(.*?)<\/p>/))
    return ("\(first.1): \(first.2): \(first.3)", "\(lead.1)")
  }

  static let heads: [(events: String, first: String, lead: String)] = [
    (
      "[1.5, \"rx\", \"X100\"]\n[1.7, \"rx\", \"X110.\"]\n[2, \"rx\", \"X90.\"]\n",
      "bad: went wrong: 2 of 3 commands did not do what was meant.",
      "The device did what the trace expects. 2 outputs match, at most 0 us off. "
        + "8 of 13 bytes were taken."
    ),
    (
      "[1.5, \"rx\", \"X.\"]\n",
      "bad: went wrong: The only command did not do what was meant.",
      "The device did what the trace expects. 2 outputs match, at most 0 us off. "
        + "All of the 2 bytes were taken."
    ),
    (
      "[1.5, \"rx\", \"X45.\\r\\n\"]\n[2.5, \"rx\", \"L\\r\"]\n",
      "bad: went wrong: `\\r` is not a command, and stopped the sweep.",
      "The device did what the trace expects. 2 outputs match, at most 0 us off. "
        + "5 of 8 bytes were taken."
    ),
    (
      "[1.5, \"rx\", \"L\"]\n", "good: agrees: The device did what the trace expects.",
      "2 outputs match, at most 0 us off. "
        + "The only byte was taken, and the only command was understood."
    ),
    (
      "[1.5, \"rx\", \"X45.X90.\"]\n", "good: agrees: The device did what the trace expects.",
      "2 outputs match, at most 0 us off. "
        + "All of the 8 bytes were taken, and all of the 2 commands were understood."
    ),
    (
      "[1.5, \"rx\", \"n^*\"]\n", "good: agrees: The device did what the trace expects.",
      "2 outputs match, at most 0 us off. None of the 3 bytes was taken."
    ),
    (
      "[1.5, \"rx\", \"n^*\\n\"]\n[2.5, \"rx\", \"P9\\n\"]\n",
      "bad: unknown commands: None of 2 commands fits classic.",
      "The device did what the trace expects. 2 outputs match, at most 0 us off. "
        + "None of the 7 bytes was taken."
    ),
    (
      "[1.5, \"rx\", \"X45.\"]\n[2.5, \"rx\", \"n\"]\n",
      "good: agrees: The device did what the trace expects.",
      "2 outputs match, at most 0 us off. "
        + "4 of 5 bytes were taken; 1 of 2 commands is not known to classic."
    ),
  ]

  @Test(arguments: heads)
  func `A page opens with what went wrong, and says nothing that contradicts it`(
    _ events: String, _ first: String, _ lead: String
  ) throws {
    let found = try head(try report(events))
    #expect(found.first == first)
    #expect(found.lead == lead)
  }

  @Test func `A page opens with a bad verdict, or what is wrong with its recording`() throws {
    var report = try report("[1.5, \"rx\", \"X100\"]\n[1.7, \"rx\", \"X110.\"]\n")
    let verdict = ReportVerdict(.bad, "disagrees", "It differs.")
    var found = try head(report, verdict)
    #expect(found.first == "bad: disagrees: It differs.")
    #expect(found.lead.hasSuffix("; 2 of 2 commands did not do what was meant."))
    report.fault = ReportVerdict(
      RecordingFault.swapped(byAnswers: true, exchange: nil), .none)
    found = try head(report, verdict)
    #expect(found.first.hasPrefix("bad: swapped lines: The line to the board carries"))
    #expect(found.lead.hasPrefix("It differs. "))
  }

  /// A recording without the board's outputs, as its verdict is reported.
  private static let nothing = ReportVerdict(
    Verdict(.nothingToCompare("the recording has no outputs of the board")))

  @Test func `What was meant comes first, then the picture, then lines of the trace`() throws {
    var verdict = ReportVerdict(.bad, "fails", "1 of 1 rules failed.")
    verdict.text = "  > 3  [1.500000, \"rx\", \"X100\"]"
    let page = html(
      try report("[1.5, \"rx\", \"X100\"]\n[2.0, \"rx\", \"X50.\"]\n"), verdict)
    let parts = [
      ">What the sender probably meant and did not get</h2>", "`X100` had no end", ">Picture</h2>",
      "<pre class=\"r-text\"", ">Commands</h2>",
    ]
    let places = parts.compactMap { page.range(of: $0)?.lowerBound }
    #expect(places.count == parts.count && places == places.sorted())
  }

  @Test func `A recording with nothing to compare is said to have no fault, or the fault it has`()
    throws
  {
    var sound = try report("[1.5, \"rx\", \"X45.\"]\n")
    let unknown = html(sound, Self.nothing)
    #expect(unknown.contains("r-open\"><span class=\"r-word\">undecided"))
    sound.showsAll = true
    let good = html(sound, Self.nothing)
    #expect(good.contains("r-good\"><span class=\"r-word\">no fault found</span> Classic took the"))
    let bad = html(try report("[1.5, \"rx\", \"X181.\"]\n"), Self.nothing)
    #expect(bad.contains("r-bad\"><span class=\"r-word\">went wrong"))
    for page in [good, bad] {
      let head = try #require(page.range(of: ">Picture</h2>")).lowerBound
      #expect(!page[..<head].contains("There is nothing to compare"))
      #expect(page[head...].contains("<dd>There is nothing to compare"))
    }
  }

  @Test func `A command that is open at the end is no trouble`() throws {
    let report = try report(
      "[1.5, \"rx\", \"X45.\"]\n[2.9, \"rx\", \"X9\"]\n", firmware: .classic)
    #expect(report.commands.map(\.trouble) == [nil, nil])
    #expect(report.commands.map(\.openEnd) == [nil, "`X9` had no end yet"])
    let page = html(report)
    #expect(!page.contains("r-trouble\""))
    #expect(
      page.contains("Where the trace ends, 1 command is open, which is no fault; the rest was"))
  }

  @Test func `Elements of a page have names of their own`() throws {
    let report = try report("[1.5, \"rx\", \"X45.\"]\n")
    let verdict = ReportVerdict(.good, "agrees", "It agrees.")
    var page = ReportPage(
      (0..<3).map { ReportEntry("\($0)", verdict, report) }, program: "sentrybench 1")
    page.heading = "Three"
    let names = page.html { $0 }.matches(of: /\sid="([^"]*)"/).map { String($0.output.1) }
    #expect(Set(names).count == names.count)
  }

  // MARK: Limits

  @Test func `A session that is too large loses its trace first, then single bytes`() throws {
    var source = SeededGenerator(seed: 3)
    var events = ""
    for second in 2..<60 {
      var line: [UInt8] = []
      line.appendQuoted(bytes: (0..<900).map { _ in UInt8.random(in: 33...126, using: &source) })
      events += "[\(second), \"rx\", \(String(decoding: line, as: UTF8.self))]\n"
    }
    var report = try report(events, duration: 60)
    report.attachment = .init(
      name: "t.jsonl", gzip: Array(repeating: 0, count: ReportPage.sizeMax))
    let html = html(report)
    #expect(html.utf8.count <= ReportPage.sizeMax)
    #expect(html.contains("The trace is left out"))
  }

  @Test func `Of many sessions, all are in the index`() throws {
    let report = try report("[1.5, \"rx\", \"X45.\"]\n")
    let verdict = ReportVerdict(.good, "agrees", "It agrees.")
    var page = ReportPage(
      (0..<40).map { ReportEntry("trace \($0)", verdict, report) }, program: "sentrybench 1")
    page.heading = "Many"
    let html = page.html { $0 }
    #expect(html.utf8.count <= ReportPage.sizeMax)
    #expect((0..<40).allSatisfy { html.contains(">trace \($0)</a>") })
    #expect(html.contains("This page has no room"))
  }
}
