import Sketches
import TestSupport
import Testing

@testable import Engine

struct ControlAssignmentTests {
  /// Steps: `+1` arrives, `-1` leaves. Changes: `g1` gained, `l1` lost, `!` abandoned.
  @Test(arguments: [
    (ControlPolicy.first, "+1 -1", "g1 | !"),
    (.first, "+1 +2 +3", "g1 | | "),
    (.first, "+1 +2 -2 -1", "g1 | | | !"),
    (.first, "+1 +2 +3 -1 -2 -3", "g1 | | | !g2 | !g3 | !"),
    (.first, "+1 +2 +3 -2 -1", "g1 | | | | !g3"),
    (.first, "+1 -1 +1", "g1 | ! | g1"),
    (.first, "+1 +2 -1 +1 -2", "g1 | | !g2 | | !g1"),
    (.latest, "+1 -1", "g1 | !"),
    (.latest, "+1 +2 +3", "g1 | l1g2 | l2g3"),
    (.latest, "+1 +2 -1 -2", "g1 | l1g2 | | !"),
    (.latest, "+1 +2 +3 -3 -2 -1", "g1 | l1g2 | l2g3 | !g2 | !g1 | !"),
    (.latest, "+1 +2 +3 -2 -3", "g1 | l1g2 | l2g3 | | !g1"),
    // A client that is already present, or never was.
    (.first, "+1 +1 -2 -1 -1", "g1 | | | ! | "),
    (.latest, "+1 +2 +1 -3 -2", "g1 | l1g2 | | | !g1"),
  ])
  func `Each arrival and departure changes control as expected`(
    policy: ControlPolicy, steps: String, expected: String
  ) throws {
    var control = ControlAssignment(policy: policy)
    var found: [String] = []
    for step in steps.split(separator: " ") {
      let client = ClientID(try #require(Int(step.dropFirst())))
      let changes = step.first == "+" ? control.join(client) : control.leave(client)
      found.append(changes.map(\.word).joined())
    }
    #expect(
      found
        == expected.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.filter { $0 != " " } })
  }

  @Test func `No client is in control if none is connected`() {
    #expect(ControlAssignment(policy: .first).controller == nil)
    #expect(ControlAssignment(policy: .latest).controller == nil)
  }

  @Test(arguments: ControlPolicy.allCases, 0..<30)
  func `There is exactly one controller while any client is connected`(
    policy: ControlPolicy, seed: Int
  ) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var control = ControlAssignment(policy: policy)
    var present: Set<ClientID> = []
    // The controller according to the changes alone.
    var controller: ClientID?
    for _ in 0..<300 {
      let client = ClientID(Int.random(in: 1...8, using: &generator))
      let isComing = Bool.random(using: &generator)
      let wasController = control.controller == client && present.contains(client)
      let changes = isComing ? control.join(client) : control.leave(client)
      if isComing { present.insert(client) } else { present.remove(client) }
      for change in changes {
        switch change {
        case .lost(let loser):
          #expect(controller == loser && present.contains(loser) && isComing)
          controller = nil
        case .abandoned:
          #expect(controller == client && wasController && !isComing)
          controller = nil
        case .gained(let winner):
          #expect(controller == nil && present.contains(winner))
          controller = winner
        }
      }
      #expect(controller == control.controller, "seed \(seed)")
      #expect((controller == nil) == present.isEmpty, "seed \(seed)")
      #expect(!wasController || isComing || changes.first == .abandoned, "seed \(seed)")
    }
  }
}

extension ControlAssignment.Change {
  fileprivate var word: String {
    switch self {
    case .gained(let client): "g\(client)"
    case .lost(let client): "l\(client)"
    case .abandoned: "!"
    }
  }
}
