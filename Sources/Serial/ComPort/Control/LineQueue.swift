package import Sketches

/// What a client of a port does to the line, in order.
package enum LineItem: Hashable, Sendable {
  case bytes([UInt8])
  /// The speed of the bytes after it, in bits a second.
  case speed(Int)
  /// The format of the bytes after it.
  case format(LineFormat)
  /// The line becomes low, and stays low until the break ends.
  case breakBegan
  case breakEnded
}

/// What waits for the line: the buffer of a port.
struct LineQueue: Hashable, Sendable {
  /// The limit of `count`. The caller takes no more from a client above it.
  static let countMax = 4_096

  private var items: [LineItem] = []
  /// The number of bytes. A break counts as one.
  private(set) var count = 0

  /// Whether nothing waits.
  var isEmpty: Bool { items.isEmpty }

  /// The lowest speed that waits, in bits a second; nil if none does.
  var slowest: Int? {
    items.lazy.compactMap { if case .speed(let speed) = $0 { speed } else { nil } }.min()
  }

  mutating func put(_ item: LineItem) {
    count += Self.count(item)
    // A speed or a format has no effect if another one follows without a byte between them.
    var index = items.count
    while index > 0 {
      index -= 1
      switch (items[index], item) {
      case (.speed, .speed), (.format, .format): items.remove(at: index)
      case (.speed, _), (.format, _): continue
      default: index = 0
      }
    }
    if case .bytes(let new) = item, case .bytes(let old) = items.last {
      items[items.count - 1] = .bytes(old + new)
    } else {
      items.append(item)
    }
  }

  /// Removes and returns the first items, with at most `room` bytes.
  mutating func take(room: Int) -> [LineItem] {
    var taken: [LineItem] = []
    var room = room
    while room > 0, let item = items.first {
      if case .bytes(let bytes) = item, bytes.count > room {
        items[0] = .bytes(Array(bytes.dropFirst(room)))
        taken.append(.bytes(Array(bytes.prefix(room))))
        count -= room
        break
      }
      items.removeFirst()
      taken.append(item)
      room -= Self.count(item)
      count -= Self.count(item)
    }
    return taken
  }

  /// Discards the bytes that wait. Speeds, formats and breaks are kept: they are the
  /// port's, not data.
  mutating func purge() {
    let kept = items.filter { if case .bytes = $0 { false } else { true } }
    items = []
    count = 0
    for item in kept { put(item) }
  }

  /// Discards the first bytes, at most `limit` of them. Returns how many. Speeds, formats and
  /// breaks are kept, as by `purge`; a break counts towards the limit.
  mutating func drop(first limit: Int) -> Int {
    let first = take(room: limit)
    let rest = items
    items = []
    count = 0
    var dropped = 0
    for item in first {
      if case .bytes(let bytes) = item { dropped += bytes.count } else { put(item) }
    }
    for item in rest { put(item) }
    return dropped
  }

  private static func count(_ item: LineItem) -> Int {
    switch item {
    case .bytes(let bytes): bytes.count
    case .breakBegan: 1
    case .speed, .format, .breakEnded: 0
    }
  }
}
