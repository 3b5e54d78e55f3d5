import Turret

/// Outputs that wait for what may yet come before them, in order of time.
struct HeldOutputs: Sendable {
  private var held: [(time: Instant, output: Output)] = []
  private var released = Instant.zero
  /// The bytes that have come since the sender was last given some; nil: nobody gives it any.
  private var forSender: [UInt8]?

  /// Whether the bytes the board transmits are held too, or only given to the sender.
  private(set) var showsTransmits = true

  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {
    self.showsTransmits = showsTransmits
    released = max(released, instant)
  }

  /// Bytes from the board that do not become outputs.
  mutating func pass(_ bytes: [UInt8]) { forSender?.append(contentsOf: bytes) }

  /// Puts an output where it belongs, behind what has the same time. Nothing happened before time
  /// 0.
  mutating func insert(_ output: Output, at time: Instant) {
    if case .transmit(let byte) = output {
      forSender?.append(byte)
      guard showsTransmits else { return }
    }
    let time = max(time, .zero)
    var index = held.count
    while index > 0, held[index - 1].time > time { index -= 1 }
    held.insert((time, output), at: index)
  }

  /// The board's bytes for the sender that have come since the last call, which the order of what
  /// is put out does not concern. They are kept from the first call on.
  mutating func takeForSender() -> [UInt8] {
    let bytes = forSender ?? []
    forSender = []
    return bytes
  }

  /// Hands over what happened before a moment. What came too late for its place still comes in
  /// order.
  mutating func take(before limit: Instant) -> [(time: Instant, output: Output)] {
    guard let first = held.first, first.time < limit else { return [] }
    let count = held.prefix { $0.time < limit }.count
    var taken = Array(held.prefix(count))
    held.removeFirst(count)
    for index in taken.indices {
      released = max(released, taken[index].time)
      taken[index].time = released
    }
    return taken
  }
}
