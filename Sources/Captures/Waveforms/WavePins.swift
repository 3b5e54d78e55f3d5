package import Turret

/// The pins that a waveform shows in addition to the board's wires: those of other servos and those
/// whose levels were requested.
package struct WavePins: Hashable, Sendable {
  /// The most pins: a VCD file has one letter for each in its identifiers.
  private static let countMax = 26

  /// The pins that are drawn, in order.
  package let pins: [BoardPin]
  /// The pins of servos, which have an angle.
  package let servos: Set<BoardPin>
  /// How many pins are not drawn because there are too many.
  package let undrawnCount: Int

  package init(levels: Set<BoardPin> = [], servos: Set<BoardPin> = []) {
    let all = levels.union(servos).sorted()
    pins = Array(all.prefix(Self.countMax))
    self.servos = servos
    undrawnCount = all.count - pins.count
  }
}

/// What changes on a pin that a waveform shows.
package enum WavePinChange: Hashable, Sendable {
  /// The level. The index is that of the pin in `WavePins`.
  case level(Int, isHigh: Bool)
  /// The commanded angle, in degrees.
  case angle(Int, Double)
}
