import Engine
import Platform
import Sketches

/// What ends a run in virtual time early: a request to end, or the computer's time that it takes.
struct RunLimit: Sendable {
  /// How much of the computer's time it can take; nil for any.
  let time: Interval?
  /// When that is over.
  private let end: HostTime?
  private let isEnding: @Sendable () -> Bool

  /// The time begins now.
  init(_ time: Interval?, isEnding: @escaping @Sendable () -> Bool = { SignalQueue.isEnding }) {
    self.time = time
    end = time.map { .now + $0 }
    self.isEnding = isEnding
  }

  /// How much time is left; nil for any.
  var left: Interval? { end.map { $0 - .now } }

  var isEnded: Bool { isEnding() }

  var isOver: Bool { isOver(keeping: .zero) }

  /// Whether no more than `rest` is left.
  func isOver(keeping rest: Interval) -> Bool { isEnded || left.map { $0 <= rest } ?? false }

  /// The limit for what follows a run that ends by this one: a moment more, however it ends.
  var closing: RunLimit {
    let moment = Interval.milliseconds(100)
    if isEnded { return RunLimit(moment) { false } }
    return RunLimit(left.map { max(.zero, $0) + moment }, isEnding: isEnding)
  }
}
