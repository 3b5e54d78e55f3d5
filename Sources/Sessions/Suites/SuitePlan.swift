import Verification

/// Which of a suite's scenarios are run, in which order, and how often.
package struct SuitePlan: Sendable {
  /// One run of a scenario.
  package struct Run: Hashable, Sendable {
    /// The scenario's index among the plan's tests.
    package var test: Int
    /// From 1.
    package var attempt: Int
  }

  /// The maximum number of runs of one scenario.
  package static let repeatMax = 100_000

  /// The scenarios that are run.
  package private(set) var tests: [SuiteTest]
  /// Their runs: each scenario's one after the other.
  package private(set) var runs: [Run]

  /// Chooses from all scenarios. `filter` is part of the path or the name, in upper or lower case.
  package init(
    _ all: [SuiteTest], filter: String? = nil, shard: Shard? = nil, repeats: Int = 1
  ) {
    let filter = filter?.lowercased()
    let filtered = all.filter { test in
      filter.map { "\(test.path): \(test.scenario.name)".lowercased().contains($0) } ?? true
    }
    isEmpty = filtered.isEmpty
    tests = shard?.part(of: filtered) ?? filtered
    runs = tests.indices.flatMap { test in (1...repeats).map { Run(test: test, attempt: $0) } }
  }

  /// Whether no scenario passed the filter. A part of those that did can still be empty.
  package let isEmpty: Bool

  package func test(_ run: Run) -> SuiteTest { tests[run.test] }
}
