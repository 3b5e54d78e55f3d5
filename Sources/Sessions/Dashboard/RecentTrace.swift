import Traces
import Turret

/// The last minutes of a session, to be saved as a trace.
struct RecentTrace {
  private static let length = Interval.seconds(300)
  /// The most memory that is used, about: earlier events are left out.
  private static let sizeMax = 16 << 20

  private let header: Header
  /// In order of time. Those before `first` are left out.
  private var events: [Event] = []
  private var first = 0
  /// The size of those that are kept.
  private var size = 0
  /// Whether events were left out.
  private var isCut = false

  init(_ header: Header) { self.header = header }

  mutating func put(_ event: Event) {
    events.append(event)
    size += Self.size(of: event)
    let start = event.time - Self.length
    while first < events.count - 1, size > Self.sizeMax || events[first].time < start {
      size -= Self.size(of: events[first])
      first += 1
      isCut = true
    }
    // So that each event is moved about once.
    guard first > events.count / 2 else { return }
    events.removeFirst(first)
    first = 0
  }

  /// Rewinds to a moment.
  mutating func goBack(to time: Instant) {
    while first < events.count, let last = events.last, last.time > time {
      size -= Self.size(of: last)
      events.removeLast()
    }
  }

  /// Returns the trace. If events were left out, its sketch started at an unknown time.
  var text: [UInt8] {
    var header = header
    if isCut { header.set(start: .unknown) }
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events[first...] { text.appendLine(event) }
    return text
  }

  /// About what an event takes in memory, in bytes.
  private static func size(of event: Event) -> Int {
    let count =
      switch event.kind {
      case .receive(let bytes): bytes.count + 32
      case .mark(let text), .other(let text): text.utf8.count + 32
      case .baud, .reset, .input, .output: 0
      }
    return MemoryLayout<Event>.stride + count
  }
}
