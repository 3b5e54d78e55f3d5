import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Sketches

/// The open connections of a server, and what they share: configuration, delegate, log. Used only
/// on its event loop.
final class ConnectionRegistry {
  let configuration: ServerConfiguration
  let delegate: any ServerDelegate
  let log: Logger
  let loop: NIOIsolatedEventLoop
  /// Computes the answer to the handshake; the pipeline is our own.
  let upgrader = NIOWebSocketServerUpgrader(
    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
    upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededFuture(()) })

  private var connections: [ObjectIdentifier: any Connection] = [:]
  private var admission: Admission<ObjectIdentifier>
  let downloads: SessionDownloads
  private let refusals: RefusalLog
  private var lastID = 0
  private var whenEmpty: (() -> Void)?

  init(
    _ configuration: ServerConfiguration, _ delegate: any ServerDelegate, _ log: Logger,
    _ loop: any EventLoop
  ) {
    self.configuration = configuration
    self.delegate = configuration.isEcho ? EchoDelegate(delegate) : delegate
    self.log = log
    self.loop = loop.assumeIsolated()
    downloads = SessionDownloads(on: self.loop)
    admission = Admission(AdmissionPlaces(clientsMax: configuration.limits.clientsMax))
    refusals = RefusalLog(on: self.loop) { log.notice("refused", metadata: $0.metadata) }
  }

  var limits: Limits { configuration.limits }
  private(set) var isClosing = false

  func nextID() -> ClientID {
    lastID += 1
    return ClientID(lastID)
  }

  /// The reason why there is no place for another client; nil if there is one.
  func refusal(from peer: Peer) -> String? {
    switch admission.refusal(from: peer) {
    case .tooMany: "too many clients are connected"
    case .tooManyFromThere: "too many clients from this address are connected"
    case nil: nil
    }
  }

  func opened(
    _ connection: any Connection, as standing: Admission<ObjectIdentifier>.Standing, from peer: Peer
  ) {
    let id = ObjectIdentifier(connection)
    connections[id] = connection
    let leaving = admission.enter(id, from: peer, as: standing)
    if let leaving { connections[leaving]?.displace() }
    if isClosing { connection.shutDown() }
  }

  /// Records that the connection's request has been answered.
  func answered(_ connection: any Connection) { admission.answered(ObjectIdentifier(connection)) }

  func closed(_ connection: any Connection) {
    let id = ObjectIdentifier(connection)
    guard connections.removeValue(forKey: id) != nil else { return }
    admission.leave(id)
    guard connections.isEmpty, let whenEmpty else { return }
    self.whenEmpty = nil
    whenEmpty()
  }

  /// Closes every connection within the time for closing handshakes, and then reports it.
  func clear(_ done: @escaping () -> Void) {
    isClosing = true
    let done = { [refusals] in
      refusals.flush()
      done()
    }
    guard !connections.isEmpty else { return done() }
    let deadline = loop.scheduleTask(in: TimeAmount(limits.closeTime)) {
      for connection in self.connections.values { connection.cut() }
    }
    whenEmpty = {
      deadline.cancel()
      done()
    }
    for connection in connections.values { connection.shutDown() }
  }

  /// Counts a refusal and logs it. The path must not contain a secret.
  func refuse(_ status: Int, _ address: String, _ path: String?, _ why: String) {
    delegate.refused(status)
    refusals.add(RefusedConnection(status: status, address: address, path: path, why: why))
  }
}

/// A connection of any kind, as seen by a server that is shutting down.
protocol Connection: AnyObject {
  /// Reports that the bench is stopping, and closes in order.
  func shutDown()
  /// Closes immediately.
  func cut()
  /// Closes immediately, because a newer connection requires the place.
  func displace()
}

extension Connection {
  func displace() { cut() }
}
