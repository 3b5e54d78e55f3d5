import SentryBenchTesting
import Synchronization
import Testing

/// A failure of a rule that a test requires to fail.
struct CollectedFailure: Sendable {
  /// The file's name and the line where the rule is stated.
  var place: String
  var text: String
}

/// The failures that a body causes. None of them is an issue of the test.
private final class Collector: Sendable {
  private let failures = Mutex<[CollectedFailure]>([])

  var all: [CollectedFailure] { failures.withLock { $0 } }

  func add(_ text: String, _ location: SourceLocation) {
    let failure = CollectedFailure(place: "\(location.fileName):\(location.line)", text: text)
    failures.withLock { $0.append(failure) }
  }
}

func failures(_ body: () throws -> Void) rethrows -> [CollectedFailure] {
  let collector = Collector()
  try FailureReport.$record.withValue(collector.add, operation: body)
  return collector.all
}

func asyncFailures(_ body: () async throws -> Void) async rethrows -> [CollectedFailure] {
  let collector = Collector()
  try await FailureReport.$record.withValue(collector.add, operation: body)
  return collector.all
}
