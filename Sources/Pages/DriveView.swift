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
  private var servos = [DrivenServo(pin: nil)]
  private var fates = ByteFates()
  /// The sender's speed, in bits a second.
  private var senderBaud: Int
  /// The events since the page last took them.
  private var news: [JSONValue] = []
  private var isRewound = false

  init(baud: Int) {
    wire = WireFrames(baud: baud)
    senderBaud = baud
  }

  /// Returns the place of the servo on a pin, which is found with its first event; nil is the
  /// session's own.
  private mutating func index(ofServoOn pin: BoardPin?) -> Int {
    if let index = servos.firstIndex(where: { $0.pin == pin }) { return index }
    // The session's own is the first, and the others follow in the order of their pins.
    let index = servos.firstIndex { other in other.pin.map { $0 > pin ?? $0 } ?? false }
    servos.insert(DrivenServo(pin: pin), at: index ?? servos.count)
    return index ?? servos.count - 1
  }

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
      let index = index(ofServoOn: pin)
      servos[index].commanded = (degrees, microseconds)
      // The pulses of a driver's channels are no events.
      if pin?.driver != nil { follow(Double(microseconds), by: index, from: event.time) }
    case .output(.pulse(let width, let pin)):
      let index = index(ofServoOn: pin)
      servos[index].pulse = width
      news.append(
        .array([time, .string("pulse"), .rounded(Shaft.degrees(of: width)), .text(pin?.name)]))
      follow(width, by: index, from: event.time)
    case .output(.tone(let hertz)): news.append(.array([time, .string("tone"), .rounded(hertz)]))
    case .fault(let strike):
      news.append(
        .array([time, .string("fault"), .string(strike.kind.rawValue), .string(strike.sentence)]))
    case .receive(let bytes): wire.send(bytes, at: event.time)
    case .baud(let baud):
      wire.setSpeed(to: baud)
      senderBaud = baud
    default: break
    }
  }

  private mutating func follow(_ width: Double, by index: Int, from time: Instant) {
    for corner in servos[index].motion.follow(pulse: width, from: time) { note(corner, of: index) }
  }

  private mutating func note(_ corner: ShaftMotion.Corner, of index: Int) {
    news.append(
      .array([
        .microseconds(corner.time), .string("shaft"), .rounded(corner.degrees),
        .text(servos[index].pin?.name),
      ]))
  }

  /// Returns what the page shows now, and what has happened since the last call, as JSON. `serial`
  /// is what passed on the line since, and `unanswered` what was not answered for 5 s.
  mutating func state(
    of device: DriveState, _ unanswered: [UInt8]?, _ serial: JSONValue
  ) -> [UInt8] {
    for index in servos.indices {
      for corner in servos[index].motion.arrive(before: device.now) { note(corner, of: index) }
    }
    var json = JSONText()
    json.add("now", .microseconds(device.now))
    json.add("rewound", .bool(isRewound))
    json.add("activity", .text(device.activity?.description))
    json.add("scanning", .bool(device.activity?.isScanning ?? false))
    json.add("servos", .array(servos.map { $0.json(at: device.now, own: device.ownServo) }))
    json.add("pins", .array(counts.pins.map { $0.json }))
    json.add("inputs", .array(counts.inputs.map { $0.json }))
    json.add("serial", serial)
    json.add("unanswered", .text(unanswered.map { SerialLog.text($0) }))
    json.add("baud", device.baud)
    json.add("senderBaud", senderBaud)
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

/// What the page shows of a servo. Its shaft rests until the first pulse.
private struct DrivenServo: Sendable {
  /// Nil for the session's own.
  let pin: BoardPin?
  var commanded: (degrees: UInt8, microseconds: UInt16)?
  /// The width of the last pulse, in microseconds.
  var pulse: Double?
  var motion = ShaftMotion(.sg90)

  /// Its pin, the commanded angle and its pulse, the angle of the last pulse, and the shaft's.
  func json(at now: Instant, own: BoardPin) -> JSONValue {
    .array([
      .string((pin ?? own).name), .whole(commanded?.degrees), .whole(commanded?.microseconds),
      pulse.map { .rounded(Shaft.degrees(of: $0)) } ?? .null, .rounded(motion.degrees(at: now)),
    ])
  }
}

extension LivePin {
  /// Its name, its level, and how often that was reported.
  fileprivate var json: JSONValue { .array([.string(pin.name), .bool(isHigh), .whole(changes)]) }
}

extension BoardInput {
  /// As an event of a trace has it: its kind, its target and its value.
  fileprivate var json: JSONValue {
    let (kind, value): (String, Double) =
      switch self {
      case .level(_, let isHigh): ("set", isHigh ? 1 : 0)
      case .voltage(_, let microvolts): ("analog", Double(microvolts) / 1e6)
      case .part(_, let millionths): ("part", Double(millionths) / 1e6)
      }
    return .array([.string(kind), .string(target), .shortest(value)])
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
  /// The pin of the servo whose events name none.
  let ownServo: BoardPin
  /// The board's speed in bits a second.
  let baud: Int
  /// The fates of the last bytes; nil if the device does not report them.
  let ledger: Ledger?

  init<D>(_ board: LiveBoard<D>) {
    now = board.settled
    activity = board.device.activity
    waitingCount = board.device.waitingCount
    onTheWayCount = board.onTheWayCount
    fault = board.device.fault?.description
    remarks = board.device.remarks
    let capabilities = board.device.capabilities
    ownServo = capabilities.ownServo
    baud = SerialLine.usualSpeed(near: board.boardBaud)
    ledger = capabilities.reportsFates ? board.ledger : nil
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
