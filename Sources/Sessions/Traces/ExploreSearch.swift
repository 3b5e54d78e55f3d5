import Devices
import Judging
import Platform
import Sketches
import Synchronization
import Traces

/// The search: rounds of slices, which processors run at the same time. What a slice finds depends
/// only on the seed, its number and what earlier rounds found, so that the number of processors
/// changes nothing.
struct ExploreSearch<Trial: SessionTrial> {
  struct Finding: Sendable {
    var session: SessionInputs
    var failure: SessionFailure
    var cause: SessionFailure.Cause

    /// Why it is kept, in words.
    var lines: [String] { failure.details[cause] ?? failure.lines }
  }

  private struct Slice: Sendable {
    var kept: [Explorer.Kept] = []
    var seen = TraitSet()
    var struck: Set<Int> = []
    var isFull = false
    var lostAtStart = false
    /// The first session for each way to fail.
    var failures: [Finding] = []
    var count = 0
    var fault: DeviceError?
  }

  private struct Item: Sendable {
    var index: Int
    /// The number of its random numbers.
    var stream: UInt64
    var given: [SessionInputs]
    var count: Int
  }

  private static var slicesMax: Int { 8 }
  /// How many sessions a slice of the first round has, and of a later one at most. The first are
  /// short, so that what is found early is used early.
  private static var sliceCounts: ClosedRange<Int> { 16...256 }

  private let run: ExploreRun
  private let grammar: SessionGrammar
  private var runs: SnapshotRuns<Trial>
  private var given: [SessionInputs]
  private(set) var corpus: [Explorer.Kept] = []
  private var memoryLeft: Int
  private var isFull = false
  private var struck: Set<Int> = []
  private var lostAtStart = false
  private var seen = TraitSet()
  private(set) var findings: [Finding] = []
  private var causes: Set<SessionFailure.Cause> = []
  private(set) var count = 0
  private(set) var fault: DeviceError?
  private let limit: RunLimit
  /// How much of the budget is kept to write the corpus.
  private var reserve = Interval.zero
  private let begin = ContinuousClock().now
  private(set) var elapsed = Duration.zero
  /// How much of that was spent on making what was found small.
  private var shrinking = Duration.zero
  /// How many results could be smaller.
  private var unfinishedCount = 0
  let line: ChangingLine

  init(
    _ run: ExploreRun, _ grammar: SessionGrammar, _ runs: SnapshotRuns<Trial>,
    _ given: [SessionInputs]
  ) {
    self.run = run
    self.grammar = grammar
    self.runs = runs
    self.runs.findsCrashes = true
    self.given = given
    memoryLeft = run.memory
    limit = RunLimit(run.budget)
    line = ChangingLine(isShown: run.verbosity != .quiet)
  }

  private var isOver: Bool {
    if limit.isOver(keeping: reserve) || fault != nil { return true }
    return run.count.map { count >= $0 } ?? false
  }

  var closing: RunLimit { limit.closing }

  mutating func search() {
    var stream: UInt64 = 0
    var size = Self.sliceCounts.lowerBound
    runs.isOver = { [limit] in limit.isOver }
    let traced = runs.keepingTraits()
    let endsWithFirst = run.endsWithFirst
    while !isOver, !(endsWithFirst && !causes.isEmpty) {
      let items = items(&stream, size)
      let (grammar, corpus, seen, seed, causes) = (grammar, corpus, seen, run.seed, causes)
      let (limit, reserve) = (limit, reserve)
      // A part of the budget, to make small what is found in its last round.
      let rest = run.budget.map { Interval.nanoseconds($0.nanoseconds / 4) } ?? .zero
      let memory = memoryLeft / items.count
      // The first slice that has found all that is looked for, and the first that has found
      // anything: what later ones find is not needed.
      let last = Atomic(Int.max)
      let found = Atomic(Int.max)
      var slices: [Slice] = []
      Workers.run(items, jobs: run.jobs) { item in
        var slice = Slice()
        var explorer = Explorer(
          grammar, random: RandomStream(seed: seed, stream: item.stream), corpus: corpus,
          seen: seen, given: item.given, memory: memory)
        var runs = traced
        var known = causes
        while slice.count < item.count, last.load(ordering: .relaxed) >= item.index,
          !limit.isOver(
            keeping: reserve + (found.load(ordering: .relaxed) == .max ? .zero : rest))
        {
          let session = explorer.next()
          let failure = runs.run(session, sharing: explorer.shared)
          guard !runs.wasCut else { break }
          slice.count += 1
          if let fault = runs.fault {
            slice.fault = fault
            break
          }
          if let traits = runs.traits { explorer.take(traits) }
          for cause in failure?.causes ?? [] where known.insert(cause).inserted {
            if let failure {
              slice.failures.append(Finding(session: session, failure: failure, cause: cause))
            }
            found.min(item.index, ordering: .relaxed)
          }
          if endsWithFirst, !known.isEmpty {
            last.min(item.index, ordering: .relaxed)
            break
          }
        }
        slice.kept = Array(explorer.corpus.dropFirst(corpus.count))
        slice.seen = explorer.seen
        slice.struck = explorer.struck
        slice.isFull = explorer.isFull
        slice.lostAtStart = runs.lostAtStart
        return slice
      } inOrder: {
        slices.append($0)
      }
      for slice in slices where !(endsWithFirst && !self.causes.isEmpty) && fault == nil {
        take(slice)
      }
      size = min(2 * size, Self.sliceCounts.upperBound)
      self.reserve = timeToWrite
      line.show("\(count) sessions run, \(corpus.count) kept, \(findings.count) found")
    }
    elapsed = ContinuousClock().now - begin
  }

