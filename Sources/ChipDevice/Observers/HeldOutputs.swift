import Sketches

/// Outputs that wait until it is known what happened before them, in order of time.
struct HeldOutputs: Hashable, Sendable {
  private struct Held: Hashable {
    var output: Output
    var instant: Instant
  }

  private var waiting: [Held] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds an output that happens now.
  mutating func append(_ output: Output, at instant: Instant) {
    waiting.append(Held(output: output, instant: instant))
  }

  /// Adds an output that happened before, in front of those of the same instant.
  mutating func insert(_ output: Output, at instant: Instant) {
    let index = waiting.firstIndex { $0.instant >= instant } ?? waiting.endIndex
    waiting.insert(Held(output: output, instant: instant), at: index)
  }

  /// Removes the levels of a pin from an instant on.
  mutating func removeLevels(of pin: BoardPin, from instant: Instant) {
    waiting.removeAll { held in
      guard case .pin(pin, _) = held.output else { return false }
      return held.instant >= instant
    }
  }

  /// Moves the outputs before an instant to the recorder; all of them if it is nil.
  mutating func release(before instant: Instant?, into recorder: inout Recorder) {
    var count = 0
    while count < waiting.count, instant.map({ waiting[count].instant < $0 }) ?? true {
      recorder.put(waiting[count].output, at: waiting[count].instant)
      count += 1
    }
    if count > 0 { waiting.removeFirst(count) }
  }
}
