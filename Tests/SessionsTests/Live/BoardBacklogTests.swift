import Sketches
import Testing

@testable import Sessions

@Suite struct BoardBacklogTests {
  private static func reports(_ seconds: [Int64]) -> [String] {
    var backlog = BoardBacklog()
    return seconds.compactMap {
      backlog.note(.seconds($0))
      return backlog.takeReport()
    }
  }

  @Test(
    arguments: [
      ([0, 0, 0], []),
      // The process was stopped for a minute, and the board catches up.
      ([60, 40, 10, 0], []),
      // It falls further behind: reported after a second, and each time it has doubled.
      ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ["2", "3", "5", "9"]),
      ([30, 31, 32, 33], ["31", "32"]),
      ([0, 1, 2, 1, 0, 0], ["2", "caught up"]),
    ] as [([Int64], [String])])
  func `A board that falls behind is reported, and one that catches up is not`(
    _ seconds: [Int64], _ expected: [String]
  ) {
    let reports = Self.reports(seconds)
    #expect(reports.count == expected.count, "\(reports)")
    for (report, part) in zip(reports, expected) {
      #expect(
        report.contains("it is \(part) s behind") || report.contains(part), "\(report)")
    }
  }

  @Test(arguments: [(0, nil), (900, nil), (1_999, "1.9"), (61_040, "61")] as [(Int64, String?)])
  func `The last line of a session says how far its board was behind`(
    _ milliseconds: Int64, _ text: String?
  ) {
    var backlog = BoardBacklog()
    backlog.note(.milliseconds(milliseconds))
    let line = backlog.finalLine(end: .zero + .milliseconds(81))
    #expect(
      line
        == text.map {
          "The emulated board was slower than real time: the session ends where it was, at 0.081 s, "
            + "\($0) s behind the clock."
        })
  }
}
