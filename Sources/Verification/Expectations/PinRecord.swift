import Turret

/// The level on a pin in the course of a session.
struct PinRecord: Hashable, Sendable {
  struct Edge: Hashable, Sendable {
    var time: Instant
    var isHigh: Bool
  }

  /// From when on the level is known: later than the start if the pin was watched later.
  var since = Instant.zero
  /// The changes, in order of time.
  private(set) var edges: [Edge] = []

  mutating func take(isHigh: Bool, at instant: Instant) {
    guard edges.last?.isHigh != isHigh else { return }
    edges.append(Edge(time: instant, isHigh: isHigh))
  }

  /// The level before the first change. Every pin of a board is low at its start.
  private var initial: Bool? { edges.first.map { !$0.isHigh } ?? (since == .zero ? false : nil) }

  /// Returns the level at an instant, to which the session has advanced; nil if it is not known.
  func level(at instant: Instant) -> Bool? {
    let after = first(after: instant)
    return after > 0 ? edges[after - 1].isHigh : initial
  }

  /// Returns the index of the first change after an instant.
  func first(after instant: Instant) -> Int { edges.partitioningIndex { $0.time > instant } }

  /// Returns the index of the first change at an instant or later.
  func first(from instant: Instant) -> Int { edges.partitioningIndex { $0.time >= instant } }

  /// Returns how long the level lasts that begins with a change; nil if it has not ended.
  func length(at index: Int) -> Interval? {
    index + 1 < edges.count ? edges[index + 1].time - edges[index].time : nil
  }

  /// Returns the part of the cycle that begins with a change for which the pin is high, in percent,
  /// and the cycle's length; nil if no whole cycle begins there.
  func cycle(at index: Int) -> (duty: Double, length: Interval)? {
    guard edges[index].isHigh, index + 2 < edges.count, let high = length(at: index) else {
      return nil
    }
    let length = edges[index + 2].time - edges[index].time
    guard length > .zero else { return nil }
    return (100 * Double(high.nanoseconds) / Double(length.nanoseconds), length)
  }

  /// Whether the pulse or the cycle that begins with a change is as required, or the level is.
  func meets(_ condition: PinTarget.Condition, at index: Int) -> Bool {
    switch condition {
    case .level(let isHigh): edges[index].isHigh == isHigh
    case .pulse(let isHigh, let limits):
      edges[index].isHigh == isHigh && (length(at: index).map { limits.allow($0) } ?? false)
    case .duty(let limits): cycle(at: index).map { limits.allow($0.duty) } ?? false
    }
  }

  /// Returns the index of the last change by an instant if a pulse or a cycle that is not over
  /// begins with it; nil if none does. `isHigh`: the level of the pulse, or of a cycle's beginning.
  func unfinished(by instant: Instant, _ isHigh: Bool, isCycle: Bool = false) -> Int? {
    let after = first(after: instant)
    for index in edges[..<after].indices.suffix(2).reversed() where edges[index].isHigh == isHigh {
      return index + (isCycle ? 2 : 1) < edges.count ? nil : index
    }
    return nil
  }
}
