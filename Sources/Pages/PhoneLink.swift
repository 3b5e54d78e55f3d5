import Traces
import TurretLink

/// The connection of the phone's page: takes its events, and keeps what it has to do and to show.
/// When to connect, what is sent and what waits is decided by a `TurretLink`.
struct PhoneLink: Sendable {
  /// As the page calls them.
  private enum Standing: String, Hashable, Sendable {
    case off, connecting, open
    /// The gateway does not answer. The next attempt follows.
    case away
    /// The gateway requires another token. No attempt follows.
    case refused
    /// The gateway has no detector. The next attempt follows.
    case noDetector = "no-detector"
  }

  private var link = TurretLink(seed: nil)
  private var standing = Standing.off
  /// Why it is refused, or what the gateway has said that keeps the turret from following.
  private var why = ""
  private var hasDetector = true
  /// What the page has to do since the last answer.
  private var actions: [JSONValue] = []

  /// Takes an event of the page; returns false if `word` is none.
  mutating func take(_ word: String, _ payload: [UInt8], at time: Double) -> Bool {
    switch word {
    case "start":
      if link.status.connection == .ended { link = Self.link(seed: payload) }
      take(.start, at: time)
    case "connected": take(.connected, at: time)
    case "message":
      take(.message(String(decoding: payload, as: UTF8.self)), at: time)
      heed(link.status.notice)
    case "closed": closed(PageRequest(payload), at: time)
    case "sleep": take(.sleep, at: time)
    case "wake": take(.wake, at: time)
    case "stop":
      take(.stop, at: time)
      stand(.off)
    case "passed": take(.passed, at: time)
    default: return false
    }
    return true
  }

  mutating func take(_ event: TurretLink.Event, at time: Double) {
    for action in link.handle(event, at: time) {
      switch action {
      case .connect: add("connect")
      case .send(let command): add("send", command.text)
      case .close: add("close")
      case .show(let status): show(status.connection)
      }
    }
  }

  /// Adds to an answer what the page has to do and to show.
  mutating func add(to text: inout JSONText, at time: Double) {
    // A WebSocket does not report when it has sent earlier data, so the page looks every 5 ms.
    let wait = link.waitsForRoom ? 0.005 : link.waitUntil.map { $0 - time }
    text.add("actions", .array(actions))
    // No pause is longer than a minute.
    text.add("wait", .whole(wait.map { Int((min(max($0, 0), 60) * 1_000).rounded(.up)) }))
    text.add("room", .bool(standing == .open && !isElsewhere && !link.waitsForRoom))
    text.add("status", shown)
    actions = []
  }

  // MARK: -

  /// | member | content |
  /// |---|---|
  /// | `standing` | the word of a `Standing` |
  /// | `elsewhere` | whether another client is in control |
  /// | `detector` | whether the gateway's detector answers |
  /// | `why` | why it is refused, or a sentence of the gateway; empty if nothing is the matter |
  private var shown: JSONValue {
    var status = JSONText()
    status.add("standing", standing.rawValue)
    status.add("elsewhere", .bool(isElsewhere))
    status.add("detector", .bool(hasDetector))
    status.add("why", why)
    return status.value
  }

  private var isElsewhere: Bool { link.status.control == .elsewhere }

  /// The pictures limit the rate of commands. `payload`: the seed, a number.
  private static func link(seed payload: [UInt8]) -> TurretLink {
    var settings = TurretLink.Settings()
    settings.commandsPerSecond = nil
    // Someone looks at the page.
    settings.longestPause = 5
    return TurretLink(settings, seed: UInt64(String(decoding: payload, as: UTF8.self)))
  }

  private mutating func add(_ words: String...) {
    actions.append(.array(words.map { .string($0) }))
  }

  /// `answer`: the status of the gateway's answer to a request, and its text.
  private mutating func closed(_ answer: PageRequest, at time: Double) {
    take(.closed(nil), at: time)
    switch answer.word {
    case "401", "403":
      take(.stop, at: time)
      stand(.refused, answer.argument)
    case "404": stand(.noDetector)
    default: break
    }
  }

  private mutating func show(_ connection: TurretLink.Status.Connection) {
    switch connection {
    // While it tries again, the reason for that stays visible.
    case .connecting: if standing != .away && standing != .noDetector { stand(.connecting) }
    case .connected: stand(.open)
    case .disconnected: stand(.away)
    case .asleep, .ended: stand(.off)
    }
  }

  private mutating func stand(_ new: Standing, _ why: String = "") {
    guard new != standing else { return }
    standing = new
    self.why = why
    hasDetector = true
  }

  /// `notice`: the last one of this connection; nil after `control-gained`.
  private mutating func heed(_ notice: Notice?) {
    switch notice {
    case .noBoard, .leaving: why = notice?.description ?? ""
    case .other("detector-away", _): hasDetector = false
    case .other("detector-ready", _):
      hasDetector = true
      why = ""
    case nil: why = ""
    default: break
    }
  }
}
