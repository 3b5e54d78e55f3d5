import Platform
import SystemPackage

/// The connection to a client, one at a time: a Unix socket, or standard input and output.
///
/// Messages that the client has not read are kept. Above a limit, no more requests are read.
final class APIPort: APIConnection {
  private struct Client {
    /// Nil once it has ended.
    var input: FileDescriptor?
    var output: FileDescriptor
  }

  /// The number of unread bytes of messages from which on no more requests are read.
  private static let backlogMax = 1 << 20
  /// The maximum number of bytes of requests read in one turn.
  private static let readMax = 1 << 16
  /// The number of bytes that a writable pipe takes without blocking: PIPE_BUF.
  private static let pipeChunk = 4_096
  private static let pollMilliseconds: CInt = 50
  /// The number of polls after which a client that does not read no longer delays the end.
  private static let patience = 20

  private let socket: APISocket?
  private var client: Client?
  private var lines = APILines()
  private var output: [UInt8] = []
  /// The number of bytes of `output` that are written.
  private var written = 0

  /// `path` is the path of the socket; `-` is standard input and output.
  init(_ path: String) throws(Failure) {
    socket = path == Self.standard ? nil : try APISocket(path)
    if socket == nil { client = Client(input: .standardInput, output: .standardOutput) }
  }

  /// The name of standard input and output.
  static let standard = "-"

  deinit { close() }

  /// The socket's path for programs in other folders; nil for standard input and output.
  var path: String? { socket?.absolutePath }

  /// True for standard input, on which no other client can follow.
  var endsWithInput: Bool { socket == nil }

  /// The number of bytes that the client has not read.
  var backlog: Int { output.count - written }

  /// One of them becomes readable when `look` has something to return.
  var descriptors: [FileDescriptor] {
    var descriptors = socket.map { [$0.descriptor] } ?? []
    if let input = client?.input, backlog < Self.backlogMax { descriptors.append(input) }
    return descriptors
  }

  // MARK: Input

  /// Returns what has arrived since the last call.
  func look() -> [APIArrival] {
    if client == nil { accept() }
    // Refuses another client only once it is certain that this one has not left.
    defer { if client?.input != nil { accept() } }
    var events: [APIArrival] = []
    var room = Self.readMax
    while let input = client?.input, backlog < Self.backlogMax, room > 0 {
      // Reading standard input can block.
      guard socket != nil || Self.isReady(input, POLLIN) else { break }
      var bytes = [UInt8](repeating: 0, count: min(room, 1 << 14))
      let count: Int
      do {
        count = try bytes.withUnsafeMutableBytes { try input.read(into: $0) }
      } catch Errno.wouldBlock {
        break
      } catch Errno.interrupted {
        continue
      } catch {
        count = 0
      }
      guard count > 0 else {
        if let last = lines.finish() { events.append(.line(last)) }
        events.append(.left)
        client?.input = nil
        break
      }
      room -= count
      events += lines.take(bytes[..<count]).map { .line($0) }
      if count < bytes.count { break }
    }
    return events
  }

  /// Disconnects a client that has left. Standard output stays until the end.
  func drop() {
    if socket != nil { close() }
  }

  private func accept() {
    guard let socket else { return }
    while let other = socket.accept() {
      guard client != nil else {
        client = Client(input: other, output: other)
        lines = APILines()
        continue
      }
      let refusal = APIRequest.Mistake(
        id: nil, message: "another client is connected; only one can be connected at a time")
      _ = try? other.writeAll(APIMessage.refusal(refusal).line)
      try? other.close()
    }
  }

  // MARK: Output

  /// Queues a message for the client. Without a client, the message is discarded.
  func put(_ message: APIMessage) {
    if client != nil { output += message.line }
  }

  /// Writes as much as the client accepts now.
  func flush() {
    while let client, backlog > 0 {
      if socket == nil, !Self.isReady(client.output, POLLOUT) { break }
      let end = socket == nil ? min(written + Self.pipeChunk, output.count) : output.count
      do {
        written += try output[written..<end].withUnsafeBytes { try client.output.write($0) }
      } catch Errno.wouldBlock {
        break
      } catch Errno.interrupted {
        continue
      } catch {
        // The client no longer reads. The next `look` notices that it has left.
        written = output.count
      }
    }
    if backlog == 0 || written > output.count / 2 {
      output.removeFirst(written)
      written = 0
    }
  }

  /// Writes the rest and disconnects. A client that does not read delays the end for a second.
  func finish() {
    var rest = Self.patience
    while let client, backlog > 0, rest > 0 {
      let before = backlog
      flush()
      if backlog == before {
        rest -= 1
        _ = Self.isReady(client.output, POLLOUT, within: Self.pollMilliseconds)
      }
    }
    close()
  }

  private func close() {
    if socket != nil { try? client?.output.close() }
    client = nil
    output = []
    written = 0
  }

  private static func isReady(
    _ descriptor: FileDescriptor, _ events: CInt, within milliseconds: CInt = 0
  ) -> Bool {
    var polled = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    return poll(&polled, 1, milliseconds) == 1
  }
}
