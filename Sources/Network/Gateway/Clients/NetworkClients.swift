package import Engine
package import Logging
package import Platform
package import Sketches
package import Traces

/// What the network's clients need of the bench that they are connected to.
package protocol ClientsOwner: AnyObject {
  /// What its session has decided about the clients; nil if it serves none.
  var arbiter: Arbiter? { get }
  /// Takes what the clients have done, if the bench runs no turns any more.
  func takeLastEvents()
}

/// The clients of the session's network: collects what they do, for the bench's next turn, and
/// carries out what the session decides about them. Used only on the event loop.
///
/// Sending to a client can cause the next event before the call returns. So events wait until the
/// bench takes them, and the session always finishes deciding before anything is carried out. At
/// most one read's messages wait: a turn follows each.
package final class NetworkClients {
  /// A client that can send commands.
  private struct Member {
    let client: any Client
    var missed = MissedMessages()
  }

  let settings: ArbiterSettings
  private let log: Logger
  private let logWriter: LogWriter?
  private var events: [(event: Arbiter.Event, arrival: HostTime)] = []
  /// What dashboards have told the board's pins and parts: lines as in `--inputs`.
  private var inputs: [[UInt8]] = []
  private var members: [ClientID: Member] = [:]
  /// The clients that watch the session.
  package let watchers: Broadcaster
  /// The dashboards that show its state.
  package let dashboards = DashboardSender()
  /// The JSON that dashboards show for each refused message, by its number.
  private(set) var shownRefusals: [Int: JSONValue] = [:]
  /// Passes the clients' pictures to a detector; nil if there is none.
  package var pictures: PictureCourier?

  /// Runs the bench's turns; nil before its first turn and after its last.
  package weak var bench: (any TurnTaker)?
  package weak var owner: (any ClientsOwner)?
  /// Returns the last minutes as a trace, for a request to save them; nil if they are not kept.
  package var recentTrace: () -> RecentTrace? = { nil }
  /// The bench's state, for status requests. The bench sets it in each of its turns.
  package var benchStatus = BenchStatus()
  /// The counts of what the session does not know: watchers, and refused requests.
  private var own = GatewayCounts()
  private let begun = HostTime.now

  /// `writer` is the writer of the log, whose dropped lines are part of the metrics.
  package init(
    _ settings: ArbiterSettings, watchers: Broadcaster, log: Logger, writer: LogWriter? = nil
  ) {
    self.settings = settings
    logWriter = writer
    self.log = log
    self.watchers = watchers
  }

  // MARK: For the bench

  /// The number of clients, including watchers.
  package var count: Int { members.count + watchers.count + dashboards.count }

  /// Removes and returns what the clients have done since the last call, in order.
  package func takeEvents() -> [(event: Arbiter.Event, arrival: HostTime)] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  /// Removes and returns what dashboards have told the board's pins and parts since the last call.
  package func takeInputs() -> [[UInt8]] {
    guard !inputs.isEmpty else { return [] }
    defer { inputs = [] }
    return inputs
  }

  /// Carries out an action of the session.
  package func carryOut(_ action: Arbiter.Action) {
    switch action {
    case .tell(let message, let id): tell(message, to: id)
    case .reply(let bytes, let isText, let id):
      guard let client = members[id]?.client else { return }
      // Raw bytes are never left out: a client that does not read exceeds its limit and is closed.
      if settings.isRaw || client.isWritable { client.send(bytes, as: isText ? .text : .binary) }
    case .hold(let id):
      let client = members[id]?.client
      client?.isReading = false
    case .release:
      let clients = members.values.map(\.client)
      for client in clients where !client.isReading { client.isReading = true }
    case .controller(let id): pictures?.setController(id)
    case .forget(let id): members[id] = nil
    case .remark(let remark): write(remark)
    }
  }

  /// The counts of everything that has happened so far.
  package var counts: GatewayCounts {
    var counts = owner?.arbiter?.counts ?? GatewayCounts()
    counts.adopt(network: own)
    counts.linesDropped = watchers.missed + dashboards.missed
    return counts
  }

  // MARK: For their connections

  /// Takes a command from a client that is part of the bench. `receivedAll` follows.
  func received(_ command: Command, from client: any Client) {
    put(.ordered(command, from: client.id))
  }

  private func put(_ event: Arbiter.Event) { events.append((event, .now)) }

  private func askForTurn() { if let bench { bench.takeTurn() } else { owner?.takeLastEvents() } }

  private func tell(_ message: ClientMessage, to id: ClientID) {
    guard let client = members[id]?.client else { return }
    let messages = members[id]?.missed.pass(message, isWritable: client.isWritable) ?? []
    let end = client.transport == .tcp ? [UInt8(ascii: "\n")] : []
    for message in messages { client.send(message.json + end, as: .text) }
  }

  private func write(_ remark: Arbiter.Remark) {
    guard settings.announcesClients || !remark.isAnnouncement else { return }
    let (level, message, metadata) = remark.line
    log.log(level: level, message, metadata: metadata)
  }

  private func announceWatcher(_ message: Logger.Message, _ metadata: Logger.Metadata) {
    guard settings.announcesClients else { return }
    log.info(message, metadata: metadata)
  }
}

