import Engine
import Platform
import SystemPackage

/// The connection to a client, one at a time: a Unix socket, or standard input and output.
///
/// Messages that the client has not read are kept. Above a limit, no more requests are read.
final class APIPort: APIConnection {
  private struct Client {
    /// Nil once it has ended.
    var input: CInt?
    var output: CInt
  }

  /// The number of unread bytes of messages from which on no more requests are read.
  private static let backlogMax = 1 << 20
  /// The maximum number of bytes of requests read in one turn.
  private static let readMax = 1 << 16
  /// The number of bytes that a writable pipe takes without blocking: PIPE_BUF.
  private static let pipeChunk = 4_096
  private static let pollMilliseconds: CInt = 50
  /// The number of polls after which a client that does not read no longer delays the end.
  private static let stalledPollsMax = 20

  private let system: any SystemCalls
  private let socket: APISocket?
  private var client: Client?
  /// Whether the client has left, so that only what waits for it is written.
  private var isLeaving = false
  /// Whether the system had no descriptor or memory for a client. The next `look` tries again.
  private var isShort = false
  private var lines = APILines()
  private var output: [UInt8] = []
  /// The number of bytes of `output` that are written.
  private var written = 0

  /// `path` is the path of the socket; `-` is standard input and output.
  convenience init(_ path: String) throws(Failure) {
    self.init(
      on: HostSystem.shared, socket: path == Self.standard ? nil : try APISocket(path))
  }

  /// Without a `socket`, the client is on standard input and output.
  init(on system: any SystemCalls, socket: APISocket?) {
    self.system = system
    self.socket = socket
    if socket == nil { client = Client(input: STDIN_FILENO, output: STDOUT_FILENO) }
  }

  static let standard = "-"

  deinit { close() }

  var path: String? { socket?.absolutePath }
  var backlog: Int { output.count - written }
  var needsRetry: Bool { backlog > 0 || isShort }

  var descriptors: [FileDescriptor] {
    var descriptors = isShort ? [] : socket.map { [$0.descriptor] } ?? []
    if let input = client?.input, backlog < Self.backlogMax {
      descriptors.append(FileDescriptor(rawValue: input))
    }
    return descriptors
  }

  // MARK: Input

  func look() -> [SessionInput] {
    if client == nil { accept() }
    // Refuses another client only once it is certain that this one has not left, or while it still
    // reads what waits for it.
    defer { if client?.input != nil || isLeaving { accept() } }
    var events: [SessionInput] = []
    var room = Self.readMax
    while let input = client?.input, backlog < Self.backlogMax, room > 0 {
      // Reading standard input can block.
      guard socket != nil || isReady(input, POLLIN) else { break }
      let count = min(room, 1 << 14)
      var bytes: [UInt8] = []
      do throws(Errno) {
        bytes = try system.read(input, upTo: count)
      } catch {
        if error == .wouldBlock { break }
      }
      guard !bytes.isEmpty else {
        if let last = lines.finish() { events.append(.line(last)) }
        // On standard input, no other client can follow.
        events.append(.clientLeft(isLast: socket == nil))
        client?.input = nil
        break
      }
      room -= bytes.count
      events += lines.take(bytes).map { .line($0) }
      if bytes.count < count { break }
    }
    return events
  }

  /// Disconnects a client that has left. It can still read: then the rest is written first, as it
  /// reads. Standard output stays until the end.
  func drop() {
    guard socket != nil else { return }
    isLeaving = backlog > 0
    if !isLeaving { close() }
  }

  private func accept() {
    isShort = false
    guard let socket else { return }
    while let other = next(from: socket) {
      guard client != nil else {
        client = Client(input: other, output: other)
        lines = APILines()
        continue
      }
      let refusal = APIRequest.Mistake(
        id: nil, message: "another client is connected; only one can be connected at a time")
      try? system.writeAll(other, APIMessage.refusal(refusal).line)
      system.close(other)
    }
  }

  private func next(from socket: APISocket) -> CInt? {
    do throws(Errno) {
      return try socket.accept()
    } catch {
      isShort = error.isShortage
      return nil
    }
  }

  // MARK: Output

  func put(_ message: APIMessage) {
    if client != nil, !isLeaving { output += message.line }
  }

