package import NIOCore
import NIOPosix
import Platform
package import Sketches
import SystemPackage

/// A session's bench, whose turns are interleaved with a network.
package protocol NetworkBench: AnyObject, SendableMetatype {
  /// How a session ended.
  associatedtype Ending: Sendable

  /// Starts the session's time.
  func begin()
  /// Handles everything that has arrived and everything that is due.
  func turn(_ reason: TurnReason) throws -> TurnOutcome<Ending>
  /// Takes bytes read from the plan's stream.
  func arrived(_ bytes: [UInt8])
  /// Called when the session is over or has failed.
  func close()
}

/// What the bench waits for between two turns, in addition to the network.
package struct TurnPlan: Hashable, Sendable {
  /// When the next turn is due even if nothing happens; nil for never.
  package var deadline: HostTime?
  /// Descriptors that request a turn when they become readable.
  package var descriptors: [CInt]
  /// A descriptor that is read for the bench: a board's port. On this path every microsecond
  /// counts.
  package var stream: CInt?

  package init(deadline: HostTime?, descriptors: [CInt], stream: CInt?) {
    self.deadline = deadline
    self.descriptors = descriptors
    self.stream = stream
  }
}

/// Why the bench runs a turn.
package enum TurnReason: Hashable, Sendable {
  /// The planned time has been reached.
  case deadline
  /// These of the planned descriptors are readable.
  case readable([CInt])
  /// Bytes of the stream have arrived, or the network has an event.
  case work
}

/// The result of a turn of the bench.
package enum TurnOutcome<Ending> {
  /// The session continues; this is what to wait for.
  case wait(TurnPlan)
  /// It was the last turn.
  case over(Ending)
}

extension TurnOutcome: Sendable where Ending: Sendable {}

/// Runs a turn of the bench when the network's clients have something for it. They do not know the
/// bench's type. Used only on the event loop.
package protocol TurnTaker: AnyObject {
  func takeTurn()
}

/// Runs the bench's turns on an event loop, interleaved with the network's work on the same thread.
/// So a message reaches the board without a change of thread.
///
/// Descriptors that do not belong to the network are watched on another thread, which costs a
/// change of thread each time.
package final class TurnLoop<Bench: NetworkBench>: TurnTaker {
  /// Delays an overdue turn by this time. The loop executes everything that is due before it polls
  /// its sockets, so a bench that is late would otherwise block the network.
  private static var overdueDelay: Interval { .microseconds(20) }

  private let loop: any EventLoop
  private let watch: ReadinessWatch
  private let bench: Bench

  private var timer: (deadline: HostTime, task: Scheduled<Void>)?
  /// When the next turn is due.
  private var deadline: HostTime?
  private var stream: (descriptor: CInt, channel: (any Channel)?)?
  private var isInTurn = false
  private var isDueAgain = false
  private let last: EventLoopPromise<Bench.Ending>
  private let over: EventLoopPromise<Void>
  /// Whether the last turn is over.
  package private(set) var isOver = false

  package init(running bench: Bench, on loop: any EventLoop) throws(NetworkError) {
    self.loop = loop
    self.bench = bench
    watch = try ReadinessWatch()
    last = loop.makePromise()
    over = loop.makePromise()
  }

  /// Completes with the last turn: how the session ended, or why a turn failed.
  package var ending: EventLoopFuture<Bench.Ending> { last.futureResult }

  /// Completes after the last turn, when nothing more will arrive from the other thread. The loop
  /// must run until then.
  package var ended: EventLoopFuture<Void> { over.futureResult }

  /// Runs a turn now. Within a turn, runs another one after it.
  package func takeTurn() { takeTurn(.work) }

  private func takeTurn(_ reason: TurnReason) {
    guard !isOver else { return }
    guard !isInTurn else {
      isDueAgain = true
      return
    }
    isInTurn = true
    var reason = reason
    repeat {
      isDueAgain = false
      do {
        switch try bench.turn(reason) {
        case .over(let ending): return end(.success(ending))
        // Closing the previous stream can also request a turn.
        case .wait(let plan): if !isDueAgain { wait(for: plan) }
        }
      } catch {
        return end(.failure(error))
      }
      reason = .work
    } while isDueAgain
    isInTurn = false
  }

  private func end(_ result: Result<Bench.Ending, any Error>) {
    isOver = true
    timer?.task.cancel()
    timer = nil
    follow(nil)
    watch.end(on: loop).cascade(to: over)
    last.completeWith(result)
  }

  // MARK: Waiting

  private func wait(for plan: TurnPlan) {
    follow(plan.stream)
    setTimer(plan.deadline)
    guard !watch.waits(for: plan.descriptors) else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    let loop = loop
    watch.watch(plan.descriptors) { ready in
      loop.execute { bound.value.readable(ready) }
    }
  }

  private func readable(_ ready: [CInt]) {
    watch.isWatching = false
    takeTurn(ready.isEmpty ? .work : .readable(ready))
  }

  private func setTimer(_ deadline: HostTime?) {
    self.deadline = deadline
    // Most deadlines only move later, at every turn. So the timer is not changed for that; if it
    // fires too early, it is set again.
    if let deadline, let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    timer = nil
    guard let deadline else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    let rest = deadline - .now
    let wait = rest > .zero ? rest : Self.overdueDelay
    let task = loop.scheduleTask(deadline: .now() + TimeAmount(wait)) {
      bound.value.ring()
    }
    timer = (deadline, task)
  }

  private func ring() {
    timer = nil
    let now = HostTime.now
    guard let deadline, deadline > now else { return takeTurn(.deadline) }
    setTimer(deadline)
  }

  /// From now on reads another stream, or none.
  private func follow(_ descriptor: CInt?) {
    guard stream?.descriptor != descriptor else { return }
    let old = stream?.channel
    stream = nil
    old?.close(promise: nil)
    guard let descriptor else { return }
    // A copy, because closing the channel must not close the owner's port.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    stream = (descriptor, nil)
    let bound = NIOLoopBound(self, eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            StreamHandler {
              bound.value.bench.arrived($0)
            } complete: {
              bound.value.takeTurn()
            })
        }
      }
      .takingOwnershipOfDescriptor(input: copy)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .failure: close(copy)
        case .success(let channel):
          if bound.value.stream?.descriptor == descriptor {
            bound.value.stream?.channel = channel
          } else {
            channel.close(promise: nil)
          }
        }
      }
  }
}

