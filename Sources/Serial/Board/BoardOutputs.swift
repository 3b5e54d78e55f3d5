import Sketches

/// Outputs in order of time, held back because earlier ones may still arrive.
struct BoardOutputs: Sendable {
  private var held: [(time: Instant, output: Output)] = []
  private var released = Instant.zero
  /// The bytes received since they were last taken for the sender; nil if they never have been.
  private var forSender: [UInt8]?

  /// Whether the bytes that the board transmits are also held as outputs, or only passed to the
  /// sender.
  private(set) var showsTransmits = true

  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {
    self.showsTransmits = showsTransmits
    released = max(released, instant)
  }

  /// Passes on bytes from the board that do not become outputs.
  mutating func pass(_ bytes: [UInt8]) { forSender?.append(contentsOf: bytes) }

  /// Inserts an output by time, after those with the same time. Times before 0 count as 0.
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

  /// Takes the bytes for the sender received since the last call, in order of arrival. They are
  /// collected from the first call on.
  mutating func takeForSender() -> [UInt8] {
    let bytes = forSender ?? []
    forSender = []
    return bytes
  }

  /// Takes the outputs before `limit`. Outputs that arrived too late for their time get the time of
  /// the one before them.
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
