import Network
import Platform
import Sketches
import TestSupport
import Testing

@testable import Serial

@Suite(.ownThread) struct RemotePortTests {
  /// A telnet command without effect.
  private static let hello: [UInt8] = [255, 241]

  private static func port(leftTime: Interval = RemotePort.leftTime) throws -> RemotePort {
    let endpoint = Endpoint(host: "127.0.0.1", port: 0)
    return try RemotePort(
      listening: endpoint, speed: 9_600, speeds: 1...2_000_000, leftTime: leftTime)
  }

  /// A client that has the port.
  private static func open(_ port: RemotePort) throws -> TCPStream {
    let client = try connect(port)
    #expect(client.write(hello) == hello.count)
    _ = try look(port) { _ in port.isOpen }
    return client
  }

  /// Sends as much as the system takes.
  private static func flood(_ client: TCPStream, _ port: RemotePort) -> Int {
    let piece = [UInt8](repeating: 65, count: 100_000)
    var (sent, count) = (0, 1)
    while count > 0 {
      count = client.write(piece) ?? 0
      sent += count
      _ = port.look()
    }
    return sent
  }

  private static func connect(_ port: RemotePort) throws -> TCPStream {
    let endpoint = try #require(port.addresses.first)
    return try TCPStream.connect(to: endpoint, within: .seconds(10))
  }

  /// Looks at the port until a condition holds. Returns the events.
  private static func look(
    _ port: RemotePort, until isMet: ([RemotePort.Event]) -> Bool
  ) throws -> [RemotePort.Event] {
    let deadline = HostTime.now + .seconds(20)
    var events: [RemotePort.Event] = []
    while true {
      events += port.look()
      if isMet(events) { return events }
      try #require(HostTime.now < deadline, "\(events)")
      (HostTime.now + .milliseconds(1)).sleep()
    }
  }

  /// Reads from a stream until the end, or until it has `count` bytes.
  private static func read(_ stream: TCPStream, _ port: RemotePort, count: Int) throws -> [UInt8] {
    let deadline = HostTime.now + .seconds(20)
    var bytes: [UInt8] = []
    while bytes.count < count {
      _ = port.look()
      switch stream.read(upTo: 4_096) {
      case .bytes(let more): bytes += more
      case .ended: return bytes
      case .nothing:
        try #require(HostTime.now < deadline, "\(bytes)")
        (HostTime.now + .milliseconds(1)).sleep()
      }
    }
    return bytes
  }

