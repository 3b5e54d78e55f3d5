package import Devices
package import Engine
import Judging
import Pictures
package import Sketches
import Traces

/// A live session in virtual time with what the page shows of it.
///
/// It is an object because its device is large: code for copying it would be loaded with the page.
package final class DriveSession<D: RealTimeDevice, Line: SenderLine> {
  /// Everything that is restored when the session is rewound.
  private struct Moment: Sendable {
    var board: LiveBoard<D>
    var line: Line
    var view: DriveView
    /// The length of the trace so far, in bytes.
    var length: Int

    /// Advances, and returns what happens.
    mutating func pass(to end: Instant) -> [Event] {
      var events: [Event] = []
      line.pass(&board, to: end) { events.append($0) }
      return events
    }

    /// Takes an input at the present instant, and returns what happens at once.
    mutating func take(_ kind: Event.Kind) -> [Event] {
      var events: [Event] = []
      board.stamp(kind, at: board.now) { events.append($0) }
      line.deliver(to: &board) { events.append($0) }
      return events
    }
  }

  private final class Snapshot: Sendable {
    let moment: Moment

    init(_ moment: Moment) { self.moment = moment }
  }

  private var moment: Moment
  /// What passed on the line. It is not a part of a moment, of which 120 are kept.
  private var serial = SerialLog()
  /// The number of the next entry that the page does not have.
  private var nextEntry = 0
  private var history = History<Snapshot>()
  private var trace = DriveTrace()

  package init(_ start: SessionStart<D>) {
    trace.text.appendLine(start.header)
    let baud = start.header.baud
    var board = LiveBoard(start.device, baud: baud, kinds: start.setup.observes)
    let line = Line(to: &board, baud: baud, start.faults)
    moment = Moment(board: board, line: line, view: DriveView(baud: baud), length: trace.text.count)
    history.keep(Snapshot(moment), at: .zero)
  }

  /// Performs a request, and returns the state or, if that was requested, the trace.
  package func perform(_ request: DriveRequest) throws(PageFailure) -> [UInt8] {
    switch request {
    case .advance(let interval): advance(by: interval)
    case .step: step()
    case .send(let bytes): try send(bytes)
    case .input(let input):
      if let refusal = moment.board.device.capabilities.refusal(of: input) {
        throw PageFailure(refusal)
      }
      add(moment.take(.input(input)))
    case .speed(let baud): add(moment.take(.baud(baud)))
    case .reset: add(moment.take(.reset(.zero)))
    case .back: goBack()
    case .trace: return try text()
    }
    defer { nextEntry = serial.next }
    return moment.view.state(
      of: DriveState(moment.board), serial.unanswered(at: moment.board.settled),
      serial.json(from: nextEntry))
  }

  /// Advances by an interval, at most `DriveLimits.advance`, to a whole microsecond. Does nothing
  /// after a fault.
  private func advance(by interval: Interval) {
    let end = moment.board.now + min(interval, DriveLimits.advance)
    pass(to: Instant(nanoseconds: end.nanoseconds / 1_000 * 1_000))
  }

  /// Advances to what happens next, but at most a second.
  private func step() {
    let end = moment.board.now + .seconds(1)
    let next = moment.board.nextDeadline ?? end
    pass(to: min(end, max(next, moment.board.now + .microseconds(1))))
  }

  private func pass(to end: Instant) {
    guard moment.board.device.fault == nil else { return }
    add(moment.pass(to: end))
    // The device keeps what it has sent until it is taken.
    _ = moment.board.takeForSender()
    moment.view.wire.advance(to: end)
    history.keep(Snapshot(moment), at: moment.board.now)
  }

  /// Sends bytes to the board. Fails if too many are already waiting.
  private func send(_ bytes: [UInt8]) throws(PageFailure) {
    guard moment.board.onTheWayCount + bytes.count <= DriveLimits.onTheWay else {
      throw PageFailure(
        "the line is full: \(moment.board.onTheWayCount) bytes wait for it")
    }
    guard !bytes.isEmpty else { return }
    add(moment.take(.receive(bytes)))
  }

  private func add(_ events: [Event]) {
    for event in events {
      moment.view.add(event)
      serial.take(event)
      trace.write(event)
    }
    moment.length = trace.text.count
  }

  /// Rewinds the session by five seconds, or as far as it is kept.
  private func goBack() {
    let target = moment.board.now - .seconds(5)
    guard let (_, earlier) = history.goBack(to: target) else { return }
    moment = earlier.moment
    moment.view.rewind()
    serial.goBack(to: moment.board.now)
    nextEntry = serial.next
    trace.cut(to: moment.length)
  }

  /// Returns the trace so far, which replays to the identical session.
  private func text() throws(PageFailure) -> [UInt8] {
    var copy = trace
    var board = moment.board
    // The mark of the end passes no fault.
    board.delayed = nil
    board.finish(at: board.now) { copy.write($0) }
    guard !copy.isCut else {
      throw PageFailure(
        "the session is too long to be saved: expected a trace of at most "
          + "\(DriveLimits.trace >> 20) MB")
    }
    return copy.text
  }
}

