import Sketches
import Testing
import Traces

/// A session that is longer than the default limit.
struct SessionLimitTests {
  private static let limit = SessionLimit(remedy: "do that")

  /// The message about a trace, and the number of events before it.
  private static func refusal(
    _ text: String, from start: Instant = .zero
  ) -> (text: String?, count: Int) {
    var count = 0
    do throws(TraceError) {
      var reader = try TraceReader(text: Array(text.utf8), path: "t")
      try reader.limit(to: limit, from: start)
      while try reader.next() != nil { count += 1 }
      return (nil, count)
    } catch {
      #expect(error.code == .tooLong)
      return (error.description, count)
    }
  }

  @Test(arguments: [
    ("", "[86400, \"mark\", \"\"]", nil),
    ("", "[1, \"mark\", \"\"]\n [86400.000000001, \"mark\", \"\"]", "t:3:3:"),
    (", \"duration\": 86400", "", nil), (", \"duration\": 86400.5", "", "t:1:"),
    // Events after the end do not count.
    (", \"duration\": 2", "[999999999, \"mark\", \"\"]", nil),
  ])
  func `A session of a day is allowed, and a longer one is refused with the position`(
    header: String, events: String, place: String?
  ) {
    let (text, _) = Self.refusal("\(head.dropLast())\(header)}\n\(events)")
    #expect((text == nil) == (place == nil))
    if let place { #expect(text?.hasPrefix("\(place) error: expected a session of ") == true) }
  }

  @Test func `Events before the limit are read`() {
    #expect(Self.refusal("\(head)\n[1, \"mark\", \"\"]\n[90000, \"mark\", \"\"]").count == 1)
  }

  @Test func `A session that starts from a state counts only the time after it`() {
    let text = "\(head)\n[100000, \"mark\", \"\"]"
    #expect(Self.refusal(text, from: .zero + .seconds(20_000)).text == nil)
    #expect(Self.refusal(text, from: .zero + .seconds(10_000)).text != nil)
    let header = "\(head.dropLast()), \"duration\": 100000}"
    #expect(Self.refusal(header, from: .zero + .seconds(20_000)).text == nil)
    #expect(Self.refusal(header).text != nil)
  }

  @Test(arguments: [
    (
      "999999999",
      "999999999 s (11574 days): a sweep of that length is about 66 billion events, "
        + "2.5 TB of trace; do that"
    ),
    (
      "86400.5",
      "86400.5 s: a sweep of that length is about 5.7 million events, "
        + "200 MB of trace; do that"
    ),
    (
      "172800",
      "172800 s (2 days): a sweep of that length is about 11 million events, "
        + "413 MB of trace; do that"
    ),
  ])
  func `The message says how much a session of that length would take`(
    seconds: String, what: String
  ) {
    let (text, _) = Self.refusal("\(head)\n[\(seconds), \"mark\", \"\"]")
    #expect(text == "t:2:2: error: expected a session of at most 86400 s, found \(what)")
  }

  @Test func `Events after the requested end do not count`() throws {
    var reader = try TraceReader(
      text: Array("\(head)\n[1, \"mark\", \"\"]\n[999999999, \"mark\", \"\"]".utf8), path: "t")
    try reader.limit(to: Self.limit)
    reader.until = .zero + .seconds(5)
    #expect(try reader.next() != nil)
    #expect(try reader.next() == nil)
  }
}
