package import Devices
package import Engine
import Logging
import Network
import Platform
package import Sketches
import Synchronization

/// A live session for a client in the same process. It runs on a thread of its own and changes no
/// process-wide state.
///
///     running --end, or a fault--> over
package final class HostedSession: Sendable {
  private enum Life {
    case running([CheckedContinuation<HostedEnding, Never>], failure: Failure?)
    case over(HostedEnding)
  }

  private let mailbox: Mailbox
  private let life = Mutex(Life.running([], failure: nil))

  private init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  /// Starts a session that senders can reach through a pty, WebSocket and TCP.
  package static func start(_ plan: HostedPlan) throws(Failure) -> HostedSession {
    let mailbox = try Mailbox()
    let session = HostedSession(mailbox)
    BlockingThread.run {
      let failure = run(plan, mailbox)
      mailbox.close(failure.map { $0.message } ?? "the session is over")
      session.note(failure)
    } done: {
      session.finish()
    }
    return session
  }

  /// Runs the session. Returns why it could not continue.
  private static func run(_ plan: HostedPlan, _ mailbox: Mailbox) -> Failure? {
    do {
      var live = try plan.live()
      live.skipsStartUp = plan.skipsStartUp
      live.resetOnOpen = plan.resetOnOpen
      try LiveRun(live, for: .client(mailbox)).run().check()
      return nil
    } catch {
      let failure = Failure(any: error)
      // The ending reports which rules have failed.
      return failure.status == .disagree ? nil : failure
    }
  }

  /// Notes why the session could not continue.
  private func note(_ failure: Failure?) {
    life.withLock { life in
      if case .running(let waiting, _) = life { life = .running(waiting, failure: failure) }
    }
  }

  private func finish() {
    life.withLock { life in
      guard case .running(let waiting, let failure) = life else { return }
      let ending = HostedEnding(end: mailbox.end, failure: failure, remarks: mailbox.remarks)
      life = .over(ending)
      for continuation in waiting { continuation.resume(returning: ending) }
    }
  }

  // MARK: The client

  /// Makes a request and waits for its answer, unless the task is cancelled. Throws
  /// `APIRequest.Mistake` or `CancellationError`.
  package func ask(_ request: APIRequest) async throws -> APIAnswer {
    let reply = Reply()
    let message = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reply.wait(continuation)
        mailbox.ask(request) { reply.take($0) }
      }
    } onCancel: {
      reply.take(nil)
    }
    switch message {
    case nil: throw CancellationError()
    case .answer(_, let answer)?: return answer
    case .refusal(let mistake)?: throw mistake
    case .verdict?, .events?, .lost?, .over?: throw CancellationError()
    }
  }

  /// Ends the session, and waits until everything that it used is released. Can be called again.
  package func end() async -> HostedEnding {
    mailbox.ask(.end) { _ in }
    return await withCheckedContinuation { continuation in
      let ending = life.withLock { life -> HostedEnding? in
        switch life {
        case .over(let ending): return ending
        case .running(let waiting, let failure):
          life = .running(waiting + [continuation], failure: failure)
          return nil
        }
      }
      if let ending { continuation.resume(returning: ending) }
    }
  }
}

/// The settings of a session that can have others next to it in the same process: for a client
/// there, or in a suite.
package struct HostedPlan: Sendable {
  package let source: any DeviceSource
  package let session: SessionPlan
  /// The commands that the network accepts; nil for those of the sketch.
  package let accepted: ProfileChoice?
  /// How long the bootloader owns the line when a sender opens the port; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  /// Whether a device in virtual time starts up at once, not in real time.
  package var skipsStartUp = true

  package init(_ stated: StatedSession, on source: any DeviceSource) {
    self.source = source
    session = SessionPlan(stated, on: source)
    accepted = session.sketch.accepted(stated.profile, on: source)
  }

  /// The settings in real time: a session that prints nothing, on a pty and a network on this
  /// computer only, on free ports.
  func live() throws(Failure) -> LivePlan {
    let free = Endpoint(host: "127.0.0.1", port: 0)
    var network = NetworkPlan(
      arbiter: ArbiterSettings(firmware: session.sketch.firmware, baud: session.baud),
      log: BenchLog(.text, level: .critical))
    var server = ServerConfiguration()
    server.webSocket = [free]
    server.tcp = [free]
    // Without tokens, every program on this computer is admitted.
    server.authorize(by: AccessPolicy())
    network.server = server
    try accepted?.apply(to: &network.arbiter)
    var live = LivePlan(source: source, session: session)
    live.verbosity = .quiet
    live.shows = []
    live.network = network
    return live
  }
}

/// How a session for a client in the same process ended.
package struct HostedEnding: Sendable {
  /// Nil if the session never began.
  package var end: APIEnd?
  /// Why the bench could not continue; nil if it ended as requested.
  package var failure: Failure?
  /// The lines that the bench reported to its user.
  package var remarks: [String]
}
