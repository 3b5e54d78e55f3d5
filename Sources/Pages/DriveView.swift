import Devices
import Engine
import Pictures
import Sketches
import Traces

/// What the page shows of a session that is driven, and what has happened since it last asked.
struct DriveView: Sendable {
  /// What reaches the board's pin.
  var wire: WireFrames
  private var counts = LiveCounts()
  private var motion = ShaftMotion(.sg90)
  private var fates = ByteFates()
  /// The width of the last pulse, in microseconds.
  private var pulse: Double?
  /// The events since the page last took them.
  private var news: [JSONValue] = []
  private var isRewound = false

  init(baud: Int) { wire = WireFrames(baud: baud) }

  /// Continues from an earlier moment, whose complete state the page then gets.
  mutating func rewind() {
    fates = ByteFates()
    news.removeAll()
    isRewound = true
  }

  mutating func add(_ event: Event) {
    counts.add(event)
    let time = JSONValue.microseconds(event.time)
    switch event.kind {
    case .output(.servo(let degrees, let microseconds, let pin)):
      var row: [JSONValue] = [
        time, .string("servo"), .number("\(degrees)"), .number("\(microseconds)"),
      ]
      if let pin { row.append(.string(pin.name)) }
      news.append(.array(row))
    case .output(.pulse(let width, nil)):
      let corners = motion.follow(pulse: width, from: event.time)
      pulse = width
      news.append(.array([time, .string("pulse"), .rounded(Shaft.degrees(of: width))]))
      for corner in corners { note(corner) }
    case .output(.tone(let hertz)): news.append(.array([time, .string("tone"), .rounded(hertz)]))
    case .output(.transmit(let byte)):
      news.append(.array([time, .string("sent"), .string(ByteText.name(byte))]))
    case .output(.lost(let byte, let why)):
      news.append(
        .array([time, .string("lost"), .string(ByteText.name(byte)), .string(Fate(why).meaning)]))
    case .reset: news.append(.array([time, .string("reset")]))
    case .fault(let strike):
      news.append(
        .array([time, .string("fault"), .string(strike.kind.rawValue), .string(strike.sentence)]))
    case .receive(let bytes): wire.send(bytes, at: event.time)
    case .baud(let baud): wire.setSpeed(to: baud)
    default: break
    }
  }

  private mutating func note(_ corner: ShaftMotion.Corner) {
    news.append(.array([.microseconds(corner.time), .string("shaft"), .rounded(corner.degrees)]))
  }

  /// Returns what the page shows now, and what has happened since the last call, as JSON.
  mutating func state(of device: DriveState) -> [UInt8] {
    for corner in motion.arrive(before: device.now) { note(corner) }
    var json = JSONText()
    json.add("now", .microseconds(device.now))
    json.add("rewound", .bool(isRewound))
    json.add("activity", .text(device.activity?.description))
    json.add("scanning", .bool(device.activity?.isScanning ?? false))
    json.add("commanded", .whole(counts.degrees))
    json.add("width", .whole(counts.microseconds))
    json.add("pulse", pulse.map { .rounded(Shaft.degrees(of: $0)) } ?? .null)
    json.add("shaft", .rounded(motion.degrees(at: device.now)))
    json.add("tone", counts.tone.map { .rounded($0) } ?? .null)
    json.add("waiting", .whole(device.waitingCount))
    json.add("onTheWay", .whole(device.onTheWayCount))
    json.add("fault", .text(device.fault))
    json.add("remarks", .array(device.remarks.map { .string($0) }))
    json.add("showsFates", .bool(device.ledger != nil))
    json.add("events", .array(news))
    json.add("bytes", device.ledger.map { fates.take($0) } ?? .array([]))
    json.add("frames", wire.take())
    news.removeAll()
    isRewound = false
    return Array(json.text.utf8)
  }
}

/// What the page shows of any device.
struct DriveState {
  /// The time up to which everything is known.
  let now: Instant
  let activity: Activity?
  let waitingCount: Int?
  let onTheWayCount: Int
  let fault: String?
  let remarks: [String]
  /// The fates of the last bytes; nil if the device does not report them.
  let ledger: Ledger?

  init<D>(_ board: LiveBoard<D>) {
    now = board.settled
    activity = board.device.activity
    waitingCount = board.device.waitingCount
    onTheWayCount = board.onTheWayCount
    fault = board.device.fault?.description
    remarks = board.device.remarks
    ledger = board.device.capabilities.reportsFates ? board.ledger : nil
  }
}

/// Finds what has become of bytes since the page last took them.
struct ByteFates: Sendable {
  /// The fates that the page already has, for the bytes that are still in the ledger.
  private var shown: [Fate] = []
  /// The number of the first of these, from 0.
  private var first = 0

  /// Returns the bytes that are new or whose fate has changed: the number, the byte's name, the
  /// fate, its meaning, when the byte arrived, when the sketch took it, and whether it ended a
  /// scan.
  mutating func take(_ ledger: Ledger) -> JSONValue {
    let start = ledger.arrivals - ledger.entries.count
    if start > first {
      shown.removeFirst(min(shown.count, start - first))
      first = start
    }
    var news: [JSONValue] = []
    for (index, entry) in ledger.entries.enumerated() {
      if index < shown.count {
        if shown[index] == entry.fate { continue }
        shown[index] = entry.fate
      } else {
        shown.append(entry.fate)
      }
      news.append(
        .array([
          .number("\(start + index)"), .string(ByteText.name(entry.byte)),
          .string(entry.fate.rawValue),
          .string(entry.fate == .waiting ? "waits in the buffer" : entry.fate.meaning),
          .microseconds(entry.arrived), entry.taken.map { .microseconds($0) } ?? .null,
          .bool(entry.endedScan),
        ]))
    }
    return .array(news)
  }
}

/// The bytes on the wire at the board, bit by bit, as the page draws them.
struct WireFrames: Sendable {
  /// Frames that have begun and that the page has not taken.
  private(set) var begun: [ByteFrame] = []
  private var sender: Sender

  init(baud: Int) { sender = Sender(baud: baud) }

  mutating func send(_ bytes: [UInt8], at instant: Instant) { sender.send(bytes, at: instant) }

  mutating func setSpeed(to baud: Int) { sender.baud = baud }

  mutating func advance(to now: Instant) {
    while let frame = sender.frame, frame.start <= now {
      begun.append(frame)
      sender.finishFrame()
    }
  }

  /// Returns what has begun since the last call: its start, its end, the byte's name, and the
  /// levels of its bits.
  mutating func take() -> JSONValue {
    defer { begun.removeAll() }
    return .array(
      begun.map { frame in
        var levels = ""
        for bit in 0..<frame.bitCount { levels += frame.level(ofBit: bit) ? "1" : "0" }
        return .array([
          .microseconds(frame.start), .microseconds(frame.end),
          .string(ByteText.name(frame.byte)), .string(levels),
        ])
      })
  }
}

extension JSONValue {
  /// An instant in whole microseconds.
  static func microseconds(_ instant: Instant) -> JSONValue {
    .number("\(instant.nanoseconds / 1_000)")
  }

  /// A number with at most two decimals: a finer difference cannot be seen.
  static func rounded(_ value: Double) -> JSONValue { .shortest((value * 100).rounded() / 100) }
}
