import Devices
import Engine
import Traces
import Turret
import Verification

@testable import Sessions

/// A session on the model with a client, without a socket. Takes requests as text, and returns what
/// is written to the client. Time passes with `pass`.
final class AskedSession {
  var session: APISession
  var live: Session<Model>
  var counts = LiveCounts()
  var isEnding = false
  /// The pins that the session has begun to watch.
  var watched: Set<BoardPin> = []
  /// The number of bytes that the client has not read.
  var backlog = 0

  /// `sketch` is the sketch's name in the session's header; nil for that of `firmware`. `pins` are
  /// those whose levels the session shows from its start on; nil if it shows none at all.
  init(
    _ firmware: Firmware = .classic, sketch: String? = nil, isVirtual: Bool = false,
    log: APILog = APILog(), pins: Set<BoardPin>? = nil
  ) {
    var header = Header(firmware: firmware, duration: nil, title: nil)
    if let sketch { header.set(sketch: sketch) }
    let kinds = Set(Output.Kind.allCases).subtracting(pins == nil ? [.pulse, .pin] : [.pulse])
    var setup = SessionSetup(
      firmware: firmware, profile: sketch.map { Profile(undescribed: $0) }, observes: kinds)
    setup.pins = .some(pins ?? [])
    var setting = APISetting(header: header, setup: setup, device: "model")
    setting.isVirtual = isVirtual
    setting.environment = [("SENTRY_PORT", "/tmp/port")]
    session = APISession(setting, log: log)
    let device = ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: false)
    live = Session(device, baud: 9_600, kinds: kinds)
  }

  private var moment: APIMoment {
    var moment = APIMoment(now: live.now, settled: live.settled, baud: session.baud)
    moment.activity = live.device.activity
    moment.counts = counts
    moment.commands = live.ledger.commands
    moment.onTheWay = live.onTheWayCount
    moment.waiting = live.device.waitingCount
    moment.backlog = backlog
    return moment
  }

  /// Sends a line. Returns what is written to the client, line by line.
  func ask(_ line: String) -> [String] { ask(Array(line.utf8)) }

  func ask(_ line: [UInt8]) -> [String] { carryOut(session.handle(.text(line), moment)) }

  /// Makes a request with the id 9.
  func ask(_ request: APIRequest) -> [String] {
    carryOut(session.take(request, .number("9"), moment))
  }

  /// Lets time pass, in milliseconds since the start.
  func pass(to milliseconds: Int64) -> [String] {
    pass(to: .zero + .milliseconds(milliseconds))
  }

  private func pass(to end: Instant) -> [String] {
    var written: [String] = []
    while let next = session.nextSend, next <= end {
      advance(to: next - .microseconds(1))
      written += carryOut(session.due(by: next))
    }
    advance(to: end)
    return written + carryOut(session.advance(moment))
  }

  private func advance(to end: Instant) { live.pass(to: end) { put($0) } }

  private func put(_ event: Event) {
    counts.add(event)
    session.take(event)
  }

  /// Ends the session.
  func end(status: ExitStatus = .agree) -> [String] {
    live.finish(at: live.now) { put($0) }
    return carryOut(session.finish(at: live.now, backlog: backlog))
      + carryOut([.write(session.over(status: status))])
  }

  func leave() { _ = carryOut(session.left()) }

  private func carryOut(_ actions: [APIAction]) -> [String] {
    var written: [String] = []
    for action in actions {
      switch action {
      case .write(let message):
        written.append(String(decoding: message.line.dropLast(), as: UTF8.self))
      case .input(let kind, let instant, let id):
        live.take(kind, at: instant ?? live.now) { put($0) }
        if let id { written += carryOut([session.done(id, at: live.now)]) }
      case .watch(let pins): watched.formUnion(pins)
      case .run(let until, let id):
        written += pass(to: until) + carryOut([session.done(id, at: until)])
      case .end: isEnding = true
      }
    }
    return written
  }
}
