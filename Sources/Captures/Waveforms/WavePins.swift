package import Turret

/// The pins that a waveform shows in addition to the board's wires: those of other servos and those
/// whose levels were asked for.
package struct WavePins: Hashable, Sendable {
  /// As many have an identifier of one letter in a VCD file.
  private static let countMax = 26

  /// In order.
  package let pins: [BoardPin]
  /// Those of servos, which have an angle.
  package let servos: Set<BoardPin>
  /// How many pins are too many to be drawn.
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
