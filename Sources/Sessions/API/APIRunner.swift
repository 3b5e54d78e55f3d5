import SystemPackage
import Traces
import Turret
import Verification

/// Carries out the decisions of an `APISession`: talks to its client and acts on its bench.
final class APIRunner {
  private var session: APISession
  private let port: any APIConnection
  private var hasEnded = false

  init(_ setting: APISetting, on port: any APIConnection) {
    session = APISession(setting)
    self.port = port
  }

  var descriptors: [FileDescriptor] { port.descriptors }
  /// When to call `begin` again even if nothing happens; nil if never.
  var nextDeadline: Instant? { session.nextDeadline }
  /// Whether the client reads slowly, so that writing must be tried again soon.
  var isBehind: Bool { port.backlog > 0 || session.isBehind }

  /// Takes the session's next event.
  func take(_ event: Event) { session.take(event) }

  /// Takes that a program reads at a wrong speed, which no event shows.
  func note(_ wrong: WrongSpeed) { session.record.note(wrong) }

  /// Takes the speed that the program on the board has set, in bits a second.
  func note(boardBaud: Int) { session.record.note(boardBaud: boardBaud) }

  /// Whether the sketch listens.
  func isListening(on bench: some APIBench) -> Bool { session.isListening(moment(bench)) }

  /// Begins a turn: sends what is due, and carries out the requests that have arrived.
  func begin(on bench: some APIBench) {
    let due = session.due(by: bench.apiMoment.now)
    carryOut(due, on: bench)
    for event in port.look() {
      switch event {
      case .line(let line): carryOut(session.handle(line, moment(bench)), on: bench)
      case .request(let id, let request):
        let actions = session.take(request, id, moment(bench))
        carryOut(actions, on: bench)
      case .left:
        let actions = session.left()
        carryOut(actions, on: bench)
        if port.endsWithInput { bench.requestEnd() }
        port.flush()
        port.drop()
      }
    }
    port.flush()
  }

  /// Reports what was decided in a turn.
  func advance(on bench: some APIBench) {
    let actions = session.advance(moment(bench))
    guard !actions.isEmpty || port.backlog > 0 else { return }
    carryOut(actions, on: bench)
    port.flush()
  }

  private func moment(_ bench: some APIBench) -> APIMoment {
    var moment = bench.apiMoment
    moment.backlog = port.backlog
    return moment
  }

  private func carryOut(_ actions: [APIAction], on bench: some APIBench) {
    for action in actions {
      switch action {
      case .write(let message): port.put(message)
      case .input(let kind, let instant, let id):
        let time = bench.take(kind, at: instant)
        if let id { write([session.done(id, at: time)]) }
      case .watch(let pins): bench.watch(pins)
      case .run(let until, let id):
        run(until: until, on: bench)
        write([session.done(id, at: until)])
      case .end: bench.requestEnd()
      }
    }
  }

  /// Lets virtual time pass, and reports what was decided meanwhile.
  func run(until end: Instant, on bench: some APIBench) {
    while let next = session.nextSend, next <= end {
      bench.run(until: next - .microseconds(1))
      carryOut(session.due(by: next), on: bench)
    }
    bench.run(until: end)
    advance(on: bench)
  }

  private func write(_ actions: [APIAction]) {
    for case .write(let message) in actions { port.put(message) }
  }

  // MARK: The end

  /// Judges the session, which ended at an instant. Returns whether a rule has failed.
  func judge(at end: Instant) -> Bool {
    write(session.finish(at: end, backlog: port.backlog))
    return session.rules.failedCount > 0
  }

  /// Reports the program's exit status to the client, and disconnects.
  func close(status: ExitStatus) {
    guard !hasEnded else { return }
    hasEnded = true
    port.put(session.over(status: status))
    port.finish()
  }
}

/// A bench that carries out a client's requests.
protocol APIBench: AnyObject {
  /// What the bench reports about itself now.
  var apiMoment: APIMoment { get }
  /// Gives the device an input, at an instant or now. Returns its time in the session.
  func take(_ kind: Event.Kind, at instant: Instant?) -> Instant
  /// Reports the levels of these pins from now on.
  func watch(_ pins: Set<BoardPin>)
  /// Lets virtual time pass up to an instant. Does nothing in a session in real time.
  func run(until end: Instant)
  /// Ends the session soon.
  func requestEnd()
}

/// The connection between a session and its client.
protocol APIConnection: AnyObject {
  /// The path through which other programs connect; nil if there is none.
  var path: String? { get }
  /// Whether the session ends when the client has left.
  var endsWithInput: Bool { get }
  /// The bytes of messages that the client has not read.
  var backlog: Int { get }
  /// One of them becomes readable when `look` has something to return.
  var descriptors: [FileDescriptor] { get }
  /// Returns what has arrived since the last call.
  func look() -> [APIArrival]
  /// Queues a message for the client. Without a client, the message is discarded.
  func put(_ message: APIMessage)
  /// Writes as much as the client accepts now.
  func flush()
  /// Disconnects a client that has left.
  func drop()
  /// Writes the rest and disconnects.
  func finish()
}

/// What arrives from a session's client.
enum APIArrival: Hashable, Sendable {
  /// A line from another program.
  case line(APILines.Line)
  /// A request from this program.
  case request(APIRequest.ID, APIRequest)
  /// The client has left, or standard input has ended.
  case left
}
