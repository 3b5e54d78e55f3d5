package import Network
import Platform
package import Sketches
import Synchronization

/// The port of a board behind an RFC 2217 server, such as ser2net.
///
/// `ComPortClient` makes the decisions; this class reads and writes the socket. Like a serial port,
/// it blocks only while it is opened and while the board is restarted.
package final class RemoteBoardPort: BoardPort {
  private struct State {
    var client: ComPortClient
    /// The board's bytes that have not been read yet.
    var received: [UInt8] = []
    /// Bytes that the socket had no room for.
    var unsent: [UInt8] = []
    var isEnded = false
  }

  /// How long a server can take to answer; less for modem lines, which it might not have.
  private static let answerTime = Interval.seconds(3)
  private static let linesAnswerTime = Interval.seconds(1)
  private static let readMax = 4_096
  /// The maximum number of reads in one turn.
  private static let readCountMax = 16
  /// How many of the board's bytes are kept while the port waits for the server.
  private static let receivedMax = 65_536

  package let path: String
  package var descriptor: CInt { stream.descriptor }
  private let stream: TCPStream
  private let state: Mutex<State>

  /// Opens the port at a speed in bits a second, with 8N1. `answerTime` is how long each of the
  /// host's addresses can take to answer. The server sets DTR, which restarts an Uno unless DTR was
  /// already set.
  package init(
    _ endpoint: Endpoint, speed: Int, connectingWithin answerTime: Interval = .seconds(3)
  ) throws(SerialError) {
    path = "rfc2217://\(endpoint)"
    stream = try TCPStream.connect(to: endpoint, within: answerTime)
    state = Mutex(State(client: ComPortClient(speed: UInt32(clamping: speed))))
    guard try awaitAnswers(within: Self.answerTime) else {
      throw SerialError(.unavailable, path: path, "the server does not speak RFC 2217")
    }
  }

  package func read() throws(SerialError) -> [UInt8] {
    takeArrived()
    return try state.withLock { (state) throws(SerialError) in
      if state.received.isEmpty, state.isEnded { throw gone }
      defer { state.received = [] }
      return state.received
    }
  }

  package func decode(_ bytes: [UInt8]) -> [UInt8] {
    state.withLock { state in
      let data = state.received + state.client.receive(bytes)
      state.received = []
      flush(&state)
      return data
    }
  }

  package func write(_ bytes: some Sequence<UInt8>) throws(SerialError) -> Int {
    let bytes = Array(bytes)
    return try state.withLock { (state) throws(SerialError) in
      if state.isEnded { throw gone }
      flush(&state)
      guard state.unsent.isEmpty, !state.client.isSuspended else { return 0 }
      state.client.send(bytes)
      flush(&state)
      return bytes.count
    }
  }

  /// Requests the speed. If the server refuses it, the next request that waits for an answer fails.
  package func setSpeed(_ speed: Int) throws(SerialError) {
    state.withLock { state in
      state.client.request(speed: UInt32(clamping: speed))
      flush(&state)
    }
  }

  package var outputCount: Int { state.withLock { $0.unsent.count } }

  package func discardInput() {
    takeArrived()
    state.withLock { state in
      state.received = []
      state.client.requestPurge()
      flush(&state)
    }
  }

  /// Restarts an Uno. Returns false if the server does not answer, as when its own port has no
  /// modem lines.
  package func pulseReset() throws(SerialError) -> Bool {
    guard try request(lines: false) else { return false }
    (HostTime.now + .milliseconds(100)).sleep()
    return try request(lines: true)
  }

  private func request(lines isSet: Bool) throws(SerialError) -> Bool {
    state.withLock { state in
      state.client.request(lines: isSet)
      flush(&state)
    }
    if try awaitAnswers(within: Self.linesAnswerTime) { return true }
    state.withLock { $0.client.stopAwaitingAnswers() }
    return false
  }

  // MARK: -

  private var gone: SerialError {
    SerialError(.gone, path: path, "is gone: the server has closed the connection")
  }

  /// Waits until the server has answered everything. Returns false if it does not in time.
  private func awaitAnswers(within answerTime: Interval) throws(SerialError) -> Bool {
    let deadline = HostTime.now + answerTime
    while true {
      takeArrived()
      let (client, isEnded) = state.withLock { ($0.client, $0.isEnded) }
      switch client.problem {
      case .refused:
        throw SerialError(.unavailable, path: path, "the server does not speak RFC 2217")
      case .speed(let wanted, let kept):
        throw SerialError(
          .unavailable, path: path,
          "the server keeps the port at \(kept) bits a second; \(wanted) were requested")
      case .format:
        throw SerialError(.unavailable, path: path, "the server does not set the port to 8N1")
      case nil: break
      }
      if client.isReady { return true }
      if isEnded {
        throw SerialError(
          .unavailable, path: path,
          "the server has closed the connection: another client may have the port")
      }
      guard deadline.wait(for: descriptor) else { return false }
    }
  }

  /// Takes what has arrived, and writes what waits.
  private func takeArrived() {
    state.withLock { state in
      for _ in 0..<Self.readCountMax {
        guard !state.isEnded, state.received.count < Self.receivedMax else { return }
        switch stream.read(upTo: Self.readMax) {
        case .bytes(let bytes): state.received += state.client.receive(bytes)
        case .nothing:
          flush(&state)
          return
        case .ended: state.isEnded = true
        }
        flush(&state)
      }
    }
  }

  private func flush(_ state: inout State) {
    state.unsent += state.client.takeOutput()
    guard let count = stream.write(state.unsent) else {
      // Reading will detect the end of the connection.
      state.unsent = []
      return
    }
    state.unsent.removeFirst(count)
  }
}

/// A board behind an RFC 2217 server at an address.
package struct RemotePlace: BoardPlace {
  private let endpoint: Endpoint

  package init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  package var name: String { "rfc2217" }

  /// A server can be started later.
  package var canAppear: Bool { true }

  /// Checks nothing, because a connection would restart the board.
  package func check() {}

  package func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort {
    try RemoteBoardPort(endpoint, speed: speed)
  }

  /// Waits only briefly for an answer, because the session waits meanwhile and will try again.
  package func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)? {
    try RemoteBoardPort(endpoint, speed: speed, connectingWithin: .milliseconds(300))
  }
}
