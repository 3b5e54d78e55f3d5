/// A level that the board puts on a wire. The instant is exact, unlike that of an output.
package struct WireChange: Hashable, Sendable {
  package var time: Instant
  package var wire: BoardWire
  package var isHigh: Bool

  package init(time: Instant, wire: BoardWire, isHigh: Bool) {
    self.time = time
    self.wire = wire
    self.isHigh = isHigh
  }
}