extension NetworkClients: ServerDelegate {
  package func joined(_ client: any Client) {
    members[client.id] = Member(client: client)
    put(.joined(client.id, client.transport, address: client.address))
    if client.sendsPictures { pictures?.joined(client) }
    askForTurn()
  }

  package func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    if dashboards.has(client) {
      inputs.append(bytes)
    } else if client.sendsPictures, kind == .binary {
      // What it sent before comes first.
      if !events.isEmpty { askForTurn() }
      pictures?.received(bytes, from: client)
    } else {
      put(.received(bytes, isText: kind == .text, from: client.id))
    }
  }

  package func receivedAll() { askForTurn() }

  package func left(_ client: any Client, _ departure: Departure) {
    guard members[client.id] != nil else { return }
    pictures?.left(client)
    put(.left(client.id, how: "\(departure)"))
    askForTurn()
  }

  package func watcherJoined(_ watcher: any Client) {
    countWatcher(watcher)
    watchers.add(watcher)
  }

  package func dashboardJoined(_ dashboard: any Client) {
    countWatcher(dashboard)
    dashboards.add(dashboard)
    askForTurn()
  }

  private func countWatcher(_ watcher: any Client) {
    own.joined(.watcher)
    announceWatcher("watching", ["client": "\(watcher.id)", "from": "\(watcher.address)"])
  }

  package func watcherLeft(_ watcher: any Client, _ departure: Departure) {
    if !dashboards.remove(watcher) { watchers.remove(watcher) }
    own.left(.watcher)
    announceWatcher("gone", ["client": "\(watcher.id)", "how": "\(departure)"])
  }

  package func refused(_ status: Int) { own.requestsRefused[status, default: 0] += 1 }
}

// The answers to status requests.
extension NetworkClients {
  package func metrics() -> String {
    var counts = counts
    counts.degrees = benchStatus.degrees
    return GatewayMetrics.text(
      counts, recording: benchStatus.recording, pictures: pictures?.counts, uptime: .now - begun,
      logLinesDropped: logWriter?.dropped ?? 0)
  }

  package func session() -> (@Sendable () -> [UInt8])? {
    guard let trace = recentTrace() else { return nil }
    return { trace.text }
  }

  package func health() -> (json: String, isWell: Bool) {
    let health = Health(
      status: benchStatus, firmware: benchStatus.sketch ?? settings.firmware.rawValue,
      profile: settings.profile?.name, counts: counts, allowsAnonymous: settings.allowsAnonymous,
      isDetectorReady: pictures?.counts.isReady, uptime: .now - begun)
    return (health.json, health.isWell)
  }
}

