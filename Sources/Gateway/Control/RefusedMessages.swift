import Networking
import Traces
import Turret

/// The refused messages that are not part of the session yet.
///
/// At most `perSecondMax` a second are kept separately. Any beyond that are merged, into one for
/// each reason, and follow in the next second, so that a client cannot make a session's trace grow
/// without limit.
struct RefusedMessages: Sendable {
  static let perSecondMax = 100

  private var waiting: [RefusedMessage] = []
  /// At most one for each reason.
  private var surplus: [RefusedMessage] = []
  /// When the present second began; nil before the first message.
  private var begin: HostTime?
  /// The number of messages kept separately in it.
  private var count = 0

  mutating func put(_ message: RefusedMessage, at now: HostTime) {
    if begin.map({ now - $0 >= .seconds(1) }) ?? true {
      waiting += surplus
      count = surplus.count
      surplus = []
      begin = now
    }
    if count < Self.perSecondMax, waiting.count < Self.perSecondMax {
      count += 1
      waiting.append(message)
    } else if let index = surplus.firstIndex(where: { $0.why == message.why }) {
      surplus[index].absorb(message)
    } else {
      surplus.append(message)
    }
  }

  /// Removes and returns what was refused, in order. `isLast`: no call follows.
  mutating func take(isLast: Bool) -> [RefusedMessage] {
    if isLast {
      waiting += surplus
      surplus = []
    }
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting
  }
}
