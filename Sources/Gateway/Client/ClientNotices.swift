/// Passes notices to a client while it reads them, and counts those that it misses.
struct ClientNotices: Hashable, Sendable {
  private var missed = 0

  /// The notices to send to the client now, in order.
  mutating func pass(_ notice: Notice, isWritable: Bool) -> [Notice] {
    guard isWritable else {
      missed += 1
      return []
    }
    defer { missed = 0 }
    return missed > 0 ? [.missed(missed), notice] : [notice]
  }
}