// What dashboards show about the clients, the board and the recording.
extension NetworkClients {
  /// Adds the network's members to the bench's message, and shows it on the dashboards.
  package func show(_ message: DashboardMessage) {
    var message = message
    message.members += members(at: message.time)
    dashboards.show(message)
  }

  /// Why the session cannot be rewound at present; nil if it can. A dashboard can follow it; other
  /// clients cannot.
  package var refusalToGoBack: String? {
    count == dashboards.count
      ? nil : "Rewinding is unavailable while a client can send or follows /events."
  }

  /// Shows everything again on the dashboards, because the session was rewound.
  package func rewound() {
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
    let arbiter = owner?.arbiter
    let delay = arbiter?.lastDelay.map { JSONValue.number(String(shortest: $0)) }
    let refusals = arbiter?.refusals ?? (count: 0, last: [])
    return [
      .init("accepts", .string(accepted)),
      .init("board", .object(board)), .init("control", describe(arbiter?.controller)),
      .init("policy", .string(settings.control.rawValue)), .init("clients", .object(clients)),
      .init("waiting", .whole(arbiter?.waitingCount ?? 0)), .init("sent", .whole(counts.sent)),
      .init("delay", delay ?? .null), .init("recording", recording ?? .null),
      .init("refused", .whole(refusals.count)),
      .init("refusals", .array(refusals.last.map { describe($0, of: refusals.count, at: time) })),
    ]
  }

  /// What a client can send: bytes, the commands of a profile, or those of the bench's sketches.
  private var accepted: String {
    settings.isRaw ? "bytes" : settings.profile == nil ? "aims" : "profile"
  }

  private func describe(_ client: ClientID?) -> JSONValue {
    guard let client else { return .null }
    let known = members[client]?.client
    return .object([
      .init("client", .number("\(client)")), .init("from", .text(known?.address)),
      .init("name", .text(known?.name)),
    ])
  }

  /// Describes one of `count` messages that the board did not receive, at the session's time `now`.
  private func describe(_ entry: ShownRefusals.Entry, of count: Int, at now: Instant) -> JSONValue {
    // Kept, because its client can have left by the next message.
    if let shown = shownRefusals[entry.number] { return shown }
    var quoted: [UInt8] = []
    quoted.appendQuoted(bytes: entry.message.bytes)
    let value = JSONValue.object([
      .init("number", .whole(entry.number)),
      .init("time", .seconds(max(.zero, min(entry.at, now)))),
      .init("bytes", .string(String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))),
      .init("reason", .string(entry.message.why.rawValue)),
      .init("text", .string(entry.message.why.text)),
      .init("from", describe(entry.from)),
    ])
    shownRefusals[entry.number] = value
    shownRefusals = shownRefusals.filter { $0.key > count - 50 }
    return value
  }
}

extension Arbiter.Remark {
  /// Whether it reports that a client has joined or left, or that control has changed.
  var isAnnouncement: Bool {
    switch self {
    case .connected, .gone, .inControl, .lostControl: true
    case .notACommand, .queueFull, .dropped, .turretLeft: false
    }
  }

  /// Its line in the log.
  var line: (level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata) {
    switch self {
    case .connected(let id, let transport, let address):
      let over = transport.rawValue
      return (.info, "connected", ["client": "\(id)", "over": "\(over)", "from": "\(address)"])
    case .gone(let id, let how): return (.info, "gone", ["client": "\(id)", "how": "\(how)"])
    case .inControl(let id): return (.info, "in control", ["client": "\(id)"])
    case .lostControl(let id): return (.info, "lost control", ["client": "\(id)"])
    case .notACommand(let refusal, let id):
      return (.debug, "not a command", ["client": "\(id)", "bytes": "\(refusal.text)"])
    case .queueFull(let id): return (.debug, "queue full", ["client": "\(id)"])
    case .dropped(let count, let id):
      return (.debug, "dropped", ["client": "\(id)", "commands": "\(count)"])
    case .turretLeft(let action): return (.info, "the turret is left", ["to": "\(action.rawValue)"])
    }
  }
}
