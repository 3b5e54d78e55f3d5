import Platform
import Synchronization

/// A progress bar on standard error, shown on a terminal when a run takes longer than a second. It
/// counts bytes of traces, scenarios, or timings.
package final class Progress: Sendable {
  private static let width = 30

  private struct State {
    var done = 0
    var lastShown: ContinuousClock.Instant?
    var isVisible = false
  }

  private let total: Int
  private let isShown: Bool
  private let start = ContinuousClock().now
  private let state = Mutex(State())

  package init(total: Int, isShown: Bool) {
    self.total = total
    self.isShown = isShown && total > 0 && Console.isErrorWatched
  }

  /// Counts the bytes that are read of a trace, about `times` as many as it has.
  convenience init(reading input: inout TraceInput, times: Int, isShown: Bool) {
    self.init(total: Int(input.length ?? 0) * times, isShown: isShown)
    input.onRead = { self.finish($0) }
  }

  /// Counts the bytes of one trace.
  package final class Counter: Sendable {
    fileprivate let progress: Progress
    fileprivate let bytes = Atomic(0)

    fileprivate init(_ progress: Progress) { self.progress = progress }

    /// Reports the number of bytes read so far.
    package func report(_ count: Int) {
      let before = bytes.exchange(count, ordering: .relaxed)
      progress.add(count - before)
    }
  }

  package func counter() -> Counter { Counter(self) }

  /// Takes back what a finished trace has counted, before `finish` adds its size.
  package func take(back counter: Counter) { add(-counter.bytes.load(ordering: .relaxed)) }
  /// Adds the size of a finished trace. A scenario counts as 1.
  package func finish(_ size: Int) { add(size) }

  /// Removes the bar, so that a line can be written.
  package func clear() {
    state.withLock { state in
      guard state.isVisible else { return }
      state.isVisible = false
      Console.display("\r\u{1B}[K")
    }
  }

  private func add(_ bytes: Int) {
    guard isShown else { return }
    state.withLock { state in
      state.done += bytes
      let now = ContinuousClock().now
      guard now - start > .seconds(1) else { return }
      if let last = state.lastShown, now - last < .milliseconds(100) { return }
      state.lastShown = now
      state.isVisible = true
      let part = min(1, max(0, Double(state.done) / Double(total)))
      let filled = Int(part * Double(Self.width))
      let bar =
        String(repeating: "#", count: filled)
        + String(repeating: ".", count: Self.width - filled)
      Console.display("\r\u{1B}[K[\(bar)] \(Int(part * 100)) %")
    }
  }
}
