import Judging
import Sketches
import Testing
import Traces

/// What is open where a trace ends is no fault, and a session without a fault is said to be one.
@Suite("The end of a trace") struct OpenEndTests {
  private func lines(_ firmware: String, _ head: String, _ events: String) throws -> [String] {
    let text =
      #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware)"\#(head)}"# + "\n"
      + events + "\n"
    return try SessionAccount(Array(text.utf8), path: "a.jsonl").lines
  }

  /// The lines after the table of bytes.
  private func rest(_ firmware: String, _ head: String, _ events: String) throws -> [String] {
    try Array(lines(firmware, head, events).drop { !$0.isEmpty })
  }

  private static let open = "Open where the trace ends, which is no fault:"
  private static let basis =
    " This is what the model of classic does with these bytes at these times; what the board did "
    + "was not compared."

  @Test(arguments: [
    // A recording that ends with its last write: the sketch has not looked at the last byte.
    (
      ", \"duration\": 1.504168, \"start\": \"unknown\"", #"[1.5, "rx", "X90."]"#,
      "  1.501042 s  `.` of `X90.` still waited to be taken"
    ),
    // One that its reader cut in the middle of a command.
    (
      ", \"duration\": 1.6, \"start\": \"unknown\"", #"[1.5, "rx", "X9"]"#,
      "  1.501042 s  `X9` had no end yet"
    ),
    // One that is run on, with nothing more sent.
    (
      ", \"duration\": 6.5, \"to\": 1.502084, \"start\": \"unknown\"", #"[1.5, "rx", "X9"]"#,
      "  1.501042 s  `X9` had no end yet"
    ),
    // Without a duration, the trace ends with its last event.
    (
      ", \"start\": \"unknown\"", "[1.0, \"rx\", \"L\"]\n[1.5, \"rx\", \"X90.\"]",
      "  1.501042 s  `X90.` was still on the line"
    ),
    // Nor has the sketch seen the end of the line that ends the number.
    (
      ", \"start\": \"unknown\"", "[1.0, \"rx\", \"X150\"]\n[1.1, \"rx\", \"\\n\"]",
      "  1.001042 s  `X150` had no end yet"
    ),
  ])
  func `What is open where the trace ends is said to be that, and nothing else`(
    _ head: String, _ events: String, _ line: String
  ) throws {
    let rest = try rest("classic", head, events)
    #expect(rest.prefix(3) == ["", Self.open, line], "\(rest)")
    #expect(!rest.contains(Misunderstanding.heading))
    #expect(try !lines("classic", head, events).contains { $0.contains("never") })
  }

  @Test(arguments: [
    (", \"duration\": 2.1, \"start\": \"unknown\"", "classic", "had no end: the sketch waits"),
    (", \"duration\": 2.1, \"start\": \"unknown\"", "guarded", "had no end"),
    (", \"duration\": 7, \"to\": 2.1, \"start\": \"unknown\"", "guarded", "had no end"),
  ])
  func `A number that is known to have had no end for half a second had none`(
    _ head: String, _ firmware: String, _ words: String
  ) throws {
    let rest = try rest(firmware, head, #"[1.5, "rx", "X90"]"#)
    #expect(rest.prefix(2) == ["", Misunderstanding.heading])
    #expect(rest[2].hasPrefix("  1.501042 s  `X90` \(words)"), "\(rest)")
  }

  @Test func `A number that another command follows had no end, even if that one still waits`()
    throws
  {
    let rest = try rest(
      "classic", ", \"duration\": 1.504168, \"start\": \"unknown\"", #"[1.5, "rx", "X90L"]"#)
    #expect(
      rest.prefix(6) == [
        "", Misunderstanding.heading, "  1.501042 s  `X90` had no end", "", Self.open,
        "  1.504167 s  `L` still waited to be taken",
      ], "\(rest)")
  }

  @Test(arguments: [
    ("X90.", "classic took the only whole command as it was meant."),
    ("X90.X45.", "classic took each of the 2 commands as it was meant."),
    ("X90.\\nL", "classic took each of the 2 commands as it was meant."),
  ])
  func `A session without a fault is said to be one, and what that rests on`(
    _ bytes: String, _ words: String
  ) throws {
    let rest = try rest(
      "classic", ", \"duration\": 6, \"start\": \"unknown\"", #"[0.0, "rx", "\#(bytes)"]"#)
    #expect(rest == ["", "No fault was found: \(words)\(Self.basis)"])
  }

  @Test(arguments: [
    // A fault, a byte lost on the way, a byte without a stop bit, a hole, a message refused.
    #"[1.5, "rx", "X181."]"#,
    "[1.5, \"rx\", \"X90.\"]\n[1.6, \"x-fault\", \"drop\", \"wire\", \"L\", \"\"]",
    "[1.5, \"rx\", \"X90.X91.X92.\"]\n[1.6, \"x-framing\", \"rx\", \".\"]",
    "[1.5, \"rx\", \"X90.\"]\n[1.6, \"x-gap\", \"rx\", 0.1]",
    "[1.5, \"rx\", \"X90.\"]\n[1.6, \"x-refused\", \"X91.\", \"queue-full\"]",
  ])
  func `No session of which something is missing is said to have no fault`(
    _ events: String
  ) throws {
    let lines = try lines("classic", ", \"duration\": 3", events)
    #expect(!lines.contains { $0.contains("No fault") }, "\(lines)")
  }

  @Test func `A byte that the sketch has not taken yet has no time in the table`() throws {
    let lines = try lines(
      "classic", ", \"duration\": 1.504168, \"start\": \"unknown\"", #"[1.5, "rx", "X90."]"#)
    #expect(lines.contains("  1.504167     not yet      .     waiting"), "\(lines)")
  }
}