extension SessionSketch {
  /// Finds the sketch with a model that a request names.
  init(named name: String) throws(PageFailure) {
    guard let firmware = Firmware(rawValue: name) else {
      throw PageFailure("expected \(Firmware.list), or chip")
    }
    self.init(firmware)
  }

  /// Begins a session that the page drives, at the speed of the profile, that the sketch sets, or
  /// the usual one. `showsLevels`: whether the levels of pins are shown.
  func drive<Source: DeviceSource>(
    on source: Source, _ faults: PageFaults? = nil, showsLevels: Bool = false
  ) throws(PageFailure) -> SessionStart<Source.Made> {
    var stated = StatedSession()
    stated.title = "Driven in the playground"
    stated.showsPulses = true
    stated.faults = faults?.specs ?? []
    stated.seed = faults?.seed
    stated.profile = profile.map { .own($0) }
    var plan = SessionPlan(stated, of: self, on: source)
    plan.showsLevels = showsLevels
    do throws(DeviceError) {
      return try plan.begin(on: source, by: "sentrybench playground")
    } catch {
      throw PageFailure(error.description)
    }
  }
}

/// What the page asks of the session that it drives.
package enum DriveRequest: Hashable, Sendable {
  /// The words of the page's requests that concern the session.
  enum Word: String { case advance, step, send, input, speed, reset, back, driven }

  case advance(Interval)
  /// Advance to what happens next.
  case step
  case send([UInt8])
  /// Apply something to a pin, or tell a part.
  case input(BoardInput)
  /// Send at another speed from now on, in bits a second.
  case speed(Int)
  /// Restart the board.
  case reset
  /// Rewind the session.
  case back
  /// The trace so far, instead of the state.
  case trace

  /// Parses a request of the page. Nil if it does not concern the session.
  package init?(_ request: PageRequest) throws(PageFailure) {
    guard let word = Word(rawValue: request.word) else { return nil }
    switch word {
    case .advance:
      guard let microseconds = Int64(request.argument), microseconds >= 0,
        microseconds <= 1_000_000_000
      else { throw PageFailure("expected a number of microseconds after advance") }
      self = .advance(.microseconds(microseconds))
    case .step: self = .step
    case .send: self = .send(request.payload)
    case .input:
      let event = try PageFailure.of { () throws(TraceError) in
        try Event(untimed: request.payload, path: "input")
      }
      guard case .input(let input) = event.kind else { throw PageFailure("expected an input") }
      self = .input(input)
    case .speed:
      guard let baud = Int(request.argument), SerialLine.bauds.contains(baud) else {
        throw PageFailure("expected a speed from 1 to \(SerialLine.bauds.upperBound) baud")
      }
      self = .speed(baud)
    case .reset: self = .reset
    case .back: self = .back
    case .driven: self = .trace
    }
  }
}

/// The trace of a session that is driven, up to a maximum length.
struct DriveTrace: Sendable {
  var text: [UInt8] = []
  /// Whether events are missing at its end.
  private(set) var isCut = false

  mutating func write(_ event: Event) {
    // Fifty pulses a second would be most of a trace, and follow from the rest.
    if case .output(let output) = event.kind, output.kind.isOnRequest { return }
    guard text.count < DriveLimits.trace else {
      isCut = true
      return
    }
    text.appendLine(event)
  }

  /// Cuts the text to a length, in bytes.
  mutating func cut(to length: Int) {
    text.removeLast(text.count - min(text.count, length))
    isCut = false
  }
}

/// The limits of a session that is driven in the page.
enum DriveLimits {
  /// The longest advance in one request: a page that was hidden does not catch up.
  static var advance: Interval { .seconds(5) }
  /// The most bytes that wait for the line.
  static var onTheWay: Int { 2_048 }
  /// The longest trace, in bytes.
  static var trace: Int { 16 << 20 }
}
