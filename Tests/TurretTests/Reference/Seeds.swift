import Foundation

/// The seeds of the property tests: a few in every run, more on request (`SENTRY_SEEDS=3000`).
enum Seeds {
  static let all: Range<UInt64> =
    0..<(ProcessInfo.processInfo.environment["SENTRY_SEEDS"].flatMap { UInt64($0) } ?? 150)
}
