import Foundation

/// The seeds of random cases, which are the same in every run: a few, or as many as `SENTRY_SEEDS`
/// states (`SENTRY_SEEDS=3000`). `SENTRY_SEED` is the first one.
package enum Seeds {
  private static let requested = variable("SENTRY_SEEDS")
  package static let start = variable("SENTRY_SEED") ?? 0

  private static func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Whether more cases than usual are requested.
  package static var areRequested: Bool { requested != nil }

  /// The seeds of a test that usually tries `count` of them.
  package static func first(_ count: UInt64) -> Range<UInt64> {
    start..<start + (requested ?? count)
  }
}