  func flush() {
    while let client, backlog > 0 {
      if socket == nil, !isReady(client.output, POLLOUT) { break }
      let end = socket == nil ? min(written + Self.pipeChunk, output.count) : output.count
      do throws(Errno) {
        written += try system.write(client.output, output[written..<end])
      } catch {
        if error == .wouldBlock { break }
        // The client no longer reads. The next `look` notices that it has left.
        written = output.count
      }
    }
    if backlog == 0 || written > output.count / 2 {
      output.removeFirst(written)
      written = 0
    }
    if isLeaving, backlog == 0 { close() }
  }

  /// A client that does not read delays the end for a second.
  func finish() {
    var rest = Self.stalledPollsMax
    while let client, backlog > 0, rest > 0 {
      let before = backlog
      flush()
      if backlog == before {
        rest -= 1
        _ = isReady(client.output, POLLOUT, within: Self.pollMilliseconds)
      }
    }
    close()
  }

  private func close() {
    if socket != nil, let client { system.close(client.output) }
    client = nil
    isLeaving = false
    output = []
    written = 0
  }

  private func isReady(
    _ descriptor: CInt, _ events: Int32, within milliseconds: CInt = 0
  ) -> Bool {
    system.poll(descriptor, events, within: milliseconds) != 0
  }
}

/// A listening Unix socket that only its user can open. The file is removed with this object, or by
/// a signal that ends the process.
final class APISocket {
  let descriptor: FileDescriptor
  let path: String
  private let system: any SystemCalls
  /// The file's; nil if there is none.
  private let identity: FileIdentity?
  private let slot: Int?

  /// Listens at `path`. A socket there is replaced if it is the user's and no process listens.
  init(_ path: String) throws(Failure) {
    let address = try Self.address(path)
    try Self.removeLeftover(path, address)
    let number = socket(AF_UNIX, streamSocket, 0)
    guard number >= 0 else { throw Self.failure(path, errno) }
    system = HostSystem.shared
    descriptor = FileDescriptor(rawValue: number)
    self.path = path
    system.makeNonblocking(number)
    // Not by chmod after the bind: another user could connect in between.
    let before = umask(0o177)
    let isBound = Self.with(address) { bind(number, $0, $1) } == 0
    var cause = errno
    umask(before)
    guard isBound, listen(number, 4) == 0, let status = Self.status(path) else {
      if isBound {
        cause = errno
        unlink(path)
      }
      close(number)
      throw Self.failure(path, cause)
    }
    identity = FileIdentity(status)
    slot = Signals.register(path)
  }

  /// Takes over a listening socket of a system, which has no file.
  init(_ descriptor: FileDescriptor, path: String, on system: any SystemCalls) {
    self.system = system
    self.descriptor = descriptor
    self.path = path
    (identity, slot) = (nil, nil)
  }

  deinit {
    Signals.unregister(slot)
    if let identity, Self.status(path).map({ FileIdentity($0) }) == identity { unlink(path) }
    system.close(descriptor.rawValue)
  }

  /// Returns the next connection. Throws `wouldBlock` if there is none.
  func accept() throws(Errno) -> CInt {
    var address = sockaddr_storage()
    let number = try system.accept(descriptor.rawValue, from: &address)
    system.makeNonblocking(number)
    return number
  }

  /// The path for programs in other folders.
  var absolutePath: String { WorkingFolder.absolute(path) }

  // MARK: The file

  private static func failure(_ path: String, _ cause: CInt) -> Failure {
    Failure(
      .unavailable,
      "\(path): error: the socket cannot be created: \(Errno(rawValue: cause)); "
        + "choose another path with --api")
  }

  private static func address(_ path: String) throws(Failure) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= length else {
      throw Failure(
        .usage,
        "\(path): error: the path of a socket has at most \(length) bytes, found \(path.utf8.count)"
      )
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return address
  }

  private static func with(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  private static func removeLeftover(
    _ path: String, _ address: sockaddr_un
  ) throws(Failure) {
    guard let status = status(path) else { return }
    func taken(_ why: String) -> Failure {
      Failure(.unavailable, "\(path): error: \(why); choose another path with --api")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw taken("already exists and is not a socket")
    }
    guard status.st_uid == getuid() else {
      throw taken("already exists and belongs to another user")
    }
    let probe = socket(AF_UNIX, streamSocket, 0)
    guard probe >= 0 else { throw failure(path, errno) }
    defer { close(probe) }
    // A process that listens but does not accept connections must not block this one.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let isRefused = with(address) { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    guard isRefused else { throw taken("another process listens there") }
    unlink(path)
  }
}
