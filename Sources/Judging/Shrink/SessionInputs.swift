import Devices
package import Sketches
package import Traces

/// What was sent to the board in a session, and the board.
package struct SessionInputs: Hashable, Sendable {
  private static let countMax = 1_000_000
  /// How long a session continues after its last byte.
  private static let tail = Interval.milliseconds(500)

  package var firmware: Firmware
  package var baud: Int
  /// Whether the board was already running.
  package var isRunning: Bool
  /// The inputs, in order of time.
  package var events: [Event]
  package var end: Instant

  package init(
    firmware: Firmware, baud: Int = SerialLine.usualBaud, isRunning: Bool = false,
    events: [Event], end: Instant
  ) {
    self.firmware = firmware
    self.baud = baud
    self.isRunning = isRunning
    self.events = events
    self.end = end
  }

  /// Reads the inputs of a trace. Inputs after its duration never reached the board. A recording
  /// can end with its last byte, too early to show what becomes of it, so the session can last
  /// longer.
  ///
  /// - Parameters:
  ///   - firmware: the sketch; nil for the trace's own, which must have a model.
  ///   - keepsNotes: whether to keep what rules are about although no device takes it: refused
  ///     messages and faults.
  ///   - command: the command that is given a part of the session, for the message.
  package init(
    _ reader: inout TraceReader, as firmware: Firmware? = nil, keepsNotes: Bool = false,
    for command: String
  ) throws(TraceError) {
    let header = reader.header
    var events: [Event] = []
    while let event = try reader.next() {
      let isKept = event.isInput || keepsNotes && event.isJudged
      guard isKept, event.time <= header.end ?? event.time else { continue }
      guard events.count < Self.countMax else {
        throw TraceError(
          .tooLong, path: reader.path, line: reader.line,
          "expected at most \(Self.countMax) inputs; cut out a part with convert --since and "
            + "--until, and \(command) that")
      }
      events.append(event)
    }
    self.init(
      firmware: try ModelSource().firmware(of: header, in: reader.path, unless: firmware),
      baud: header.baud, isRunning: header.start == .unknown, events: events,
      end: header.end ?? reader.time)
    end = max(end, shown)
  }

  /// Returns what happened to bytes from an instant on that should not happen to what is sent, in
  /// words; none if nothing did.
  package func mishaps(after start: Instant) -> [String] {
    var counts: [Mishap: Int] = [:]
    for entry in TrialRun(self, wanted: firmware).entries where entry.arrived >= start {
      // What waits at the end is open, and a line end that stopped nothing is no fault.
      let isLineEnd = entry.fate == .junk && entry.byte.isBlank
      if entry.fate != .waiting, !isLineEnd || entry.endedScan, let mishap = Mishap(entry.fate) {
        counts[mishap, default: 0] += 1
      }
    }
    return Mishap.allCases.compactMap { mishap in
      counts[mishap].map { "\(String(counting: $0, "byte")) \(mishap.rawValue)" }
    }
  }

  /// When the session has shown what follows its last byte.
  package var shown: Instant { sent + Self.tail }

  /// When its last byte has arrived.
  var sent: Instant {
    var end = Instant.zero
    var speed = baud
    var format = LineFormat.standard
    for event in events {
      var length = Interval.zero
      switch event.kind {
      case .receive(let bytes):
        let halfBits = Int64(bytes.count) * Int64(format.halfBitCount)
        length = .nanoseconds(halfBits * 500_000_000 / Int64(max(1, speed)))
      case .baud(let baud): speed = baud
      case .format(let new): format = new
      case .senderBreak(let low): length = low
      case .reset(let deadTime): length = deadTime
      default: break
      }
      end = max(end, event.time) + length
    }
    return end
  }

  /// Returns the inputs with their times moved, so that the first is at `start` and the others are
  /// multiples of `grain` after it. The order stays the same.
  func moved(to start: Instant, grain: Interval) -> SessionInputs {
    guard let first = events.first?.time else { return self }
    func move(_ time: Instant) -> Instant {
      let offset = (time - first).nanoseconds
      let steps = (offset + grain.nanoseconds / 2) / grain.nanoseconds
      return start + .nanoseconds(steps * grain.nanoseconds)
    }
    var moved = self
    for index in events.indices { moved.events[index].time = move(events[index].time) }
    moved.end = start + (end - first)
    return moved
  }
}

extension Event {
  /// Whether rules are about it although no device takes it.
  fileprivate var isJudged: Bool {
    if case .refused = kind { true } else { isFault }
  }
}