  @Test func `A client's bytes reach the line although it leaves at once`() throws {
    let port = try Self.port()
    var client: TCPStream? = try Self.connect(port)
    let peer = try #require(client?.peer)
    #expect(peer == port.addresses.first?.description)
    #expect(client?.write([88, 255, 255, 46]) == 4)
    client = nil
    let events = try Self.look(port) { $0.count == 2 }
    guard case .opened(let peer) = events[0] else {
      Issue.record("\(events)")
      return
    }
    #expect(peer.hasPrefix("127.0.0.1:"))
    #expect(events[1] == .closed(refused: 0, ignored: 0))
    #expect(!port.isOpen)
    #expect(
      port.takeForLine(room: 100) == [.speed(9_600), .format(.standard), .bytes([88, 255, 46])])
  }

  @Test func `A second client is refused with a sentence, and the port is free after the first`()
    throws
  {
    let port = try Self.port()
    var first: TCPStream? = try Self.open(port)
    let second = try Self.connect(port)
    // The second one receives the sentence even though it has sent data.
    _ = second.write([UInt8](repeating: 65, count: 3_000))
    let sentence = String(decoding: try Self.read(second, port, count: .max), as: UTF8.self)
    #expect(sentence.hasPrefix("Another client has this port open"), "\(sentence)")
    #expect(port.isOpen)
    #expect(first != nil)
    first = nil
    let events = try Self.look(port) { $0.contains(.closed(refused: 1, ignored: 0)) }
    #expect(events.last == .closed(refused: 1, ignored: 0))
    let third = try Self.open(port)
    #expect(third.write([66]) == 1)
    _ = try Self.look(port) { _ in port.waitingCount == 1 }
    #expect(port.takeForLine(room: 100) == [.speed(9_600), .format(.standard), .bytes([66])])
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\r\n\r\nX45.", ForeignProtocol.http), ("GET /X45. HTTP/1.1\r\n\r\n", .http),
    ("\u{16}\u{3}\u{1}", .tls),
  ])
  func `A browser is refused before it opens the port`(
    _ text: String, _ foreign: ForeignProtocol
  ) throws {
    let port = try Self.port()
    let browser = try Self.connect(port)
    #expect(browser.write(Array(text.utf8)) == text.utf8.count)
    let events = try Self.look(port) { !$0.isEmpty }
    guard case .foreign(foreign, _) = events[0] else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 1)
    #expect(!port.isOpen)
    #expect(port.takeForLine(room: 100) == [])
  }

  @Test func `Silent connections read without DTR, and give way to the first that sends`() throws {
    let port = try Self.port()
    let silent = [try Self.connect(port), try Self.connect(port)]
    #expect(port.readerBaud == nil)
    let deadline = HostTime.now + .milliseconds(200)
    while HostTime.now < deadline { #expect(port.look() == []) }
    #expect(!port.isOpen)
    #expect(port.readerBaud == 9_600)
    #expect(port.write(Array("board".utf8)) == 5)
    let client = try Self.connect(port)
    #expect(client.write([255, 251, 44]) == 3)
    let events = try Self.look(port) { !$0.isEmpty }
    #expect(events.first?.peer != nil && events.count == 1)
    for stream in silent {
      let text = String(decoding: try Self.read(stream, port, count: .max), as: UTF8.self)
      #expect(text.contains("boardAnother client has this port open"), "\(text)")
    }
    #expect(port.isOpen)
  }

  @Test func `Many silent connections do not keep a client from the port`() throws {
    let port = try Self.port()
    var silent: [TCPStream] = []
    for _ in 0..<40 {
      silent.append(try Self.connect(port))
      _ = port.look()
    }
    #expect(port.descriptors.count < 20)
    // The first ones still read.
    #expect(port.write([66]) == 1)
    #expect(try Self.read(silent[0], port, count: 16).last == 66)
    _ = try Self.open(port)
  }

  @Test(arguments: [true, false])
  func `A client that is gone frees the port although the line has no room for what it sent`(
    _ isRead: Bool
  ) throws {
    let port = try Self.port()
    var client: TCPStream? = try Self.open(port)
    let sent = Self.flood(try #require(client), port)
    #expect(sent > LineQueue.countMax)
    // If nothing is unread, the end of the connection follows the data, which has no room.
    while isRead, case .bytes = client?.read(upTo: 4_096) {}
    client = nil
    let end = HostTime.now + .seconds(2)
    _ = try Self.look(port) { events in
      events.contains { if case .closed = $0 { true } else { false } }
    }
    #expect(HostTime.now < end)
    // What had arrived waits for the line; the next client has the port meanwhile.
    #expect(port.waitingCount >= LineQueue.countMax)
    let next = try Self.open(port)
    #expect(next.write([255, 250, 44, 12, 2, 255, 240]) == 7)
    _ = try Self.look(port) { _ in port.waitingCount == 0 }
    #expect(port.isOpen)
  }

  @Test func `What a client sent before it left is dropped and counted in the end`() throws {
    let port = try Self.port(leftTime: .milliseconds(50))
    var client: TCPStream? = try Self.open(port)
    #expect(client?.write([UInt8](repeating: 65, count: 3_000)) == 3_000)
    _ = try Self.look(port) { _ in port.waitingCount == 3_000 }
    client = nil
    _ = try Self.look(port) { _ in !port.isOpen }
    #expect(port.takeForLine(room: 1_000).last == .bytes([UInt8](repeating: 65, count: 1_000)))
    let next = try Self.open(port)
    #expect(next.write([66]) == 1)
    let events = try Self.look(port) { !$0.isEmpty }
    #expect(events == [.dropped(2_000)])
    _ = try Self.look(port) { _ in port.waitingCount == 1 }
    #expect(port.takeForLine(room: 10).last == .bytes([66]))
  }

  @Test func `A connection that ends at once does not open the port`() throws {
    let port = try Self.port()
    _ = try Self.connect(port)
    var client: TCPStream? = try Self.connect(port)
    #expect(client?.write([88]) == 1)
    let events = try Self.look(port) { $0.count == 1 }
    #expect(events == [.opened(peer: events[0].peer ?? "")])
    client = nil
  }

  @Test func `A client that sends more than fits is held, and loses nothing`() throws {
    let port = try Self.port()
    let client = try Self.connect(port)
    let bytes = (0..<100_000).map { UInt8($0 % 251) }
    var (sent, received): (Int, [UInt8]) = (0, [])
    let deadline = HostTime.now + .seconds(30)
    while received.count < bytes.count {
      try #require(HostTime.now < deadline)
      sent += client.write(Array(bytes[sent...].prefix(30_000))) ?? 0
      _ = port.look()
      #expect(port.waitingCount <= LineQueue.countMax)
      for case .bytes(let more) in port.takeForLine(room: 1_000) { received += more }
    }
    #expect(received == bytes)
  }

  @Test func `A client that does not read is not waited for`() throws {
    let port = try Self.port()
    let client = try Self.open(port)
    let piece = [UInt8](repeating: 65, count: 10_000)
    var lost = 0
    for _ in 0..<1_000 where lost == 0 { lost += piece.count - port.write(piece) }
    #expect(lost > 0)
    #expect(port.needsRetry)
    // It can still send.
    #expect(client.write([66]) == 1)
    _ = try Self.look(port) { _ in port.waitingCount == 1 }
  }

  @Test(arguments: 0..<20)
  func `Random bytes from a client never stop the port`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let port = try Self.port()
    for _ in 0..<5 {
      var client: TCPStream? = try Self.connect(port)
      var bytes: [UInt8] = []
      for _ in 0..<300 {
        bytes.append(Bool.random(using: &random) ? .random(in: 240...255, using: &random) : 44)
        bytes.append(.random(in: 0...255, using: &random))
      }
      _ = client?.write(bytes)
      if Bool.random(using: &random) { _ = port.look() }
      client = nil
      let events = try Self.look(port) { events in
        events.contains { if case .closed = $0 { true } else { false } }
      }
      #expect(!events.isEmpty, "seed \(seed)")
      _ = port.takeForLine(room: 1_000)
      port.settle(isIdle: true)
    }
  }
}

extension RemotePort.Event {
  fileprivate var peer: String? { if case .opened(let peer) = self { peer } else { nil } }
}
