import Turret

/// What has happened at the gateway so far, and how it is now, in figures.
package struct GatewayCounts: Hashable, Sendable {
  /// What a client is here for, and how it came.
  package enum ClientKind: String, Hashable, Sendable, CaseIterable {
    /// May send commands.
    case webSocket = "websocket"
    case tcp
    /// Hears and is not heard.
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

    package init(_ command: Command) {
      switch command {
      case .aim: self = .aim
      case .lost: self = .lost
      case .tone: self = .tone
      case .query: self = .query
      }
    }
  }

  /// Why something that a client sent never reached the board.
  package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    case notACommand = "not-a-command"
    case notInControl = "not-in-control"
    case queueFull = "queue-full"
    /// The board is away.
    case noBoard = "no-board"
    /// The bench had begun to stop.
    case leaving
  }

  /// Why a command that waited for the cable was not sent after all.
  package enum DropReason: String, Hashable, Sendable, CaseIterable {
    /// The board went.
    case noBoard = "no-board"
    /// Another client took over.
    case controlLost = "control-lost"
    /// The turret is left as `--on-disconnect` says, and the queue was full; or the bench ended
    /// before the board had taken it.
    case leaving
  }

  // MARK: Clients

  package private(set) var clientsNow: [ClientKind: Int] = [:]
  package private(set) var clientsEver: [ClientKind: Int] = [:]
  /// Requests and clients that were refused, by HTTP status.
  package var requestsRefused: [Int: Int] = [:]
  /// Lines of the session that watchers who did not read went without.
  package var linesDropped = 0
  /// How often the turret was left as `--on-disconnect` says.
  package var disconnectActions = 0

  // MARK: What they send

  package private(set) var messages = 0
  /// Bytes of those messages.
  package private(set) var bytesReceived = 0
  package var accepted: [CommandKind: Int] = [:]
  package var refused: [RefusalReason: Int] = [:]
  /// Aims that a newer one took the place of.
  package var replaced = 0
  /// `L`s that were one with the `L` before them.
  package var merged = 0
  /// Commands that found the queue full.
  package var overflowed = 0
  /// Commands, or raw bytes, that waited and were not sent after all.
  package var dropped: [DropReason: Int] = [:]
  /// Commands that no client sent: how the turret is left, and the last word for a board that is
  /// back.
  package var own = 0

  // MARK: The board

  /// Commands written to it.
  package var sent = 0
  /// From a message's arrival to its command's first bit on the wire.
  package var delay = DelayHistogram()
  /// Bytes from it.
  package var bytesFromBoard = 0
  /// How often it came back after it had been gone.
  package var reconnects = 0

  // MARK: Now

  package var queueLength = 0
  package var hasController = false
  package var hasBoard = true
  /// The last commanded angle, degrees; nil before the first.
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

  /// What became of the commands that were put into the queue, and how many wait in it.
  package mutating func set(_ queue: CommandQueue.Counts, waiting: Int) {
    replaced = queue.replaced
    merged = queue.merged
    overflowed = queue.overflowed
    queueLength = waiting
  }

  package mutating func received(bytes: Int) {
    messages += 1
    bytesReceived += bytes
  }

  /// Those that may send commands.
  package var senders: Int { clientsNow[.webSocket, default: 0] + clientsNow[.tcp, default: 0] }
  package var watchers: Int { clientsNow[.watcher, default: 0] }
}
