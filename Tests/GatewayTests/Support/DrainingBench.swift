import Gateway
import Networking

/// A bench that takes everything from the arbiter in each turn.
final class DrainingBench: TurnTaker {
  private let stand: ArbiterStand
  /// The bytes that each turn has taken.
  private(set) var turns: [String] = []

  init(_ stand: ArbiterStand) { self.stand = stand }

  func takeTurn() { turns.append(stand.drain().joined()) }
}
