import Platform
import Synchronization

/// A line on standard error that changes while work goes on. Shown only on a terminal.
final class ChangingLine: Sendable {
  /// Of texts that follow one another faster than this, only the first is shown.
  private static let period = Duration.milliseconds(100)

  let isShown: Bool
  private let state = Mutex<(lastShown: ContinuousClock.Instant?, isVisible: Bool)>((nil, false))

  init(isShown: Bool) { self.isShown = isShown && Console.isErrorWatched }

  func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    state.withLock { state in
      let now = ContinuousClock().now
      if let last = state.lastShown, now - last < Self.period { return }
      state = (now, true)
      Console.display("\r\u{1B}[K\(text())")
    }
  }

  /// Removes it, so that a line can be written.
  func clear() {
    state.withLock { state in
      if state.isVisible { Console.display("\r\u{1B}[K") }
      state.isVisible = false
    }
  }
}

/// A progress bar, shown when a run takes longer than a second. It counts bytes of traces,
/// scenarios, or timings.
package final class Progress: Sendable {
  private static let width = 30

  private let total: Int
  private let line: ChangingLine
  private let start = ContinuousClock().now
  private let done = Atomic(0)

  package init(total: Int, isShown: Bool) {
    self.total = total
    line = ChangingLine(isShown: isShown && total > 0)
  }

  /// Counts the bytes that are read of a trace, about `times` as many as it has.
  convenience init(reading input: inout TraceInput, times: Int, isShown: Bool) {
    self.init(total: Int(input.length ?? 0) * times, isShown: isShown)
    input.onRead = { self.finish($0) }
  }

  package final class Counter: Sendable {
    fileprivate let progress: Progress
    fileprivate let bytes = Atomic(0)

    fileprivate init(_ progress: Progress) { self.progress = progress }

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
  package func clear() { line.clear() }

  private func add(_ bytes: Int) {
    let done = done.wrappingAdd(bytes, ordering: .relaxed).newValue
    guard line.isShown, ContinuousClock().now - start > .seconds(1) else { return }
    line.show(bar(done))
  }

  private func bar(_ done: Int) -> String {
    let part = min(1, max(0, Double(done) / Double(total)))
    let filled = Int(part * Double(Self.width))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    return "[\(bar)] \(Int(part * 100)) %"
  }
}
