import Sketches
import Testing

@testable import Engine

@Suite struct SettlingTests {
  /// A look at the board: its time in ms after the sender ended, bytes in transit, bytes waiting.
  struct Look: Sendable {
    var at: Int64
    var onTheWay = 0
    var waiting: Int? = 0
  }

  /// Looks, and the index of the one at which the session is over; nil if it is not.
  struct Line: Sendable, CustomStringConvertible {
    var description: String
    var looks: [Look]
    var over: Int?
    /// The time that bytes in transit at the sender's end take.
    var backlog = Interval.zero
  }

  static let lines: [Line] = [
    Line(
      description: "nothing sent: 40 ms from the first look",
      looks: [Look(at: 0), Look(at: 20), Look(at: 39), Look(at: 40)], over: 3),
    Line(
      description: "a board whose state is unknown",
      looks: [Look(at: 0, waiting: nil), Look(at: 39, waiting: nil), Look(at: 40, waiting: nil)],
      over: 2),
    Line(
      description: "bytes in transit: from their delivery",
      looks: [
        Look(at: 0, onTheWay: 9), Look(at: 2_000, onTheWay: 1), Look(at: 2_001), Look(at: 2_040),
        Look(at: 2_041),
      ], over: 4),
    Line(
      description: "bytes that wait on the board: from when they are read",
      looks: [
        Look(at: 0, waiting: 4), Look(at: 900, waiting: 4), Look(at: 1_000), Look(at: 1_040),
      ],
      over: 3),
    Line(
      description: "quiet, then new bytes: the time restarts",
      looks: [Look(at: 0), Look(at: 30, onTheWay: 2), Look(at: 50), Look(at: 89), Look(at: 90)],
      over: 4),
    Line(
      description: "a board that reads no more bytes: five seconds",
      looks: [
        Look(at: 0, waiting: 1), Look(at: 4_999, waiting: 1), Look(at: 5_000, waiting: 1),
      ], over: 2),
    Line(
      description:
        "a line that is busy is waited for as long as what was on it takes, and five seconds",
      looks: [
        Look(at: 0, onTheWay: 9), Look(at: 64_999, onTheWay: 9), Look(at: 65_000, onTheWay: 9),
      ], over: 2, backlog: .seconds(60)),
  ]

  @Test func `An output that a rule waits for extends it, up to the longest time`() {
    var settling = Settling(at: .zero, notBefore: .zero, backlog: .zero)
    _ = settling.isOver(at: .zero, onTheWay: 0, waiting: 0)
    settling.extend(to: .zero + .milliseconds(500))
    let isOver = settling.isOver(at: .zero + .milliseconds(40), onTheWay: 0, waiting: 0)
    #expect(!isOver)
    settling.extend(to: .zero + .milliseconds(300))
    #expect(settling.deadline == .zero + .milliseconds(500))
    settling.extend(to: .zero + .seconds(60))
    #expect(settling.deadline == .zero + .seconds(5))
    let isOverThen = settling.isOver(at: .zero + .seconds(5), onTheWay: 0, waiting: 0)
    #expect(isOverThen)
  }

  @Test(arguments: lines)
  func `A session is over when the line and the board have been quiet`(_ line: Line) {
    let end = Instant.zero + .seconds(3)
    var settling = Settling(at: end, notBefore: end, backlog: line.backlog)
    var over: Int?
    for (index, look) in line.looks.enumerated() where over == nil {
      let isOver = settling.isOver(
        at: end + .milliseconds(look.at), onTheWay: look.onTheWay, waiting: look.waiting)
      if isOver { over = index }
    }
    #expect(over == line.over)
  }

  @Test func `A session lasts for its minimum time and says when to check again`() {
    let end = Instant.zero + .seconds(3)
    var settling = Settling(at: end, notBefore: end + .seconds(1), backlog: .zero)
    #expect(settling.deadline == end + .seconds(1))
    let isOverEarly = settling.isOver(at: end + .milliseconds(999), onTheWay: 0, waiting: 0)
    let later = end + .milliseconds(1_200)
    let isOverLater = settling.isOver(at: later, onTheWay: 1, waiting: 0)
    #expect(!isOverEarly && !isOverLater)
    #expect(settling.deadline == later + .milliseconds(40))
  }
}
