import Engine
import Testing

/// Random actions of clients and the board, in virtual time with a line of 960 bytes a second.
struct ArbiterPropertyTests {
  /// The seed, the control policy, and what the turret does when no client is in control.
  static let rows: [(seed: UInt64, control: ControlPolicy, onDisconnect: DisconnectAction)] =
    (0..<24).map { seed in
      (
        UInt64(seed), seed.isMultiple(of: 2) ? .first : .latest,
        DisconnectAction.allCases[seed / 2 % 3]
      )
    }

  @Test(arguments: rows)
  func `Commands are whole, timely, from the client in control, and all accounted for`(
    seed: UInt64, control: ControlPolicy, onDisconnect: DisconnectAction
  ) {
    var play = ArbiterPlay(seed: seed, control: control, onDisconnect: onDisconnect)
    for _ in 0..<400 { play.act() }
    play.settle()
    #expect(play.flaws == [], "seed \(seed)")
    // Commands were actually sent.
    #expect(play.sentCount > 50 && play.aimCount > 20, "seed \(seed)")
  }
}
