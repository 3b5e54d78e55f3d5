import Devices
import Pictures
import Traces
import Turret

/// What the page shows of a session that is driven, and what has happened since it last asked.
struct DriveView: Sendable {
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
    case .output(.tone(let hertz)):
      news.append(.array([time, .string("tone"), .rounded(hertz)]))
    case .output(.transmit(let byte)):
      news.append(.array([time, .string("sent"), .string(ByteText.name(byte))]))
    case .output(.lost(let byte, let why)):
      news.append(
        .array([time, .string("lost"), .string(ByteText.name(byte)), .string(Fate(why).meaning)]))
    case .reset: news.append(.array([time, .string("reset")]))
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
    json.add("activity", device.activity.map { .string($0.description) } ?? .null)
    json.add("scanning", .bool(device.activity?.isScanning ?? false))
    json.add("commanded", counts.degrees.map { .number("\($0)") } ?? .null)
    json.add("width", counts.microseconds.map { .number("\($0)") } ?? .null)
    json.add("pulse", pulse.map { .rounded(Shaft.degrees(of: $0)) } ?? .null)
    json.add("shaft", .rounded(motion.degrees(at: device.now)))
    json.add("tone", counts.tone.map { .rounded($0) } ?? .null)
    json.add("waiting", device.waitingCount.map { .number("\($0)") } ?? .null)
    json.add("onTheWay", .number("\(device.onTheWayCount)"))
    json.add("fault", device.fault.map { .string($0) } ?? .null)
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
