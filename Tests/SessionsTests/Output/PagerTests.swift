import Sessions
import Testing

/// When a text is shown page by page.
@Suite struct PagerTests {
  private static func pager(
    _ variables: [String: String] = [:], isWatched: Bool = true, rows: Int = 24
  ) -> Pager {
    var pager = Pager(variables)
    pager.isWatched = isWatched
    pager.rows = rows
    return pager
  }

  static let cases: [(Pager, Int, [String]?)] = [
    (pager(), 290, ["less"]), (pager(rows: 300), 290, nil), (pager(), 24, ["less"]),
    (pager(), 23, nil), (pager(isWatched: false), 290, nil),
    (pager(["PAGER": "more -s"]), 290, ["/bin/sh", "-c", "more -s"]),
    (pager(["PAGER": ""]), 290, nil), (pager(["CI": "true"]), 290, nil),
    (pager(["CI": "true", "PAGER": "less"]), 290, nil), (pager(["CI": ""]), 290, ["less"]),
    (pager(["TERM": "dumb"]), 290, nil),
  ]

  @Test(arguments: cases)
  func `Only a person at a terminal gets a pager, for what does not fit`(
    _ pager: Pager, _ lines: Int, _ command: [String]?
  ) {
    #expect(pager.command(forLines: lines) == command)
  }

  @Test func `Without a terminal the text is to be printed`() {
    #expect(!Self.pager(isWatched: false).show("a\n"))
  }
}
