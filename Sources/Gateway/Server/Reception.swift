import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// What all of a server's connections have in common. Used on its event loop only.
final class Reception {
  let configuration: ServerConfiguration
  let host: any Host
  let log: Logger
  let loop: NIOIsolatedEventLoop
  /// Computes the handshake's answer; the pipeline is ours.
  let upgrader = NIOWebSocketServerUpgrader(
    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
    upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededFuture(()) })

  private var connections: [ObjectIdentifier: any Connection] = [:]
  private var clients = 0
  private var lastID = 0
  private var whenEmpty: (() -> Void)?

  init(
    _ configuration: ServerConfiguration, _ host: any Host, _ log: Logger, _ loop: any EventLoop
  ) {
    self.configuration = configuration
    self.host = configuration.isEcho ? EchoHost(host) : host
    self.log = log
    self.loop = loop.assumeIsolated()
  }

  var limits: Limits { configuration.limits }
  var isFull: Bool { clients >= limits.clientsMax }
  /// Whether so many requests are under way, or so many who were refused still there, that the next is not
  /// even answered.
  var isCrowded: Bool { connections.count >= limits.clientsMax + max(limits.clientsMax, 64) }
  private(set) var isClosing = false

  func nextID() -> ClientID {
    lastID += 1
    return ClientID(lastID)
  }

  func opened(_ connection: any Connection) {
    connections[ObjectIdentifier(connection)] = connection
    if connection is any Client { clients += 1 }
    if isClosing { connection.goAway() }
  }

  func closed(_ connection: any Connection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    if connection is any Client { clients -= 1 }
    guard connections.isEmpty, let whenEmpty else { return }
    self.whenEmpty = nil
    whenEmpty()
  }

  /// Closes every connection, within the time for closing handshakes, and then says so.
  func clear(_ done: @escaping () -> Void) {
    isClosing = true
    guard !connections.isEmpty else { return done() }
    let deadline = loop.scheduleTask(in: TimeAmount(limits.closeTime)) {
      for connection in self.connections.values { connection.cut() }
    }
    whenEmpty = {
      deadline.cancel()
      done()
    }
    for connection in connections.values { connection.goAway() }
  }

  /// Counts a refusal and writes it down; the path is without a query, which could hold a token.
  func refuse(_ status: Int, _ address: String, _ path: String?, _ why: String) {
    host.refused(status)
    var metadata: Logger.Metadata = [
      "from": "\(address)", "status": "\(status)", "why": "\(why)",
    ]
    if let path { metadata["path"] = "\(path)" }
    log.notice("refused", metadata: metadata)
  }
}
