import Sketches

/// Decides when the benches of a suite's live scenarios are started and ended.
///
///     waiting --a place is free--> running --ended--> done
///                                     | its time is over, or the suite is ended
///                                     v
///                                  stopping --ended, or grace--> done
///
/// A suite that is ended starts no more of them.
struct SuiteSchedule {
  enum Event: Hashable {
    /// The suite begins, or time has passed.
    case time
    /// The bench of a run has ended, or could not be started.
    case ended(Int)
    /// The end of the suite was requested.
    case request
  }

  enum Action: Hashable {
    case start(Int)
    /// Ask a run's bench to end: it ends its sender and reports.
    case stop(Int)
    /// Do not wait for a run's bench any more: its thread cannot be ended.
    case abandon(Int)
  }

  private enum State: Hashable {
    case running(until: HostTime?)
    case stopping(until: HostTime)
  }

  /// How much longer than its sender a bench can take: to start, to end its sender, to report.
  static let allowance = Interval.seconds(15)
  /// How long a bench has to end after it was asked to: longer than its sender has.
  static let grace = Interval.seconds(5)

  private let jobs: Int
  /// How long each run's sender can take; nil for no limit.
  private let limits: [Interval?]
  /// The path of each run's link to its pty, which only one at a time can have; nil for one of its
  /// own.
  private let links: [String?]
  /// The runs that were not started, in order.
  private var waiting: [Int]
  private var states: [Int: State] = [:]
  private(set) var isEnding = false

  /// Runs are numbered from 0.
  init(jobs: Int, limits: [Interval?], links: [String?] = []) {
    self.jobs = jobs
    self.limits = limits
    self.links = links
    waiting = Array(limits.indices)
  }

  var isDone: Bool { states.isEmpty && (isEnding || waiting.isEmpty) }

  private func canStart(_ run: Int) -> Bool {
    guard run < links.count, let link = links[run] else { return true }
    return !states.keys.contains { links[$0] == link }
  }

  /// When the event `time` is due at the latest; nil if never.
  var deadline: HostTime? {
    states.values.compactMap { state in
      switch state {
      case .running(let until): until
      case .stopping(let until): until
      }
    }.min()
  }

  mutating func take(_ event: Event, at now: HostTime) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .time: break
    case .ended(let run): states[run] = nil
    case .request:
      isEnding = true
      for run in states.keys.sorted() {
        guard case .running? = states[run] else { continue }
        states[run] = .stopping(until: now + Self.grace)
        actions.append(.stop(run))
      }
    }
    for run in states.keys.sorted() {
      switch states[run] {
      case .running(let until?) where until <= now:
        states[run] = .stopping(until: now + Self.grace)
        actions.append(.stop(run))
      case .stopping(let until) where until <= now:
        states[run] = nil
        actions.append(.abandon(run))
      default: break
      }
    }
    while !isEnding, states.count < jobs, let index = waiting.firstIndex(where: canStart) {
      let run = waiting.remove(at: index)
      states[run] = .running(until: limits[run].map { now + $0 + Self.allowance })
      actions.append(.start(run))
    }
    return actions
  }
}
