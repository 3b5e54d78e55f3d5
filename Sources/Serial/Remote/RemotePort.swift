package import Network
package import Platform
package import Sketches
import SystemPackage
import Traces

/// The port of a bench over TCP, with its modem lines (RFC 2217). One client has it at a time, as
/// with a serial port; what a client sends reaches the line even if the client leaves, for a
/// limited time.
///
///     connected --first bytes, not a browser's--> has the port --end of the connection--> left
///
/// A connection that has sent nothing only reads: it may be a browser's, which any web page can
/// cause. It does not set DTR, and gives way to the first connection that sends something.
///
/// `ComPortServer` and `LineQueue` make the decisions; this class reads and writes sockets. Used in
/// the turns of one bench.
package final class RemotePort {
  /// An event on the port, in order.
  package enum Event: Hashable, Sendable {
    /// A client has sent its first bytes, which sets DTR.
    case opened(peer: String)
    /// A connection that did not begin like a client's was refused. Refusals are reported at most
    /// once a second.
    case foreign(ForeignProtocol, peer: String)
    /// The client has left. `refused`: how many others were refused meanwhile. `ignored`: how many
    /// of its commands were not understood.
    case closed(refused: Int, ignored: Int)
    /// This many bytes of clients that have left will not be sent.
    case dropped(Int)
    /// A client was refused because another one has the port.
    case refused(peer: String)
    /// DTR was cleared and set again.
    case restart
  }

  private struct Client {
    let stream: TCPStream
    var server: ComPortServer
    /// Bytes that the socket had no room for.
    var unsent: [UInt8] = []
    var refusedCount = 0
    /// When it is probed next; nil while it is read, which detects its end.
    var probesAt: HostTime?
  }

  /// A client that was refused. It is kept until it has read the reason.
  private struct Refused {
    let stream: TCPStream
    var deadline: HostTime
  }

  private static let refusal = Array(
    "Another client has this port open, and only one can. Try again when it has left.\r\n".utf8)
  private static let farewellTime = Interval.seconds(1)
  /// How long the bytes of a client that has left can wait for the line: as long as Linux waits for
  /// a serial port that is being closed (`closing_wait` of setserial(8)).
  package static let leftTime = Interval.seconds(30)
  /// The maximum number of such bytes. More than the system holds for one connection.
  private static let leftMax = 524_288
  /// How often a client is probed that is not read.
  private static let probePeriod = Interval.milliseconds(500)
  /// The maximum number of connections that only read. Of those beyond the first ones, the one that
  /// connected first gives way to a new one, which might be about to send.
  private static let silentMax = 16
  private static let silentKept = 8
  /// The maximum number of connections accepted at once, and of reads. A client that never stops
  /// sending must not keep the bench from its turns.
  private static let acceptMax = 16
  private static let readCountMax = 16
  private static let readMax = 4_096
  /// How long no connection is accepted after the system had no descriptor or memory for one.
  private static let acceptPause = Interval.milliseconds(100)
  private static let reportPeriod = Interval.seconds(1)

  private let system: any SystemCalls
  private let listeners: [CInt]
  /// The board's speed in bits a second, at which each client finds the port.
  private let speed: Int
  private let speeds: ClosedRange<Int>
  private let leftTime: Interval
  private var client: Client?
  /// The connections that have sent nothing, in the order in which they connected. Empty while a
  /// client has the port.
  private var silent: [Client] = []
  private var refused: Refused?
  private var acceptsFrom: HostTime?
  private var reportsFrom: HostTime
  private var queue = LineQueue()
  /// The number of bytes in the queue, at its beginning, of clients that have left, and when they
  /// are dropped.
  private var leftCount = 0
  private var leftEnd: HostTime?
  /// The addresses on which it listens.
  package let addresses: [Endpoint]

  /// Listens at an endpoint, on all addresses of a name, for a board whose port runs at `speed`
  /// bits a second. Clients can set the speeds in `speeds`. `leftTime` is how long the bytes of one
  /// that has left can wait for the line.
  package convenience init(
    listening endpoint: Endpoint, speed: Int, speeds: ClosedRange<Int>,
    leftTime: Interval = leftTime
  ) throws(NetworkError) {
    let sockets = try ListeningSocket.open([endpoint])
    self.init(
      on: HostSystem.shared, listeners: sockets.compactMap { $0.take() },
      addresses: sockets.compactMap { Endpoint($0.address.endpoint) }, speed: speed,
      speeds: speeds, leftTime: leftTime)
  }

  /// Takes over listening sockets of a system.
  package init(
    on system: any SystemCalls, listeners: [CInt], addresses: [Endpoint], speed: Int,
    speeds: ClosedRange<Int>, leftTime: Interval = leftTime
  ) {
    self.system = system
    self.listeners = listeners
    self.addresses = addresses
    self.speed = speed
    self.speeds = speeds
    self.leftTime = leftTime
    reportsFrom = system.now
    for listener in listeners { system.makeNonblocking(listener) }
  }

  deinit { for listener in listeners { system.close(listener) } }

  /// Whether a client has the port.
  package var isOpen: Bool { client != nil }
  /// The speed that the client has set, in bits a second; the board's if the connections only read;
  /// nil without one.
  package var readerBaud: Int? { client?.server.speed ?? (silent.isEmpty ? nil : speed) }
  /// The format that it has set; 8N1 without a client.
  package var readerFormat: LineFormat { client?.server.format ?? .standard }
  package var waitingCount: Int { queue.count }
  package var slowestWaiting: Int? { queue.slowest }
  package var needsRetry: Bool {
    client?.unsent.isEmpty == false || silent.contains { !$0.unsent.isEmpty }
  }

  package var descriptors: [CInt] {
    var descriptors = acceptsFrom == nil ? listeners : []
    if let descriptor = refused?.stream.descriptor { descriptors.append(descriptor) }
    if hasRoom, let descriptor = client?.stream.descriptor { descriptors.append(descriptor) }
    return descriptors + silent.map(\.stream.descriptor)
  }

  package var deadline: HostTime? {
    [refused?.deadline, acceptsFrom, client?.probesAt, leftEnd].compactMap { $0 }.min()
  }

  /// How many more bytes the client can send.
  private var room: Int {
    client?.server.acceptsInput == true ? LineQueue.countMax - (queue.count - leftCount) : 0
  }
  private var hasRoom: Bool { room > 0 }

  // MARK: Input

  /// Takes what has arrived. Returns the events since the last call.
  package func look() -> [Event] {
    var events: [Event] = []
    dismiss()
    readAll(&events)
    acceptAll(&events)
    hear(&events)
    readAll(&events)
    probe(&events)
    dropLate(&events)
    flush()
    return events
  }

  package func takeForLine(room: Int) -> [LineItem] {
    let before = queue.count
    defer { setLeft(leftCount - (before - queue.count)) }
    return queue.take(room: room)
  }

  private func acceptAll(_ events: inout [Event]) {
    let now = system.now
    if let acceptsFrom, acceptsFrom > now { return }
    acceptsFrom = nil
    for listener in listeners {
      for _ in 0..<Self.acceptMax {
        let stream: TCPStream?
        do throws(Errno) {
          stream = try TCPStream.accept(from: listener, on: system)
        } catch {
          acceptsFrom = now + Self.acceptPause
          return
        }
        guard let stream else { break }
        // The client may just have left.
        readAll(&events)
        guard client == nil else {
          client?.refusedCount += 1
          refuse(stream)
          report(.refused(peer: stream.peer), &events)
          continue
        }
        if silent.count == Self.silentMax { silent.remove(at: Self.silentKept) }
        silent.append(Client(stream: stream, server: ComPortServer(speed: speed, speeds: speeds)))
        hear(&events)
      }
    }
  }

  /// Reads the connections that have sent nothing. The first one that sends something gets the
  /// port, unless that is what a browser sends.
  private func hear(_ events: inout [Event]) {
    var index = 0
    while client == nil, index < silent.count {
      switch silent[index].stream.read(upTo: Self.readMax) {
      case .nothing: index += 1
      case .ended: silent.remove(at: index)
      case .bytes(let bytes):
        let heard = silent.remove(at: index)
        if let foreign = ForeignProtocol(firstRead: bytes) {
          report(.foreign(foreign, peer: heard.stream.peer), &events)
          continue
        }
        client = heard
        for other in silent { refuse(other.stream) }
        silent = []
        queue.put(.speed(speed))
        queue.put(.format(.standard))
        events.append(.opened(peer: heard.stream.peer))
        carryOut(client?.server.receive(bytes) ?? [], &events)
      }
    }
  }

  private func refuse(_ stream: TCPStream) {
    _ = stream.write(Self.refusal)
    stream.endWriting()
    // Only the last one is kept; the one that it replaces may not have read the sentence.
    refused = Refused(stream: stream, deadline: system.now + Self.farewellTime)
  }

  private func report(_ refusal: Event, _ events: inout [Event]) {
    let now = system.now
    guard now >= reportsFrom else { return }
    reportsFrom = now + Self.reportPeriod
    events.append(refusal)
  }

  /// Reads what a refused client sends: closing with unread data would discard what was written to
  /// it.
  private func dismiss() {
    guard let deadline = refused?.deadline else { return }
    for _ in 0..<Self.readCountMax {
      switch refused?.stream.read(upTo: Self.readMax) ?? .ended {
      case .bytes: continue
      case .nothing:
        if deadline <= system.now { refused = nil }
        return
      case .ended:
        refused = nil
        return
      }
    }
    refused = nil
  }

  private func readAll(_ events: inout [Event]) {
    for _ in 0..<Self.readCountMax {
      guard hasRoom else { return }
      switch client?.stream.read(upTo: min(Self.readMax, room)) ?? .ended {
      case .bytes(let bytes): carryOut(client?.server.receive(bytes) ?? [], &events)
      case .nothing: return
      case .ended: leave(&events)
      }
    }
  }

  /// Detects the end of a client that is not read, because the line or the client's answers have
  /// no room. The end of its data may not have arrived yet, because the system has no room for the
  /// data before it. But a system whose program is gone answers anything it receives with a reset,
  /// so the client is sent a command without effect.
  private func probe(_ events: inout [Event]) {
    guard let stream = client?.stream, !hasRoom else {
      client?.probesAt = nil
      return
    }
    guard !stream.hasEnded else {
      // What has arrived is still sent.
      while case .bytes(let bytes) = stream.read(upTo: Self.readMax) {
        carryOut(client?.server.receive(bytes) ?? [], &events)
      }
      return leave(&events)
    }
    let now = system.now
    guard now >= client?.probesAt ?? now else { return }
    client?.probesAt = now + Self.probePeriod
    if client?.unsent.isEmpty == true, client?.server.hasOutput == false { client?.server.probe() }
  }

  private func leave(_ events: inout [Event]) {
    carryOut(client?.server.close() ?? [], &events)
    events.append(
      .closed(refused: client?.refusedCount ?? 0, ignored: client?.server.ignoredCount ?? 0))
    client = nil
    let surplus = queue.count - Self.leftMax
    if surplus > 0 { events.append(.dropped(queue.drop(first: surplus))) }
    setLeft(queue.count)
  }

  private func setLeft(_ count: Int) {
    leftCount = max(count, 0)
    leftEnd = leftCount == 0 ? nil : leftEnd ?? system.now + leftTime
  }

  /// Drops what clients that have left had sent, if it has waited for too long.
  private func dropLate(_ events: inout [Event]) {
    guard let leftEnd, leftEnd <= system.now else { return }
    events.append(.dropped(queue.drop(first: leftCount)))
    setLeft(0)
  }

  private func carryOut(_ actions: [ComPortServer.Action], _ events: inout [Event]) {
    for action in actions {
      switch action {
      case .line(let item): queue.put(item)
      case .purgeLine:
        queue.purge()
        setLeft(min(leftCount, queue.count))
      case .restart: events.append(.restart)
      }
    }
  }

  // MARK: Output

  /// Writes the board's bytes for the client, or for those that only read. Returns how many there
  /// was room for, 0 if there is no connection.
  package func write(_ bytes: [UInt8]) -> Int {
    var count = client?.server.send(bytes) ?? 0
    for index in silent.indices { count = max(count, silent[index].server.send(bytes)) }
    flush()
    return count
  }

  package func settle(isIdle: Bool) {
    client?.server.note(waiting: queue.count, isIdle: queue.isEmpty && isIdle)
    flush()
  }

  private func flush() {
    if client != nil { Self.flush(&client!) }
    for index in silent.indices { Self.flush(&silent[index]) }
  }

  private static func flush(_ client: inout Client) {
    while true {
      if client.unsent.isEmpty { client.unsent = client.server.takeOutput(data: readMax) }
      guard !client.unsent.isEmpty else { return }
      guard let count = client.stream.write(client.unsent) else {
        // Reading will detect the end of the connection, after the data that arrived before it.
        client.unsent = []
        return
      }
      client.unsent.removeFirst(count)
      if !client.unsent.isEmpty { return }
    }
  }
}

extension RemotePort: SenderLink {
  package var urls: [String] { addresses.map { "rfc2217://\($0)" } }
  package var variable: String { "SENTRY_RFC2217" }

  package func takeNews() -> [LinkNews] { look().flatMap(Self.news) }

  private static func news(_ event: Event) -> [LinkNews] {
    switch event {
    case .opened(let peer): [.detail("\(peer) has opened the RFC 2217 port."), .dtr]
    case .closed(let refused, let ignored):
      [
        .detail(
          "The RFC 2217 client has disconnected. Other clients refused in the meantime: "
            + "\(refused); commands ignored: \(ignored).")
      ]
    case .dropped(let count):
      [
        .remark(
          "\(String(counting: count, "byte")) of an RFC 2217 client that has left will not be "
            + "sent.")
      ]
    case .foreign(let kind, let peer):
      [.remark("\(peer) was refused: it begins as \(kind.name), not as a client of RFC 2217.")]
    case .refused(let peer): [.remark("\(peer) was refused: another client has the RFC 2217 port.")]
    case .restart: [.dtr]
    }
  }
}
