package import Devices
package import Engine
import Judging
import Platform
import Sketches
import SystemPackage
import Traces

/// A session in virtual time from its first to its last request.
package enum VirtualRun {
  /// Runs the session. Throws `Failure(.disagree)` if a rule of the client has failed. `api` is the
  /// path of the socket for a client's requests, `-` for standard input and output, and `recording`
  /// the file that the session is recorded to.
  package static func run(
    _ plan: SessionPlan, on source: some DeviceSource, api: String, recording: String?
  ) throws {
    let port = try APIPort(api)
    let recording = try recording.map { (path) throws(Failure) in try Recording(path) }
    let bench = try VirtualBench<_>(
      plan, on: source, for: port, showsTrace: port.path != nil, recording: recording)
    while try bench.turn() { bench.wait() }
    if let note = bench.unstruckNote { Console.remark(note) }
    try bench.conclude()
  }
}

/// Drives a session in virtual time, without a port: time passes only when a client requests it.
final class VirtualBench<D: RealTimeDevice> {
  /// The time after which writing to a slow client is tried again.
  private static var retry: Interval { .milliseconds(20) }

  private var session: Session<D>
  private let outputs: LiveSinks
  private let client: any APIConnection

  init<Source: DeviceSource>(
    _ plan: SessionPlan, on source: Source, for client: any APIConnection, showsTrace: Bool,
    recording: consuming Recording?
  ) throws where Source.Made == D {
    let start = try plan.begin(on: source)
    outputs = LiveSinks(start.header, showsTrace: showsTrace, view: nil, recording: recording)
    self.client = client
    session = Session(inVirtualTime: start, on: source.name)
    session.begin(source.inputs, source.findFormat()) { outputs.put($0) }
  }

  /// A sentence about the faults that have not struck; nil if all have.
  var unstruckNote: String? { session.unstruckNote }

  /// Handles the requests that have arrived. Returns whether the session continues.
  func turn() throws(Failure) -> Bool {
    for request in client.look() {
      session.clientBacklog = client.backlog
      session.take(request, at: session.now) { outputs.put($0) }
      carryOutEffects()
      if case .clientLeft = request {
        client.flush()
        client.drop()
      }
    }
    session.decide(at: session.now) { outputs.put($0) }
    try advance(to: session.now)
    return session.life.ending == nil
  }

  private func advance(to instant: Instant) throws(Failure) {
    session.clientBacklog = client.backlog
    session.pass(to: instant) { outputs.put($0) }
    carryOutEffects()
    client.flush()
    _ = try outputs.flush()
  }

  func wait() {
    let isBehind = client.needsRetry || session.isClientBehind || outputs.isBehind
    _ = HostSystem.shared.wait(
      for: client.descriptors.map(\.rawValue), timeout: isBehind ? Self.retry : nil)
  }

  private func carryOutEffects() {
    var effects = session.takeEffects()
    while !effects.isEmpty {
      // Rules judge the sender's port by its events; the client needs no remark. The session is
      // finished when its caller no longer asks.
      for effect in effects { client.carryOut(effect, of: &session) { outputs.put($0) } }
      effects = session.takeEffects()
    }
  }

  /// Ends and judges the session, and reports to the client how it ended.
  func conclude() throws(Failure) {
    session.finish(at: session.now) { outputs.put($0) }
    try outputs.finish()
    let hasFailed = session.judgeClientRules()
    carryOutEffects()
    let failure =
      session.board.fault.map { Failure($0) } ?? outputs.recordingFailure
      ?? (hasFailed ? Failure(.disagree) : nil)
    if let message = session.lastMessage(failure?.status ?? .agree) { client.put(message) }
    client.finish()
    if let failure { throw failure }
  }
}
