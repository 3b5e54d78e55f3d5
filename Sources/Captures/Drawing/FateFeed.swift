import Sketches

/// Finds what became of bytes in a ledger that is read repeatedly while a session runs.
struct FateFeed {
  struct Item: Hashable {
    var byte: UInt8
    var fate: Fate
    var instant: Instant
  }

  /// A ledger for this purpose. It keeps more than can arrive while a sketch takes nothing.
  static var ledger: Ledger { Ledger(keeping: 1 << 16) }
  /// The most digits of one number that can be reported as abandoned.
  private static let digitsMax = 32

  /// The number of arrivals whose fate has been found.
  private var found = 0
  /// The arrivals, from 0, that are digits of the last number.
  private var digits: [Int] = []

  /// Returns the fates that have been decided since the last call. Bytes that never reached the
  /// sketch are left out: the device reports them as outputs. `now` is the time for bytes without a
  /// time of their own.
  mutating func take(_ ledger: Ledger, at now: Instant) -> [Item] {
    // Most calls find nothing.
    guard found < ledger.arrivals || !digits.isEmpty else { return [] }
    let first = ledger.arrivals - ledger.entries.count
    var items: [Item] = []
    if let last = digits.last, last >= first, ledger.entries[last - first].fate == .abandoned {
      for digit in digits where digit >= first {
        items.append(Item(byte: ledger.entries[digit - first].byte, fate: .abandoned, instant: now))
      }
      digits.removeAll()
    }
    found = max(found, first)
    while found < ledger.arrivals {
      let entry = ledger.entries[found - first]
      switch entry.fate {
      case .waiting: return items
      case .ringFull, .uartOverrun, .parity, .booting, .wireLost, .adapterLost: break
      default: items.append(Item(byte: entry.byte, fate: entry.fate, instant: entry.taken ?? now))
      }
      if entry.fate == .digit {
        if digits.count < Self.digitsMax { digits.append(found) }
      } else if entry.taken != nil {
        digits.removeAll()
      }
      found += 1
    }
    return items
  }
}
