import Logging
package import NIOCore
import NIOPosix
package import Network
import Platform

/// A server on a loop of its own, with a delegate that records its calls.
package final class TestServer {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let delegate: NIOLoopBound<RecordingDelegate>
  private let told: Told
  private let server: GatewayServer
  private let listening: ListeningAddresses
  /// The lines of the log, at level notice and above.
  private let log: Told

  /// - Parameter prepare: called on the loop before the server starts.
  package init(
    _ prepare: @escaping @Sendable (inout ServerConfiguration, RecordingDelegate) -> Void = {
      _, _ in
    }
  ) throws {
    let loop = group.next()
    let log = Told()
    self.log = log
    let (delegate, told, listening, server) = try loop.flatSubmit {
      let delegate = RecordingDelegate()
      let bound = NIOLoopBound(delegate, eventLoop: loop)
      var configuration = ServerConfiguration()
      configuration.webSocket = [Endpoint("127.0.0.1:0")!]
      configuration.tcp = [Endpoint("127.0.0.1:0")!]
      prepare(&configuration, delegate)
      let logger = Logger(label: "test") { _ in
        BenchLogHandler(.text, level: .notice) { log.add(String(decoding: $0, as: UTF8.self)) }
      }
      do {
        let sockets = try ServerSockets(configuration, log: logger)
        let (told, addresses) = (delegate.told, sockets.addresses)
        return GatewayServer.start(on: sockets, delegate: delegate, loop: loop, log: logger)
          .map { (bound, told, addresses, $0) }
      } catch {
        return loop.makeFailedFuture(error)
      }
    }.wait()
    self.delegate = delegate
    self.told = told
    self.listening = listening
    self.server = server
  }

  deinit {
    try? server.shutDown().wait()
    group.shutdownGracefully { _ in }
  }

  package var address: Endpoint { listening.webSocket[0] }
  package var tcpAddress: Endpoint { listening.tcp[0] }
  package var addresses: [Endpoint] { listening.webSocket }

  /// The lines of the log so far.
  package var logged: [String] { log.lines }

  package func shutDown() throws { try server.shutDown().wait() }

  /// Begins to shut down, without waiting for the end.
  package func beginShutDown() -> EventLoopFuture<Void> { server.shutDown() }

  /// Performs an action on the loop.
  package func perform(_ action: @escaping @Sendable (RecordingDelegate) -> Void) throws {
    let delegate = delegate
    try group.next().submit { action(delegate.value) }.wait()
  }

  /// The delegate's lines, once there are `count` of them; waits at most ten seconds for that.
  package func lines(_ count: Int) -> [String] {
    let deadline = NIODeadline.now() + .seconds(10)
    while true {
      let lines = told.lines
      if lines.count >= count || NIODeadline.now() > deadline { return lines }
      usleep(1_000)
    }
  }

  /// Waits until a line of the log contains the text.
  package func logs(_ text: String) -> Bool {
    let deadline = NIODeadline.now() + .seconds(10)
    while NIODeadline.now() < deadline {
      if log.lines.contains(where: { $0.contains(text) }) { return true }
      usleep(1_000)
    }
    return false
  }

  /// Waits until the delegate has recorded a line.
  package func hears(_ line: String) -> Bool {
    let deadline = NIODeadline.now() + .seconds(10)
    while NIODeadline.now() < deadline {
      if told.lines.contains(line) { return true }
      usleep(1_000)
    }
    return false
  }
}

extension TestServer {
  /// Gives the server time for what must not happen.
  package func wait(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