  /// Returns the slices of a round with so many sessions each, and more if more were given.
  private mutating func items(_ stream: inout UInt64, _ size: Int) -> [Item] {
    var left = run.count.map { $0 - count } ?? .max
    let size = max(size, given.count / Self.slicesMax + 1)
    var items: [Item] = []
    for index in 0..<Self.slicesMax where left > 0 {
      let mine = stride(from: index, to: given.count, by: Self.slicesMax).map { given[$0] }
      items.append(Item(index: index, stream: stream, given: mine, count: min(left, size)))
      stream += 1
      left -= min(left, size)
    }
    given = []
    return items
  }

  private mutating func take(_ slice: Slice) {
    count += slice.count
    fault = fault ?? slice.fault
    struck.formUnion(slice.struck)
    isFull = isFull || slice.isFull
    lostAtStart = lostAtStart || slice.lostAtStart
    for kept in slice.kept where kept.isGiven || !kept.traits.values.isSubset(of: seen) {
      guard kept.size <= memoryLeft else {
        isFull = true
        continue
      }
      memoryLeft -= kept.size
      seen.formUnion(kept.traits.values)
      corpus.append(kept)
    }
    // Of the sessions that did not fit, too.
    seen.formUnion(slice.seen)
    let found = ContinuousClock().now
    defer { shrinking += ContinuousClock().now - found }
    for var finding in slice.failures where causes.insert(finding.cause).inserted {
      var shrinker = Shrinker(finding.session)
      var runs = runs
      var isLate = false
      runs.isOver = { [limit, reserve] in limit.isOver(keeping: reserve) }
      let smallest = shrinker.run(&runs, for: finding.cause) { _ in
        isLate = limit.isOver(keeping: reserve)
        return isLate
      }
      if isLate || runs.wasCut { unfinishedCount += 1 }
      if let smallest, let session = shrinker.smallest {
        finding.session = session
        finding.failure = smallest
      }
      findings.append(finding)
    }
  }

  /// How long it takes to write the corpus, for which each of its sessions is run again: at most
  /// half of the budget.
  private var timeToWrite: Interval {
    guard run.corpus != nil, let budget = run.budget, count > 0 else { return .zero }
    let search = ContinuousClock().now - begin - shrinking
    let each = Double(search / .nanoseconds(1)) * Double(run.jobs) / Double(count)
    return min(
      .nanoseconds(budget.nanoseconds / 2), .nanoseconds(Int64(each * Double(corpus.count))))
  }

  // MARK: What is reported

  var summary: String {
    let search = elapsed - shrinking
    let seconds = Double(search / .milliseconds(1)) / 1_000
    let rate = seconds > 0 ? Int(Double(count) / seconds) : count
    let found =
      findings.isEmpty
      ? "nothing was found"
      : "\(findings.count) found, made small in \(TraceReport.seconds(shrinking)) s"
    return
      "explore: \(String(counting: count, "session")) in \(TraceReport.seconds(search)) s, "
      + "\(rate) a second; \(corpus.count) showed something new; \(found)"
  }

  /// What else must be known about the search.
  var notes: [String] {
    var notes: [String] = []
    if count == 0, limit.isOver { notes.append("no session was run to its end") }
    if unfinishedCount > 0 {
      notes.append(
        "\(unfinishedCount) of what was found could be smaller: --budget was over; shrink does it")
    }
    let idle = run.faults.indices.filter { !struck.contains($0) }.map { run.faults[$0].text }
    if !idle.isEmpty { notes.append("\(idle.joined(separator: ", ")) never struck") }
    if lostAtStart, run.forbids(.lost) {
      notes.append(
        "bytes that the search sent while the board started up were lost (booting), which is not "
          + "held against the sketch")
    }
    if isFull {
      notes.append("sessions that showed something new were not kept: --memory leaves no room")
    }
    return notes
  }
}
