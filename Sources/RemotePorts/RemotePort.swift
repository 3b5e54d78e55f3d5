package import ComPort
package import Networking
import Platform
import SystemPackage
package import Turret

/// The port of a bench over TCP, with its modem lines (RFC 2217). One client has it at a time, as
/// with a serial port; what a client sends reaches the line even if the client leaves.
///
/// `ComPortServer` and `LineQueue` make the decisions; this class reads and writes sockets. Used in
/// the turns of one bench.
package final class RemotePort {
  /// An event on the port, in order.
  package enum Event: Hashable, Sendable {
    /// A client has connected, which sets DTR.
    case opened(peer: String)
    /// A connection that did not begin like a client's was refused. Refusals are reported at most
    /// once a second.
    case foreign(ForeignProtocol, peer: String)
    /// The client has left. `refused`: how many others were refused meanwhile. `ignored`: how many
    /// of its commands were not understood.
    case closed(refused: Int, ignored: Int)
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
    /// When it opens the port if it sends nothing before; nil once it has opened it. The delay
    /// allows for web pages: they can make a browser connect, and only its first bytes reveal it.
    var opensAt: HostTime?
  }

  /// A client that was refused. It is kept until it has read the reason.
  private struct Refused {
    let stream: TCPStream
    var deadline: HostTime
  }

  private static let refusal = Array(
    "Another client has this port open, and only one can. Try again when it has left.\r\n".utf8)
  private static let farewellTime = Interval.seconds(1)
  private static let openingTime = Interval.milliseconds(50)
  /// The maximum number of connections accepted at once, and of reads. A client that never stops
  /// sending must not keep the bench from its turns.
  private static let acceptMax = 16
  private static let readCountMax = 16
  private static let readMax = 4_096
  /// How long no connection is accepted after the system had no descriptor or memory for one.
  private static let acceptPause = Interval.milliseconds(100)
  private static let reportPeriod = Interval.seconds(1)

  private let listeners: [CInt]
  /// The board's speed in bits a second, at which each client finds the port.
  private let speed: Int
  private let speeds: ClosedRange<Int>
  private var client: Client?
  private var refused: Refused?
  private var acceptsFrom: HostTime?
  private var reportsFrom = HostTime.now
  private var queue = LineQueue()
  /// The addresses on which it listens.
  package let addresses: [Endpoint]

  /// Listens at an endpoint, on all addresses of a name, for a board whose port runs at `speed`
  /// bits a second. Clients can set the speeds in `speeds`.
  package init(
    listening endpoint: Endpoint, speed: Int, speeds: ClosedRange<Int>
  ) throws(NetworkError) {
    let sockets = try ListeningSocket.open([endpoint])
    addresses = sockets.compactMap { Endpoint($0.address.endpoint) }
    listeners = sockets.compactMap { $0.take() }
    self.speed = speed
    self.speeds = speeds
    for listener in listeners { _ = fcntl(listener, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    for listener in listeners { _ = close(listener) }
  }

  /// Whether a client has the port.
  package var isOpen: Bool { client != nil }
  /// The speed that the client has set, in bits a second; nil without a client.
  package var readerBaud: Int? { client?.server.speed }
  /// The format that it has set; 8N1 without a client.
  package var readerFormat: LineFormat { client?.server.format ?? .standard }
  /// The number of bytes that wait for the line.
  package var waitingCount: Int { queue.count }
  /// Whether bytes still wait for the client, because it reads too slowly.
  package var needsRetry: Bool { client?.unsent.isEmpty == false }

  /// The descriptors that become readable when `look` must be called.
  package var descriptors: [CInt] {
    var descriptors = acceptsFrom == nil ? listeners : []
    if let descriptor = refused?.stream.descriptor { descriptors.append(descriptor) }
    if hasRoom, let descriptor = client?.stream.descriptor { descriptors.append(descriptor) }
    return descriptors
  }

  /// When `look` must be called even if nothing arrives; nil for never.
  package var deadline: HostTime? {
    [refused?.deadline, acceptsFrom, client?.opensAt].compactMap { $0 }.min()
  }

  private var hasRoom: Bool {
    queue.count < LineQueue.countMax && client?.server.acceptsInput == true
  }

  // MARK: Input

  /// Takes what has arrived. Returns the events since the last call.
  package func look() -> [Event] {
    var events: [Event] = []
    dismiss()
    readAll(&events)
    acceptAll(&events)
    readAll(&events)
    if let opensAt = client?.opensAt, opensAt <= .now { open(&events) }
    flush()
    return events
  }

  /// Removes and returns what is next on the line, with at most `room` bytes.
  package func takeForLine(room: Int) -> [LineItem] { queue.take(room: room) }

  private func acceptAll(_ events: inout [Event]) {
    let now = HostTime.now
    if let acceptsFrom, acceptsFrom > now { return }
    acceptsFrom = nil
    for listener in listeners {
      for _ in 0..<Self.acceptMax {
        let stream: TCPStream?
        do throws(Errno) {
          stream = try TCPStream.accept(from: listener)
        } catch {
          acceptsFrom = now + Self.acceptPause
          return
        }
        guard let stream else { break }
        // The client may just have left.
        readAll(&events)
        if client == nil {
          client = Client(
            stream: stream, server: ComPortServer(speed: speed, speeds: speeds),
            opensAt: now + Self.openingTime)
        } else {
          refuse(stream)
          report(.refused(peer: stream.peer), &events)
        }
      }
    }
  }

  private func open(_ events: inout [Event]) {
    guard let client, client.opensAt != nil else { return }
    self.client?.opensAt = nil
    queue.put(.speed(speed))
    queue.put(.format(.standard))
    events.append(.opened(peer: client.stream.peer))
  }

  private func refuse(_ stream: TCPStream) {
    client?.refusedCount += 1
    _ = stream.write(Self.refusal)
    stream.endWriting()
    // Only the last one is kept; the one that it replaces may not have read the sentence.
    refused = Refused(stream: stream, deadline: .now + Self.farewellTime)
  }

  private func report(_ refusal: Event, _ events: inout [Event]) {
    let now = HostTime.now
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
        if deadline <= .now { refused = nil }
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
      let room = min(Self.readMax, LineQueue.countMax - queue.count)
      switch client?.stream.read(upTo: room) ?? .ended {
      case .bytes(let bytes):
        if client?.opensAt != nil {
          if let foreign = ForeignProtocol(firstRead: bytes) {
            report(.foreign(foreign, peer: client?.stream.peer ?? "?"), &events)
            client = nil
            return
          }
          open(&events)
        }
        carryOut(client?.server.receive(bytes) ?? [], &events)
      case .nothing: return
      case .ended where client?.opensAt != nil:
        client = nil
      case .ended:
        carryOut(client?.server.close() ?? [], &events)
        events.append(
          .closed(
            refused: client?.refusedCount ?? 0, ignored: client?.server.ignoredCount ?? 0))
        client = nil
      }
    }
  }

  private func carryOut(_ actions: [ComPortServer.Action], _ events: inout [Event]) {
    for action in actions {
      switch action {
      case .line(let item): queue.put(item)
      case .purgeLine: queue.purge()
      case .restart: events.append(.restart)
      }
    }
  }

  // MARK: Output

  /// Writes the board's bytes for the client. Returns how many there was room for, 0 if there is no
  /// client.
  package func write(_ bytes: [UInt8]) -> Int {
    let count = client?.server.send(bytes) ?? 0
    flush()
    return count
  }

  /// Reports to the client whether the line is idle, and sends what waits.
  package func settle(isIdle: Bool) {
    client?.server.note(waiting: queue.count, isIdle: queue.isEmpty && isIdle)
    flush()
  }

  private func flush() {
    while client != nil {
      if client?.unsent.isEmpty == true, client?.server.hasOutput == true {
        let output = client?.server.takeOutput(data: Self.readMax) ?? []
        client?.unsent = output
      }
      let unsent = client?.unsent ?? []
      guard !unsent.isEmpty else { return }
      guard let count = client?.stream.write(unsent) else {
        // Reading will detect the end of the connection, after the data that arrived before it.
        client?.unsent = []
        return
      }
      client?.unsent.removeFirst(count)
      if count < unsent.count { return }
    }
  }
}
