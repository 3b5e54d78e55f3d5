package import Logging
package import NIOCore
import NIOPosix
package import Turret

/// Is the robot vision phone: a TCP server that answers `VISION` with the newest reading, and that
/// `SHUTDOWN` from any client ends. A client that sends anything else is closed. Used on its event
/// loop only.
package final class VisionServer {
  /// What is to be said at the start.
  package static let accessNote =
    "the vision phone has no access control: any program that can reach it can read what it sees, "
    + "and can end it with SHUTDOWN"

  private let form: VisionForm
  let limits: VisionServerLimits
  private let loop: any EventLoop
  private let onShutdown: () -> Void
  private let refusals: RefusalLog
  private var listeners: [any Channel] = []
  private var clients: [ObjectIdentifier: any Channel] = [:]
  private var isStopping = false
  private var ending: EventLoopFuture<Void>?
  /// What is answered now.
  private var answer: ByteBuffer
  private var timestamp: String
  /// Questions answered.
  package private(set) var questions = 0

  private init(
    _ form: VisionForm, _ limits: VisionServerLimits, _ loop: any EventLoop,
    _ onRefusal: @escaping (String) -> Void, _ onShutdown: @escaping () -> Void
  ) {
    self.form = form
    self.limits = limits
    self.loop = loop
    self.onShutdown = onShutdown
    refusals = RefusalLog(on: loop.assumeIsolated()) { onRefusal($0.sentence) }
    timestamp = VisionForm.timestamp(.zero)
    answer = ByteBuffer()
    noTarget()
  }

  /// Called on `loop`.
  ///
  /// - Parameters:
  ///   - endpoint: where to listen; port 0 is any that is free.
  ///   - onRefusal: called on the loop with a sentence for people, once a second at most: clients
  ///     were closed as they sent something else.
  ///   - onShutdown: called once, on the loop, when a client has ended it.
  /// - Returns: fails with a `GatewayError`: `unavailable` for an address that cannot be had.
  package static func start(
    at endpoint: Endpoint, form: VisionForm = .fields,
    limits: VisionServerLimits = VisionServerLimits(), on loop: any EventLoop, log: Logger,
    onRefusal: @escaping (String) -> Void = { _ in },
    onShutdown: @escaping () -> Void = {}
  ) -> EventLoopFuture<NIOLoopBound<VisionServer>> {
    let server = NIOLoopBound(
      VisionServer(form, limits, loop, onRefusal, onShutdown), eventLoop: loop)
    return Listening.open([endpoint], on: loop, log) { channel in
      channel.eventLoop.makeCompletedFuture {
        let server = server.value
        // Nobody is answered who is one too many.
        guard !server.isStopping, server.clients.count < server.limits.clientsMax else {
          throw ChannelError.ioOnClosedChannel
        }
        try channel.pipeline.syncOperations.addHandler(VisionServerHandler(server))
      }
    }.map { listeners in
      server.value.listeners = listeners
      return server
    }
  }

  /// The addresses that are really bound.
  package var addresses: [Endpoint] { listeners.map(Listening.endpoint) }
  package var clientCount: Int { clients.count }

  /// What is seen from now on.
  ///
  /// - Parameters:
  ///   - angle: degrees off the centre; one that is no number is no target.
  ///   - distance: in whatever unit; one that is no number is left out.
  ///   - time: since whatever the times begin with.
  package func update(angle: Double, distance: Double?, time: Interval) {
    timestamp = VisionForm.timestamp(time)
    answer(
      with: VisionReading(
        timestamp: timestamp, angle: angle.isFinite ? angle : nil,
        distance: distance?.isFinite == true ? distance : nil))
  }

  /// Nothing is seen from now on. `time`: nil: when it was last told.
  package func noTarget(time: Interval? = nil) {
    if let time { timestamp = VisionForm.timestamp(time) }
    answer(with: VisionReading(timestamp: timestamp, angle: nil))
  }

  /// Takes no more connections, and ends those there are. Done when all are gone.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    loop.preconditionInEventLoop()
    if let ending { return ending }
    isStopping = true
    refusals.flush()
    let all = listeners + clients.values
    let ended = EventLoopFuture.andAllComplete(all.map { $0.closeFuture }, on: loop)
    ending = ended
    for channel in all { channel.close(promise: nil) }
    return ended
  }

  private func answer(with reading: VisionReading) {
    // Who reads lines must see the end of one.
    answer = ByteBuffer(string: form.text(reading) + "\n")
  }

  // MARK: Its clients

  func joined(_ channel: any Channel) { clients[ObjectIdentifier(channel)] = channel }
  func left(_ channel: any Channel) { clients[ObjectIdentifier(channel)] = nil }

  func refuse(_ address: String, _ why: String) {
    refusals.add(RefusedConnection(status: 400, address: address, why: why))
  }

  func nextAnswer() -> ByteBuffer {
    questions += 1
    return answer
  }

  func shutDown() {
    guard !isStopping else { return }
    stop()
    onShutdown()
  }
}
