import Engine
import Logging
import NIOCore
import Sketches

/// The robot vision phone as a client: turns its readings into commands.
final class VisionSender: Client {
  let id = ClientID(0)
  let transport = Transport.tcp
  let address: String
  let isWritable = true
  var isReading = true

  private let clients: NetworkClients
  private let log: Logger
  private let loop: any EventLoop
  private let plan: FollowPlan
  private var connection: VisionConnection?

  init(_ plan: FollowPlan, clients: NetworkClients, on loop: any EventLoop, log: Logger) {
    self.plan = plan
    self.clients = clients
    self.loop = loop
    self.log = log
    address = "\(plan.endpoint)"
  }

  func start() {
    clients.joined(self)
    let connection = VisionConnection(
      endpoint: plan.endpoint, settings: plan.settings, on: loop, log: log
    ) { [unowned self] command in
      clients.received(command, from: self)
      clients.receivedAll()
    }
    self.connection = connection
    connection.start()
  }

  func stop() -> EventLoopFuture<Void> {
    connection?.stop() ?? loop.makeSucceededVoidFuture()
  }

  // The board's answers, and notices about its commands, are for people.
  func send(_ bytes: [UInt8], as kind: MessageKind) {
    log.debug(
      "reply to the phone's sender",
      metadata: ["text": "\(String(decoding: bytes, as: UTF8.self))"])
  }
  func send(prepared frame: ByteBuffer) {}
}

/// The robot vision phone to follow, and how.
package struct FollowPlan: Sendable {
  package var endpoint: Endpoint
  package var settings: FollowSettings

  package init(endpoint: Endpoint, settings: FollowSettings) {
    self.endpoint = endpoint
    self.settings = settings
  }
}