/// Waits on a separate thread until one of several descriptors is readable. It performs one wait at
/// a time: after a report it is idle until `watch` is called again.
final class ReadinessWatch {
  private let threads = NIOThreadPool(numberOfThreads: 1)
  /// Writing to this end interrupts a wait.
  private let pipe: (readEnd: SystemPackage.FileDescriptor, writeEnd: SystemPackage.FileDescriptor)
  private var descriptors: [CInt] = []
  /// Whether a wait is in progress. The receiver of its report sets it to false.
  var isWatching = false

  init() throws(NetworkError) {
    do {
      pipe = try SystemPackage.FileDescriptor.closeOnExecPipe()
    } catch {
      throw NetworkError(.unavailable, "error: no pipe to wake a thread with: \(error)")
    }
    threads.start()
  }

  func waits(for descriptors: [CInt]) -> Bool { isWatching && descriptors == self.descriptors }

  /// Waits for these descriptors instead of the previous ones. `report` is called once per wait, on
  /// the other thread, with the readable descriptors; with none if the wait was interrupted.
  func watch(_ descriptors: [CInt], report: @escaping @Sendable ([CInt]) -> Void) {
    if isWatching {
      guard descriptors != self.descriptors else { return }
      // The report causes a turn, which then waits for these descriptors.
      self.descriptors = descriptors
      interrupt()
      return
    }
    isWatching = true
    self.descriptors = descriptors
    let wakeEnd = pipe.readEnd
    threads.submit { state in
      guard case .active = state else { return }
      var ready = HostSystem.shared.wait(for: descriptors + [wakeEnd.rawValue], timeout: nil)
      if let index = ready.firstIndex(of: wakeEnd.rawValue) {
        ready.remove(at: index)
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = try? bytes.withUnsafeMutableBytes { try wakeEnd.read(into: $0) }
      }
      report(ready)
    }
  }

  /// Ends all waiting. Completes when nothing more will be reported.
  func end(on loop: any EventLoop) -> EventLoopFuture<Void> {
    if isWatching { interrupt() }
    let pipe = pipe
    let done = loop.makePromise(of: Void.self)
    threads.shutdownGracefully { _ in
      try? pipe.readEnd.close()
      try? pipe.writeEnd.close()
      done.succeed()
    }
    return done.futureResult
  }

  private func interrupt() { _ = try? pipe.writeEnd.writeAll([0]) }
}

/// Passes on everything read from a descriptor. At the end of the input it passes on an empty
/// array; the owner then finds out the cause.
package final class StreamHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer

  private let arrived: ([UInt8]) -> Void
  private let complete: () -> Void

  /// `complete`: called when all received bytes have been passed on, or none will follow.
  package init(_ arrived: @escaping ([UInt8]) -> Void, complete: @escaping () -> Void = {}) {
    self.arrived = arrived
    self.complete = complete
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    arrived(Array(unwrapInboundIn(data).readableBytesView))
  }

  package func channelReadComplete(context: ChannelHandlerContext) { complete() }
  package func channelInactive(context: ChannelHandlerContext) {
    arrived([])
    complete()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
