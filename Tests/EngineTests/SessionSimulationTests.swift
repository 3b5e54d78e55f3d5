import Devices
import TestSupport
import Testing
import Traces
import Turret

@testable import Engine

/// Sessions that are made up from a seed: what senders do with their port, a board that goes and
/// comes back, time that jumps, and a user who rewinds. What must always hold is checked after each
/// step.
@Suite struct SessionSimulationTests {
  @Test(arguments: Firmware.allCases)
  func `Whatever comes in, what must hold does`(_ firmware: Firmware) throws {
    for seed in Seeds.first(60) {
      var run = Run(firmware, seed: seed)
      for _ in 0..<200 where run.flaw == nil { run.step() }
      run.finish()
      if let flaw = run.flaw {
        Issue.record("\(firmware), seed \(seed): \(flaw)\n\(run.steps.joined(separator: "\n"))")
        return
      }
    }
  }

  @Test func `The simulation does everything that a session can meet`() {
    var words: Set<String> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      var run = Run(.classic, seed: seed)
      for _ in 0..<200 { run.step() }
      words.formUnion(run.steps.compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    #expect(
      words == [
        "pass", "send", "speed", "format", "adopt", "break", "restart", "unplug", "rejoin",
        "rewind",
        "slices",
      ])
  }
}

