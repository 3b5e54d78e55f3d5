package import Sketches
import Traces

/// Counts of everything that has happened at the gateway so far, and its present state, in figures.
package struct GatewayCounts: Hashable, Sendable {
  /// The purpose of a client, and its transport.
  package enum ClientKind: String, Hashable, Sendable, CaseIterable {
    /// It can send commands.
    case webSocket = "websocket"
    case tcp
    /// It receives events and sends nothing.
    case watcher

    package init(_ transport: Transport) {
      switch transport {
      case .webSocket: self = .webSocket
      case .tcp: self = .tcp
      }
    }
  }

  package enum CommandKind: String, Hashable, Sendable, CaseIterable {
    case aim, lost, tone, query
    /// One of a profile that is not the bench's own.
    case own

    package init(_ command: Command) {
      switch command {
      case .aim: self = .aim
      case .lost: self = .lost
      case .tone: self = .tone
      case .query: self = .query
      case .own: self = .own
      }
    }
  }

  /// The reason why something that a client sent did not reach the board.
  package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    case notACommand = "not-a-command"
    case notInControl = "not-in-control"
    case queueFull = "queue-full"
    /// The board is not connected.
    case noBoard = "no-board"
    /// The bench had begun to stop.
    case leaving
  }

  /// The reason why a command that waited for the cable was not sent.
  package enum DropReason: String, Hashable, Sendable, CaseIterable {
    /// The board was disconnected.
    case noBoard = "no-board"
    /// Another client took control.
    case controlLost = "control-lost"
    /// The turret was left as `--on-disconnect` specifies while the queue was full, or the bench
    /// ended before the board had accepted the command.
    case leaving
    /// It had waited for longer than `Profile.lateMax`; in raw mode, for `RawBytes.leftTime` after
    /// its sender had left.
    case late

    /// The reason in the session's trace.
    var why: RefusedMessage.Why {
      switch self {
      case .noBoard: .noBoard
      case .controlLost: .notInControl
      case .leaving: .leaving
      case .late: .late
      }
    }
  }

  // MARK: Clients

  package private(set) var clientsNow: [ClientKind: Int] = [:]
  package private(set) var clientsEver: [ClientKind: Int] = [:]
  /// Refused requests and clients, by HTTP status.
  package var requestsRefused: [Int: Int] = [:]
  /// Lines of the session that watchers missed, and messages that dashboards missed, because they
  /// did not read.
  package var linesDropped = 0
  /// How often the turret was left as `--on-disconnect` specifies.
  package var disconnectActions = 0

  // MARK: What they send

  package private(set) var messages = 0
  /// The bytes of those messages.
  package private(set) var bytesReceived = 0
  package var accepted: [CommandKind: Int] = [:]
  package var refused: [RefusalReason: Int] = [:]
  /// What happened to the commands that were put into the queue.
  package var queue = CommandQueue().counts
  /// Commands, or raw bytes, that waited and were not sent.
  package var dropped: [DropReason: Int] = [:]
  /// Commands that no client sent: how the turret is left, and the last command for a reconnected
  /// board.
  package var own = 0

  // MARK: The board

  /// Commands written to the board.
  package var sent = 0
  /// The time from a message's arrival to its command's first bit on the wire.
  package var delay = DelayHistogram()
  /// Bytes from the board.
  package var bytesFromBoard = 0
  /// How often the board was connected again after it had been disconnected.
  package var reconnects = 0

  // MARK: Now

  package var queueLength = 0
  package var hasController = false
  package var hasBoard = true
  /// The last commanded angle in degrees; nil before the first one.
  package var degrees: UInt8?

  package init() {}

  package mutating func joined(_ kind: ClientKind) {
    clientsNow[kind, default: 0] += 1
    clientsEver[kind, default: 0] += 1
  }

  package mutating func left(_ kind: ClientKind) {
    precondition(clientsNow[kind, default: 0] > 0, "a client left that never joined")
    clientsNow[kind, default: 0] -= 1
  }

  /// Adopts what only the network knows: its watchers, and the requests that it refused.
  package mutating func adopt(network: GatewayCounts) {
    clientsNow[.watcher] = network.clientsNow[.watcher]
    clientsEver[.watcher] = network.clientsEver[.watcher]
    requestsRefused = network.requestsRefused
  }

  package mutating func received(bytes: Int) {
    messages += 1
    bytesReceived += bytes
  }

  /// Those that can send commands.
  package var senders: Int { clientsNow[.webSocket, default: 0] + clientsNow[.tcp, default: 0] }
  package var watchers: Int { clientsNow[.watcher, default: 0] }
}

/// A histogram of durations with fixed bounds, as Prometheus requires.
package struct DelayHistogram: Hashable, Sendable {
  /// The upper bounds, inclusive, in microseconds. Longer durations are counted after the last one.
  /// The delay should stay below about two commands' time on the wire, 8 ms.
  package static let boundsMicroseconds: [Int64] = [
    25, 50, 75, 100, 150, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000,
  ]

  private var counts = [Int](repeating: 0, count: boundsMicroseconds.count + 1)
  package private(set) var count = 0
  package private(set) var sum = Interval.zero

  package init() {}

  package mutating func add(_ delay: Interval) {
    let delay = max(.zero, delay)
    let step = Self.boundsMicroseconds.firstIndex { delay <= .microseconds($0) }
    counts[step ?? Self.boundsMicroseconds.count] += 1
    count += 1
    sum = sum + delay
  }

  /// How many durations were at most as long as each bound.
  package var cumulative: [(bound: Interval, count: Int)] {
    var total = 0
    return zip(Self.boundsMicroseconds, counts).map { bound, count in
      total += count
      return (.microseconds(bound), total)
    }
  }
}

extension GatewayCounts {
  /// What clients sent and the board did not receive, by reason, in a line for people; nil if the
  /// board received everything. `isRaw`: bytes were counted instead of commands.
  package func unsentSummary(isRaw: Bool) -> String? {
    var parts: [String] = []
    func add(_ number: Int, _ reason: String) {
      if number > 0 { parts.append("\(number) \(reason)") }
    }
    for reason in RefusalReason.allCases { add(refused[reason, default: 0], reason.summary) }
    add(queue.replaced, "replaced by a newer aim")
    add(queue.merged, "merged with the L before")
    for reason in DropReason.allCases { add(dropped[reason, default: 0], reason.summary) }
    guard !parts.isEmpty else { return nil }
    return (isRaw ? "bytes" : "commands") + " not sent to the board: "
      + parts.joined(separator: ", ")
  }
}

extension GatewayCounts.RefusalReason {
  fileprivate var summary: String {
    switch self {
    case .notACommand: "not a command"
    case .notInControl: "from a client not in control"
    case .queueFull: "refused as the queue was full"
    case .noBoard: "refused as the board was disconnected"
    case .leaving: "refused as the bench was stopping"
    }
  }
}

extension GatewayCounts.DropReason {
  fileprivate var summary: String {
    switch self {
    case .noBoard: "dropped when the board was disconnected"
    case .controlLost: "dropped when another client took over"
    case .leaving: "dropped at the end"
    case .late: "refused because they were late"
    }
  }
}
