import NIOCore
import NIOPosix
import Synchronization

/// A simulated robot vision phone: a TCP server on the loopback that follows a script. `SHUTDOWN`
/// stops it, as it does the real one.
final class VisionPhone: Sendable {
  struct State {
    var script: VisionScript
    var questions = 0
    var hasSeenJunk = false
    var connections = 0
    var open: [ObjectIdentifier: any Channel] = [:]
  }

  let port: Int
  private let server: any Channel
  private let state: Mutex<State>

  private init(server: any Channel, port: Int, script: VisionScript) {
    self.server = server
    self.port = port
    state = Mutex(State(script: script))
  }

  /// With port 0, it listens on any free port.
  static func start(
    _ script: VisionScript, on group: any EventLoopGroup, port: Int = 0
  ) async throws -> VisionPhone {
    let late = Mutex<VisionPhone?>(nil)
    let server = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // A connection that arrives before the phone is set up is refused.
          guard let phone = late.withLock(\.self) else { throw ChannelError.ioOnClosedChannel }
          try channel.pipeline.syncOperations.addHandler(VisionPhoneHandler(phone))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    let phone = VisionPhone(server: server, port: server.localAddress?.port ?? 0, script: script)
    late.withLock { $0 = phone }
    // Nothing keeps a reference to a phone that has stopped.
    server.closeFuture.whenComplete { _ in late.withLock { $0 = nil } }
    return phone
  }

  /// Accepts no more connections, and ends the present ones.
  func stop() async throws {
    shutDown()
    try await server.closeFuture.get()
    for channel in state.withLock({ Array($0.open.values) }) {
      try? await channel.closeFuture.get()
    }
  }

  func shutDown() {
    server.close(promise: nil)
    for channel in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
  }

  var isStopped: Bool { !server.isActive }
  var questions: Int { state.withLock { $0.questions } }
  var hasSeenJunk: Bool { state.withLock { $0.hasSeenJunk } }
  /// The number of all connections so far.
  var connections: Int { state.withLock { $0.connections } }
  var openConnections: Int { state.withLock { $0.open.count } }

  func change(_ script: VisionScript) { state.withLock { $0.script = script } }

  // MARK: For its connections

  var script: VisionScript { state.withLock { $0.script } }

  func opened(_ channel: any Channel) {
    state.withLock {
      $0.connections += 1
      $0.open[ObjectIdentifier(channel)] = channel
    }
  }

  func closed(_ channel: any Channel) {
    state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  func sawJunk() { state.withLock { $0.hasSeenJunk = true } }

  /// The deeds for a question, with its number in their texts.
  func deedsForQuestion() -> [VisionScript.Deed] {
    let (number, deeds) = state.withLock {
      $0.questions += 1
      return ($0.questions, $0.script.deeds(forQuestion: $0.questions))
    }
    return deeds.map { deed in
      guard case .say(let text) = deed else { return deed }
      return .say(text.replacing("#", with: "\(number)"))
    }
  }
}
