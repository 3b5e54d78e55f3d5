import Engine
import Sketches
import Traces

/// An arbiter in virtual time, with clients that keep what is sent to them, and a line that carries
/// its output.
final class ArbiterStand {
  private var arbiter: Arbiter
  /// The session's time; advances only when it is told to.
  private(set) var now = Instant.zero
  private var clients: [ClientID: Client] = [:]
  private let byteTime: Interval
  /// When the line will have carried everything sent.
  private var lineFree = Instant.zero

  /// A client, as far as the arbiter knows it.
  final class Client {
    let id: ClientID
    /// Whether its data is read.
    fileprivate(set) var isReading = true
    /// What was sent to it, as Latin-1 text, and whether as a text message.
    fileprivate(set) var messages: [String] = []
    fileprivate(set) var areText: [Bool] = []

    fileprivate init(_ id: ClientID) { self.id = id }

    /// The codes of the messages to it, such as `queue-full`.
    var codes: [String] {
      messages.compactMap { message in
        let parts = message.split(separator: "\"")
        guard parts.count > 3, ["error", "notice"].contains(parts[1]) else { return nil }
        return String(parts[3])
      }
    }

    func forget() { (messages, areText) = ([], []) }

    fileprivate func take(_ bytes: [UInt8], isText: Bool) {
      messages.append(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
      areText.append(isText)
    }
  }

  init(
    _ firmware: Firmware = .guarded, profile: Profile? = nil, raw: Bool = false,
    control: ControlPolicy = .first, onDisconnect: DisconnectAction = .hold
  ) {
    var settings = ArbiterSettings(firmware: firmware, baud: 9_600)
    settings.profile = profile
    settings.isRaw = raw
    settings.control = control
    settings.onDisconnect = onDisconnect
    byteTime = ByteClock.byteTime(baud: settings.baud)
    arbiter = Arbiter(settings, at: now)
  }

  // MARK: What happens

  func join(_ number: Int, _ transport: Transport = .webSocket) -> Client {
    let client = Client(ClientID(number))
    clients[client.id] = client
    handle(.joined(client.id, transport, address: "192.0.2.1:50000"))
    return client
  }

  func send(_ text: String, from client: Client, isText: Bool = true) {
    handle(.received(Array(text.utf8), isText: isText, from: client.id))
  }

  func left(_ client: Client) { handle(.left(client.id, how: "closed")) }
  func boardSent(_ bytes: [UInt8]) { handle(.boardSent(bytes)) }
  func boardIsGone() { handle(.boardIsGone) }
  func boardIsBack(bootTime: Interval) { handle(.boardIsBack(bootTime: bootTime)) }
  func beginLeaving() { handle(.leaving) }
  func giveUp() { handle(.over) }

  /// Lets time pass without doing anything.
  func wait(_ interval: Interval) { now += interval }

  /// Lets time pass, and does what is due.
  func pass(_ interval: Interval) {
    wait(interval)
    handle(.passed)
  }

  /// The session is rewound.
  func goBack(by interval: Interval) {
    now = now - interval
    lineFree = now
    arbiter.goBack(by: interval)
  }

  private func handle(_ event: Arbiter.Event) { carryOut(arbiter.handle(event, at: now)) }

  private func carryOut(_ actions: [Arbiter.Action]) {
    for action in actions {
      switch action {
      case .tell(let message, let id): clients[id]?.take(message.json, isText: true)
      case .reply(let bytes, let isText, let id): clients[id]?.take(bytes, isText: isText)
      case .hold(let id): clients[id]?.isReading = false
      case .release: for client in clients.values { client.isReading = true }
      case .forget(let id): clients[id] = nil
      case .controller, .remark: break
      }
    }
  }

  // MARK: What it does

  var counts: GatewayCounts { arbiter.counts }
  var nextDeadline: Instant? { arbiter.nextDeadline(at: now) }
  var waitingCount: Int { arbiter.waitingCount }
  var isDrained: Bool { arbiter.isDrained }
  var refusals: (count: Int, last: [ShownRefusals.Entry]) { arbiter.refusals }

  func takeRefused(isLast: Bool = false) -> [RefusedMessage] { arbiter.takeRefused(isLast: isLast) }

  func next(waitingCount: Int, room: Int) -> [UInt8]? {
    guard let next = arbiter.next(waitingCount: waitingCount, room: room, at: now) else {
      return nil
    }
    carryOut(next.actions)
    return next.bytes
  }

  /// The bytes sent over the line now, if it is free. The line is then busy for as long as they
  /// take.
  func step(room: Int = 4_096) -> String? {
    let waiting = (lineFree - now).nanoseconds
    let count = max(0, (waiting + byteTime.nanoseconds - 1) / byteTime.nanoseconds)
    guard let bytes = next(waitingCount: Int(count), room: room) else { return nil }
    lineFree = max(lineFree, now) + .nanoseconds(Int64(bytes.count) * byteTime.nanoseconds)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Everything that waits, in the order and the pieces in which it is sent. The line is always
  /// free.
  func drain() -> [String] {
    var out: [String] = []
    while let bytes = next(waitingCount: 0, room: 4_096) {
      out.append(String(decoding: bytes, as: UTF8.self))
    }
    return out
  }
}
