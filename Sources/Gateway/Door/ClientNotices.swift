/// Passes notices on to a client that reads them, and counts those that one who does not read
/// misses.
struct ClientNotices: Hashable, Sendable {
  private var missed = 0

  /// What the client is sent now, in order.
  mutating func pass(_ notice: Notice, isWritable: Bool) -> [Notice] {
    guard isWritable else {
      missed += 1
      return []
    }
    defer { missed = 0 }
    return missed > 0 ? [.missed(missed), notice] : [notice]
  }
}
