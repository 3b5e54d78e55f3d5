package import Engine
package import Network
package import Sketches

/// A bench with an arbiter and no board: what its clients send goes where the test takes it. Time
/// advances only when it is told to. Used only on the event loop.
package final class ArbiterBench: TurnTaker, ClientsOwner {
  package let clients: NetworkClients
  private var deciding: Arbiter
  package var arbiter: Arbiter? { deciding }
  package private(set) var now = Instant.zero
  /// Runs at the end of each turn.
  package var atTurnsEnd: () -> Void = {}
  private var isInTurn = false
  private var isDueAgain = false

  package init(_ clients: NetworkClients, _ settings: ArbiterSettings) {
    self.clients = clients
    deciding = Arbiter(settings, at: now)
    clients.bench = self
    clients.owner = self
  }

  package func takeTurn() {
    turn {
      while case let events = clients.takeEvents(), !events.isEmpty {
        for (event, _) in events { handle(event) }
      }
    }
  }

  package func takeLastEvents() { takeTurn() }

  /// Something happens between two turns that is not an event of a client.
  package func occur(_ event: Arbiter.Event) { turn { handle(event) } }

  /// Runs a turn. If it causes another one, that follows it.
  private func turn(_ body: () -> Void) {
    isDueAgain = true
    guard !isInTurn else { return }
    isInTurn = true
    defer { isInTurn = false }
    isDueAgain = false
    body()
    atTurnsEnd()
    if isDueAgain {
      isInTurn = false
      takeTurn()
    }
  }

  /// Something happens at the end of a turn.
  package func handle(_ event: Arbiter.Event) {
    for action in deciding.handle(event, at: now) { clients.carryOut(action) }
  }

  /// Lets time pass, and does what is due.
  package func pass(_ interval: Interval) {
    now += interval
    occur(.passed)
  }

  /// The bytes to send over the line next, which is free; nil if there are none.
  package func next() -> [UInt8]? {
    guard let next = deciding.next(waitingCount: 0, room: 4_096, at: now) else { return nil }
    for action in next.actions { clients.carryOut(action) }
    return next.bytes
  }

  /// Everything that waits.
  package func drain() -> String {
    var all: [UInt8] = []
    while let bytes = next() { all += bytes }
    return String(decoding: all, as: UTF8.self)
  }
}
