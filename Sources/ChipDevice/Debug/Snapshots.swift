import AVR

/// Copies of a board on its way through a session, from which it is run again.
struct Snapshots: Sendable {
  private struct Snapshot: Sendable {
    var run: TimelineRun
    /// In bytes, about.
    var size: Int
  }

  /// How much is emulated between two snapshots at first, in cycles: 16 ms at 16 MHz. Where the
  /// chip sleeps they are farther from each other.
  static let spacing: UInt64 = 1 << 18
  /// The memory of a snapshot outside of the structure: SRAM and registers, and what its observers
  /// remember.
  private static let heapBytes = 0x1400

  /// In order of their cycles. The first one is the session's begin, which is kept.
  private var snapshots: [Snapshot]
  private let memoryMax: Int
  private var memory = 0

  init(_ begin: TimelineRun, memoryMax: Int) {
    snapshots = [Snapshot(run: begin, size: 0)]
    self.memoryMax = memoryMax
  }

  var first: TimelineRun { snapshots[0].run }

  /// The last one that is not after a cycle; the first one if all are.
  func last(notAfter cycle: UInt64) -> TimelineRun {
    snapshots[max(0, index(after: cycle) - 1)].run
  }

  /// The index of the first one after a cycle.
  private func index(after cycle: UInt64) -> Int {
    var range = 0..<snapshots.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if snapshots[middle].run.cycle <= cycle {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  /// Drops the last ones, as far as that is so.
  mutating func dropLast(while isDropped: (TimelineRun) -> Bool) {
    while snapshots.count > 1, let last = snapshots.last, isDropped(last.run) {
      memory -= last.size
      snapshots.removeLast()
    }
  }

  /// Drops those before the last one that can be the first, which is returned as it was: the inputs
  /// and edits before it do not count any more.
  mutating func dropFirst(until canBeFirst: (TimelineRun) -> Bool) -> TimelineRun {
    let kept = snapshots.lastIndex { canBeFirst($0.run) } ?? 0
    memory -= snapshots[..<kept].reduce(0) { $0 + $1.size }
    snapshots.removeFirst(kept)
    // The first one is kept, and does not count.
    memory -= snapshots[0].size
    snapshots[0].size = 0
    let first = first
    for index in snapshots.indices {
      snapshots[index].run.forget(inputs: first.inputCount, edits: first.editCount)
    }
    return first
  }

  /// Adds one, unless there are enough near it. Around `present` more are kept than elsewhere.
  mutating func add(_ run: TimelineRun, present: UInt64) {
    let index = index(after: run.cycle)
    guard run.work >= snapshots[index - 1].run.work + Self.spacing,
      index == snapshots.count || snapshots[index].run.work >= run.work + Self.spacing / 2
    else { return }
    let size = run.size(beside: snapshots[index - 1].run) + Self.heapBytes
    snapshots.insert(Snapshot(run: run, size: size), at: index)
    memory += size
    var share: UInt64 = 1 << 12
    while memory > memoryMax, share > 1 {
      thin(share, present)
      share /= 2
    }
  }

  /// Removes those whose neighbours are nearer to each other than a part of their distance from the
  /// present.
  private mutating func thin(_ share: UInt64, _ present: UInt64) {
    var kept = [snapshots[0]]
    for index in snapshots.indices.dropFirst() {
      let snapshot = snapshots[index]
      let cycle = snapshot.run.cycle
      let next = index + 1 < snapshots.count ? snapshots[index + 1].run.cycle : cycle
      let distance = max(cycle, present) - min(cycle, present)
      if next - kept[kept.count - 1].run.cycle < distance / share, memory > memoryMax / 4 * 3 {
        memory -= snapshot.size
      } else {
        kept.append(snapshot)
      }
    }
    snapshots = kept
  }
}
