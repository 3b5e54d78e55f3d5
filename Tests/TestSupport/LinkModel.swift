package import Sketches
import Testing
package import TurretLink

/// A link as a value, for random events: it checks what it is told to do, and reports only what a
/// link can report then.
package struct LinkModel {
  /// Attempts to connect that are under way.
  package private(set) var attempts = 0
  /// Channels that are not closed.
  package private(set) var channels = 0
  /// Whether one of the channels is in use.
  package private(set) var isUsed = false
  /// Whether a channel has been connected and is neither in use nor discarded.
  private var hasNewcomer = false
  package private(set) var isFinished = false
  package let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// Whether the link will report something by itself.
  package var isUnderWay: Bool { attempts > 0 || isUsed }

  package mutating func carryOut(_ action: Reconnection.Action) {
    #expect(!isFinished, "seed \(seed): \(action) after the end")
    switch action {
    case .connect:
      #expect(attempts == 0 && !isUsed, "seed \(seed): a second connection")
      attempts += 1
    case .greet:
      #expect(hasNewcomer && !isUsed, "seed \(seed)")
      hasNewcomer = false
      isUsed = true
    case .discard:
      #expect(hasNewcomer, "seed \(seed)")
      hasNewcomer = false
    case .cut:
      #expect(isUsed, "seed \(seed): nothing to cut")
      isUsed = false
    case .ready: #expect(isUsed, "seed \(seed)")
    case .away: break
    case .finish:
      #expect(attempts == 0 && channels == 0, "seed \(seed): something is left")
      isFinished = true
    }
  }

  /// Checks what must hold after every event that has been handled.
  package func check(isStarted: Bool, isEnded: Bool, nextDeadline: Instant?) {
    #expect(!hasNewcomer, "seed \(seed): a channel is forgotten")
    if isEnded {
      #expect(!isUsed && nextDeadline == nil, "seed \(seed)")
      #expect(isFinished == (attempts == 0 && channels == 0), "seed \(seed)")
    } else if isStarted {
      #expect(isUnderWay || nextDeadline != nil, "seed \(seed): it waits for nothing")
    }
  }

  /// The next event of the link; nil if it has none.
  package mutating func event(using random: inout SeededGenerator) -> Reconnection.Event? {
    var possible: [Reconnection.Event] = []
    if attempts > 0 { possible += [.refused("no"), .connected, .connected] }
    if isUsed { possible += [.opened, .opened, .opened, .opened, .lost(nil), .lost("reset")] }
    if channels > (isUsed ? 1 : 0) { possible.append(.closed) }
    guard let event = possible.randomElement(using: &random) else { return nil }
    switch event {
    case .refused: attempts -= 1
    case .connected:
      attempts -= 1
      channels += 1
      hasNewcomer = true
    case .lost: isUsed = false
    case .closed: channels -= 1
    default: break
    }
    return event
  }

  /// The instant of the next event: the deadline, or some time later.
  package static func later(
    _ now: Instant, _ deadline: Instant?, upTo most: Int64, using random: inout SeededGenerator
  ) -> Instant {
    guard let deadline, Bool.random(using: &random) else {
      return now + .milliseconds(Int64.random(in: 0...most, using: &random))
    }
    return max(now, deadline)
  }
}
