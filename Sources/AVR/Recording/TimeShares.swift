/// How long each call has run in a stretch of time.
struct TimeShares: Sendable {
  /// More calls are not told apart.
  private static let countMax = 32

  /// The place is where the call was last.
  private var shares: [(place: RunRecord.Place, cycles: UInt64)] = []
  private var end: UInt64 = 0

  mutating func begin(at cycle: UInt64) {
    shares.removeAll(keepingCapacity: true)
    end = cycle
  }

  /// The program has been at a place until a cycle.
  mutating func add(_ place: RunRecord.Place, until cycle: UInt64) {
    let cycles = cycle - end
    end = cycle
    if let index = shares.lastIndex(where: { $0.place.node == place.node }) {
      shares[index].place = place
      shares[index].cycles += cycles
    } else if shares.count < Self.countMax {
      shares.append((place, cycles))
    }
  }

  /// The innermost call that, with what it has called, took more than half of the time, below one
  /// in which all of it was.
  func most(from start: RunRecord.Place, _ tree: CallTree) -> RunRecord.Place {
    let total = shares.reduce(0) { $0 + $1.cycles }
    var found = start
    while true {
      var calls: [(node: Int32, cycles: UInt64)] = []
      for share in shares {
        guard let call = tree.call(from: found.node, towards: share.place.node) else { continue }
        if let index = calls.firstIndex(where: { $0.node == call }) {
          calls[index].cycles += share.cycles
        } else {
          calls.append((call, share.cycles))
        }
      }
      guard let most = calls.max(by: { $0.cycles < $1.cycles }), most.cycles * 2 > total else {
        return found
      }
      found = place(in: most.node, tree)
    }
  }

  /// Where a call was: itself, or at the call of another.
  private func place(in node: Int32, _ tree: CallTree) -> RunRecord.Place {
    if let own = shares.first(where: { $0.place.node == node }) { return own.place }
    for share in shares {
      if let call = tree.call(from: node, towards: share.place.node) {
        return RunRecord.Place(node: node, pc: tree[call].call.site)
      }
    }
    return RunRecord.Place(node: node, pc: tree[node].call.entry)
  }
}

extension CallTree {
  /// The call in `outer` that led to `inner`; nil if that was not called there.
  fileprivate func call(from outer: Int32, towards inner: Int32) -> Int32? {
    var node = inner
    while node != 0, self[node].parent != outer { node = self[node].parent }
    return node == 0 ? nil : node
  }
}
