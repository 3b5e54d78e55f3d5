/// What the outside applies to a pin of the board, until it applies something else.
package enum BoardInput: Hashable, Sendable {
  /// A level: low is 0 V, high is the supply.
  case level(BoardPin, Bool)
  /// A voltage in microvolts, `voltages`.
  case voltage(BoardPin, microvolts: Int32)

  /// 0 to 5 V, an Uno's supply: its pins take no more.
  package static let voltages: ClosedRange<Int32> = 0...5_000_000

  package var pin: BoardPin {
    switch self {
    case .level(let pin, _), .voltage(let pin, _): pin
    }
  }
}
