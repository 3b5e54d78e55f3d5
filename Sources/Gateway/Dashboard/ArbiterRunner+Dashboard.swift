import Networking
import Traces
import Turret
import TurretProtocol

// What dashboards show about the clients, the board and the recording.
extension ArbiterRunner {
  /// Adds the network's members to the bench's message, and shows it on the dashboards.
  package func show(_ message: DashboardMessage) {
    var message = message
    message.members += members(at: message.time)
    dashboards.show(message)
  }

  /// Why the session cannot be rewound at present; nil if it can. A dashboard can follow it; other
  /// clients cannot.
  package var refusalToGoBack: String? {
    let others = clientCount - dashboards.count
    return others == 0
      ? nil : "Rewinding is unavailable while a client can send or follows /events."
  }

  /// Shows everything again on the dashboards, because the session was rewound.
  package func wentBack() {
    shownRefusals = [:]
    dashboards.startOver()
  }

  private func members(at time: Instant) -> [JSONValue.Member] {
    let counts = counts
    let failure = benchStatus.boardFailure
    let board = [
      JSONValue.Member("there", .bool(failure == nil)), .init("problem", .text(failure)),
    ]
    let clients = [
      JSONValue.Member("senders", .whole(counts.senders)),
      .init("watchers", .whole(counts.watchers)),
    ]
    let recording = benchStatus.recording?.json
    let delay = lastDelay.map { JSONValue.number(String(shortest: $0)) }
    return [
      .init("board", .object(board)), .init("control", describe(controller)),
      .init("policy", .string(settings.control.rawValue)), .init("clients", .object(clients)),
      .init("waiting", .whole(waitingCount)), .init("sent", .whole(counts.sent)),
      .init("delay", delay ?? .null), .init("recording", recording ?? .null),
      .init("refused", .whole(refusals.count)),
      .init("refusals", .array(refusals.entries.map { describe($0, at: time) })),
    ]
  }

  private func describe(_ client: ClientID?) -> JSONValue {
    guard let client else { return .null }
    let known = shownClient(client)
    return .object([
      .init("client", .number("\(client)")), .init("from", .text(known?.address)),
      .init("name", .text(known?.name)),
    ])
  }

  /// - Parameter now: the session's time.
  private func describe(_ entry: ShownRefusals.Entry, at now: Instant) -> JSONValue {
    if let shown = shownRefusals[entry.number] { return shown }
    // Cached, because the computed time would differ slightly in each message.
    let time = now + (entry.at - clock())
    var quoted: [UInt8] = []
    quoted.appendQuoted(bytes: entry.message.bytes)
    let value = JSONValue.object([
      .init("number", .whole(entry.number)),
      .init("time", .seconds(max(.zero, time))),
      .init("bytes", .string(String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))),
      .init("reason", .string(entry.message.why.rawValue)),
      .init("text", .string(entry.message.why.text)),
      .init("from", describe(entry.from)),
    ])
    shownRefusals[entry.number] = value
    shownRefusals = shownRefusals.filter { $0.key > refusals.count - 50 }
    return value
  }
}
