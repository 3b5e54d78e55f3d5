package import Sketches

/// The last minutes of a session, to be saved as a trace.
package struct RecentTrace: Sendable {
  private static let length = Interval.seconds(300)
  /// The approximate limit of the memory, in bytes: earlier events are left out.
  private static let sizeMax = 16 << 20

  private let header: Header
  private enum Item {
    case event(Event)
    /// Bytes from the board, the last of which had arrived by an instant.
    case transmitted([UInt8], by: Instant)

    var time: Instant {
      switch self {
      case .event(let event): event.time
      case .transmitted(_, let instant): instant
      }
    }
  }

  /// In order of arrival. Those before `first` are left out.
  private var items: [Item] = []
  private var first = 0
  /// The size of the items that are kept, in bytes.
  private var size = 0
  private var isCut = false

  package init(_ header: Header) { self.header = header }

  package mutating func put(_ event: Event) { put(.event(event)) }

  /// Takes bytes from the board without making them events: an event for each would cost more than
  /// passing the byte on.
  package mutating func put(transmitted bytes: [UInt8], by instant: Instant) {
    put(.transmitted(bytes, by: instant))
  }

  private mutating func put(_ item: Item) {
    items.append(item)
    size += Self.size(of: item)
    let start = item.time - Self.length
    while first < items.count - 1, size > Self.sizeMax || items[first].time < start {
      size -= Self.size(of: items[first])
      first += 1
      isCut = true
    }
    // Removes many at once, so that each item is moved about once.
    guard first > items.count / 2 else { return }
    items.removeFirst(first)
    first = 0
  }

  package mutating func goBack(to time: Instant) {
    while first < items.count, let last = items.last, last.time > time {
      size -= Self.size(of: last)
      items.removeLast()
    }
  }

  /// The trace. If events were left out, its sketch started at an unknown time.
  package var text: [UInt8] {
    var header = header
    if isCut { header.set(start: .unknown) }
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }

  private var events: [Event] {
    var arrivals = ArrivalClock(baud: header.baud)
    var events: [Event] = []
    var hasBytes = false
    for item in items[first...] {
      switch item {
      case .event(let event): events.append(event)
      case .transmitted(let bytes, let end):
        hasBytes = true
        for (index, byte) in bytes.enumerated() {
          let arrival = arrivals.end(before: bytes.count - 1 - index, readAt: end)
          let start = max(.zero, arrival - arrivals.byteTime).roundedUpToMicrosecond
          events.append(Event(start, .output(.transmit(byte))))
        }
      }
    }
    guard hasBytes else { return events }
    // A device with a delay emits its other outputs after such bytes. Events of one instant stay in
    // their order.
    return events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    .map { $0.element }
  }

  /// Returns about what an item takes in memory, in bytes; bytes from the board count as the events
  /// that they become.
  private static func size(of item: Item) -> Int {
    switch item {
    case .event(let event): size(of: event)
    case .transmitted(let bytes, _): bytes.count * MemoryLayout<Event>.stride
    }
  }

  private static func size(of event: Event) -> Int {
    let count =
      switch event.kind {
      case .receive(let bytes), .unsent(let bytes): bytes.count + 32
      case .refused(let message): message.bytes.count + 32
      case .mark(let text), .other(let text): text.utf8.count + 32
      default: 0
      }
    return MemoryLayout<Event>.stride + count
  }
}

/// A live session that is kept in memory, for a page about it.
package struct KeptTrace {
  /// The longest text that is kept, in bytes: later events are left out.
  private static let lengthMax = 32 << 20

  private var header: Header
  private var events: [UInt8] = []
  /// When the first event was left out; nil if none was.
  private var cut: Instant?

  package init(_ header: Header) { self.header = header }

  package mutating func put(_ event: Event) {
    guard cut == nil else { return }
    if events.count >= Self.lengthMax {
      cut = event.time
      return
    }
    events.appendLine(event)
  }

  /// Returns the trace of a session that ended at `end`.
  package func text(endingAt end: Instant) -> [UInt8] {
    var header = header
    header.set(duration: min(end, cut ?? end).roundedUpToMicrosecond - .zero)
    var text: [UInt8] = []
    text.appendLine(header)
    return text + events
  }
}
