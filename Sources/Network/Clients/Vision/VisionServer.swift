import Logging
package import NIOCore
import NIOPosix
package import Sketches

/// How much of a `VisionServer` its clients can use.
struct VisionServerLimits: Hashable, Sendable {
  /// Simultaneous connections; further ones are closed.
  var clientsMax = 16
  /// A client that has sent no request for this long is closed.
  var idleTime = Interval.seconds(300)
}

/// Receives the reports of the server that takes the place of the robot vision phone. All calls are
/// made on its event loop.
package protocol VisionServerOwner: AnyObject {
  /// Clients were closed because they sent neither `VISION` nor `SHUTDOWN`. `sentence` is the
  /// message for people. Called at most once a second.
  func refused(_ sentence: String)
  /// A client has ended the server. Called once.
  func shutDown()
}

/// A stand-in for the robot vision phone: a TCP server that answers `VISION` with the latest
/// reading, and that any client can end with `SHUTDOWN`. A client that sends anything else is
/// disconnected. Used only on its event loop.
package final class VisionServer {
  /// The notice to print at the start.
  package static let accessNote =
    "the vision phone has no access control: any program that can reach it can read what it sees, "
    + "and can end it with SHUTDOWN"

  private let form: VisionForm
  let limits: VisionServerLimits
  private let loop: any EventLoop
  private let owner: any VisionServerOwner
  private let refusals: RefusalLog
  private var listeners: [any Channel] = []
  private(set) var clients: [ObjectIdentifier: any Channel] = [:]
  /// Those that have requested nothing, in the order in which they connected. They may be a
  /// browser's, which any web page can cause.
  private var silent: [any Channel] = []
  private var isStopping = false
  private var ending: EventLoopFuture<Void>?
  /// The present answer.
  private var answer: ByteBuffer
  private var timestamp: String
  /// The number of requests answered.
  package private(set) var questions = 0

  private init(
    _ form: VisionForm, _ limits: VisionServerLimits, _ loop: any EventLoop,
    _ owner: any VisionServerOwner
  ) {
    self.form = form
    self.limits = limits
    self.loop = loop
    self.owner = owner
    refusals = RefusalLog(on: loop.assumeIsolated()) { owner.refused($0.sentence) }
    timestamp = VisionForm.timestamp(.zero)
    answer = ByteBuffer()
    noTarget()
  }

  /// Starts a server. Must be called on `loop`.
  ///
  /// - Parameter endpoint: where to listen; with port 0, on any free port.
  /// - Returns: fails with a `NetworkError`: `unavailable` for an address that is not available.
  static func start(
    at endpoint: Endpoint, form: VisionForm = .fields,
    limits: VisionServerLimits = VisionServerLimits(), on loop: any EventLoop, log: Logger,
    for owner: any VisionServerOwner
  ) -> EventLoopFuture<NIOLoopBound<VisionServer>> {
    let server = NIOLoopBound(VisionServer(form, limits, loop, owner), eventLoop: loop)
    return Listening.open([endpoint], on: loop, log) { channel in
      channel.eventLoop.makeCompletedFuture {
        let server = server.value
        // A client above the limit gets no answer, unless one that has requested nothing can give
        // way.
        guard !server.isStopping, server.makesRoom() else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandler(VisionServerHandler(server))
      }
    }.map { listeners in
      server.value.listeners = listeners
      return server
    }
  }

  /// The addresses that were actually bound.
  package var addresses: [Endpoint] { listeners.map(Listening.endpoint) }

  /// Sets the reading that is served from now on.
  ///
  /// - Parameters:
  ///   - angle: degrees from the centre; if it is not a number, there is no target.
  ///   - distance: in any unit; left out if it is not a number.
  ///   - time: since any fixed instant.
  package func update(angle: Double, distance: Double?, time: Interval) {
    timestamp = VisionForm.timestamp(time)
    answer(
      with: VisionReading(
        timestamp: timestamp, angle: angle.isFinite ? angle : nil,
        distance: distance?.isFinite == true ? distance : nil))
  }

  /// Serves a reading without a target from now on. `time`: nil for that of the last reading.
  package func noTarget(time: Interval? = nil) {
    if let time { timestamp = VisionForm.timestamp(time) }
    answer(with: VisionReading(timestamp: timestamp, angle: nil))
  }

  /// Stops accepting connections and closes the present ones. Completes when all are closed.
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
    // Clients that read lines require a line end.
    answer = ByteBuffer(string: form.text(reading) + "\n")
  }

  // MARK: Its clients

  func joined(_ channel: any Channel) {
    clients[ObjectIdentifier(channel)] = channel
    silent.append(channel)
  }

  func left(_ channel: any Channel) {
    clients[ObjectIdentifier(channel)] = nil
    spoke(channel)
  }

  /// Notes that a client has sent a valid request.
  func spoke(_ channel: any Channel) { silent.removeAll { $0 === channel } }

  private func makesRoom() -> Bool {
    guard clients.count >= limits.clientsMax else { return true }
    guard let oldest = silent.first else { return false }
    left(oldest)
    oldest.close(promise: nil)
    return true
  }

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
    owner.shutDown()
  }
}

/// One client of a `VisionServer`.
final class VisionServerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: VisionServer
  private var reader = VisionCommandReader(readsLines: false)
  private var idle: Scheduled<Void>?
  private var isFirstRead = true
  private var isOver = false

  init(_ server: VisionServer) { self.server = server }

  func handlerAdded(context: ChannelHandlerContext) {
    server.joined(context.channel)
    expect(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    idle?.cancel()
    server.left(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let bytes = unwrapInboundIn(data).readableBytesView
    if isFirstRead, let foreign = ForeignProtocol(firstRead: bytes) {
      return refuse(context, "it begins as \(foreign.name)")
    }
    isFirstRead = false
    let commands = reader.receive(bytes)
    for command in commands {
      guard command == .vision else {
        context.flush()
        return server.shutDown()
      }
      // A client that sends requests without reading the answers is closed.
      guard context.channel.isWritable else { return context.close(promise: nil) }
      context.write(wrapOutboundOut(server.nextAnswer()), promise: nil)
    }
    if !commands.isEmpty {
      server.spoke(context.channel)
      context.flush()
      expect(context)
    }
    if reader.isSpoiled { refuse(context, "it sent something other than VISION and SHUTDOWN") }
  }

  private func refuse(_ context: ChannelHandlerContext, _ why: String) {
    isOver = true
    server.refuse(context.remoteAddress?.endpoint ?? "?", why)
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func expect(_ context: ChannelHandlerContext) {
    idle?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    idle = context.eventLoop.scheduleTask(in: .init(server.limits.idleTime)) {
      bound.value.close(promise: nil)
    }
  }
}