extension SessionSimulationTests {
  /// A session, what has gone into it, and what it has said.
  fileprivate struct Run {
    private struct Moment {
      var session: Session<Model>
      var eventCount: Int
      var sentCount: Int
    }

    private var generator: SeededGenerator
    private let header: Header
    private var session: Session<Model>
    private var events: [Event] = []
    /// The bytes that went in, on their way to a board or to none.
    private var sent: [UInt8] = []
    private var isAway = false
    private var wasAway = false
    private var wasRewound = false
    private var moments: [Moment] = []
    private(set) var steps: [String] = []
    private(set) var flaw: String?

    init(_ firmware: Firmware, seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      header = Header(firmware: firmware, duration: nil, title: nil)
      session = Session(Self.model(header), baud: 9_600, kinds: Self.kinds)
    }

    private static let kinds: Set<Output.Kind> = [.servo, .tone, .transmit, .lost]

    private static func model(_ header: Header) -> Model {
      Model(header.firmware(unless: nil), for: header, showsPulses: false)
    }

    private mutating func random(_ range: ClosedRange<Int64>) -> Int64 {
      .random(in: range, using: &generator)
    }

    // MARK: What happens

    mutating func step() {
      let longest: Int64 = [0, 3, 1_042, 20_000, 800_000].randomElement(using: &generator) ?? 0
      let now = session.now + .microseconds(random(0...longest))
      switch random(0...19) {
      case 0: setSpeed(at: now)
      case 1: setFormat(at: now)
      case 2: adoptFormat(at: now)
      case 3: changeBreak(at: now)
      case 4: restart(at: now)
      case 5: isAway ? rejoin(at: now) : unplug(at: now)
      case 6: rewind()
      case 7: passInSlices(to: now)
      case 8...13: send(at: now)
      default:
        steps.append("pass \(now)")
        session.pass(to: now) { events.append($0) }
      }
      if random(0...9) == 0 {
        moments.append(Moment(session: session, eventCount: events.count, sentCount: sent.count))
      }
      check()
    }

    private mutating func send(at now: Instant) {
      let words = ["X45.", "X1", "20.", "L", "T", "?", "\r\n", "X9X10.", "\u{7F}~"]
      var bytes = Array((words.randomElement(using: &generator) ?? "").utf8)
      if random(0...9) == 0 { bytes = Array(repeating: 0x4C, count: Int(random(1...3_000))) }
      steps.append("send \(bytes.count) at \(now)")
      sent += bytes
      if isAway {
        session.miss(bytes, at: now) { events.append($0) }
      } else {
        session.take(.receive(bytes), at: now) { events.append($0) }
      }
    }

    private mutating func setSpeed(at now: Instant) {
      let baud = [0, 1_200, 4_800, 9_600, 9_700, 115_200, 3_000_000].randomElement(
        using: &generator)
      steps.append("speed \(baud ?? 0) at \(now)")
      session.setSpeed(to: baud ?? 0, at: now) { events.append($0) }
    }

    private mutating func setFormat(at now: Instant) {
      let format =
        ["8N1", "7E1", "8N2", "5N1"].compactMap { LineFormat($0) }
        .randomElement(using: &generator) ?? .standard
      steps.append("format \(format) at \(now)")
      session.setFormat(to: format, at: now) { events.append($0) }
    }

    private mutating func adoptFormat(at now: Instant) {
      steps.append("adopt at \(now)")
      session.adoptFormat(isPty: true, at: now) { events.append($0) }
      if session.port.format.received != session.device.receivingFormat.received {
        flaw = "the board's format was not adopted"
      }
    }

    private mutating func changeBreak(at now: Instant) {
      steps.append("break at \(now)")
      if session.port.isInBreak {
        session.endBreak(at: now) { events.append($0) }
      } else {
        session.beginBreak(at: now) { events.append($0) }
      }
    }

    private mutating func restart(at now: Instant) {
      steps.append("restart at \(now)")
      let count = events.count
      for _ in 0..<2 { session.restart(deadTime: .zero, at: now) { events.append($0) } }
      let restarts = events[count...].count { $0.kind == .reset(.zero) }
      if restarts > 1 { flaw = "two edges of DTR at once restarted the board twice" }
    }

    private mutating func unplug(at now: Instant) {
      steps.append("unplug at \(now)")
      (isAway, wasAway) = (true, true)
      session.take(.mark("unplugged"), at: now) { events.append($0) }
    }

    private mutating func rejoin(at now: Instant) {
      steps.append("rejoin at \(now)")
      isAway = false
      // It has run for as long as the session.
      var board = Self.model(header)
      var recorder = Recorder()
      board.advance(to: now, into: &recorder)
      session.rejoin(board, at: now) { events.append($0) }
    }

    private mutating func rewind() {
      guard !isAway, !moments.isEmpty else { return }
      let index = Int(random(0...Int64(moments.count - 1)))
      let moment = moments[index]
      steps.append("rewind to \(moment.session.now)")
      moments.removeSubrange(index...)
      events.removeSubrange(moment.eventCount...)
      sent.removeSubrange(moment.sentCount...)
      let later = session
      session = moment.session
      wasRewound = true
      session.keepPort(of: later, at: session.now) { events.append($0) }
      let (kept, port) = (later.port, session.port)
      if (kept.baud, kept.isInBreak) != (port.baud, port.isInBreak) || kept.format != port.format {
        flaw = "the port was rewound"
      }
    }

    /// Passes as a slow computer does, in slices, and compares with passing at once.
    private mutating func passInSlices(to now: Instant) {
      steps.append("slices to \(now)")
      var whole = session
      var (expected, found): ([Event], [Event]) = ([], [])
      whole.pass(to: now) { expected.append($0) }
      var middle = session.now
      while middle < now {
        middle = min(now, middle + .microseconds(random(1...9_000)))
        session.pass(to: middle) { found.append($0) }
      }
      if found != expected { flaw = "slices changed the events" }
      events += found
    }

    // MARK: What must hold

    private mutating func check() {
      if let flaw = Self.flaw(of: session, events, sent) { self.flaw = self.flaw ?? flaw }
      if session.takeEffects() != [], session.takeEffects() != [] { flaw = "effects came twice" }
    }

    private static func flaw(
      of session: Session<Model>, _ events: [Event], _ sent: [UInt8]
    ) -> String? {
      for (event, next) in zip(events, events.dropFirst()) where event.time > next.time {
        return "time goes back at \(next)"
      }
      if let last = events.last, last.time > session.now { return "\(last) is in the future" }
      var (baud, format, isInBreak) = (9_600, LineFormat.standard, false)
      var (arrived, unsent) = (0, 0)
      for event in events {
        switch event.kind {
        case .receive(let bytes): arrived += bytes.count
        case .baud(let changed): baud = changed
        case .format(let changed): format = changed
        case .senderBreak(let length): isInBreak = length > .zero
        case .other: unsent += event.unsentCount
        default: break
        }
      }
      if arrived + unsent != sent.count {
        return "\(sent.count) bytes went in, \(arrived) were sent and \(unsent) missed"
      }
      let port = session.port
      if port.baud != baud || port.format != format || port.isInBreak != isInBreak {
        return "the port is not what the trace says"
      }
      let waiting = session.onTheWayCount
      if session.credit != max(0, 4_096 - waiting) { return "a wrong credit for \(waiting)" }
      if waiting == 0, session.holdsSenders != false { return "an empty line holds its senders" }
      if waiting > 3_000, session.holdsSenders != true { return "a full line takes more" }
      if let next = session.nextDeadline, next < session.now { return "a deadline has passed" }
      return nil
    }

    mutating func finish() {
      guard flaw == nil else { return }
      session.finish(at: session.now + .seconds(3)) { events.append($0) }
      guard events.last?.kind == .mark("end") else {
        flaw = "the session does not end with its mark"
        return
      }
      // A board that comes back is another device, which a replay does not have.
      guard !wasAway else { return }
      var replay = Replay(Self.model(header), until: nil, kinds: Self.kinds)
      var replayed: [Event] = []
      for event in events { replay.take(event) { replayed.append($0) } }
      replay.finish(after: events.last?.time ?? .zero) { replayed.append($0) }
      if replayed != events { flaw = "the trace does not replay to itself" }
    }
  }
}

extension Event {
  /// The number of bytes of an `x-unsent` event.
  fileprivate var unsentCount: Int {
    guard case .array(let items) = json, items.count == 3, case .string("x-unsent") = items[1],
      case .string(let text) = items[2]
    else { return 0 }
    return text.unicodeScalars.count
  }
}
