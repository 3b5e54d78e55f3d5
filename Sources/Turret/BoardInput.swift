/// A level or a voltage applied to a pin of the board from outside. It lasts until the next one.
package enum BoardInput: Hashable, Sendable {
  /// A level: low is 0 V, high is the supply.
  case level(BoardPin, Bool)
  /// A voltage in microvolts, within `voltages`.
  case voltage(BoardPin, microvolts: Int32)

  /// 0 to 5 V: an Uno's pins tolerate no more than its supply.
  package static let voltages: ClosedRange<Int32> = 0...5_000_000

  package var pin: BoardPin {
    switch self {
    case .level(let pin, _), .voltage(let pin, _): pin
    }
  }
}
