import Traces

/// Counts the runs of a suite.
struct SuiteTally: Hashable, Sendable {
  var passed = 0
  var failed = 0
  /// Those that could not be judged.
  var errors = 0
  /// Those that were not run, or not to their end.
  var ended = 0

  var total: Int { passed + failed + errors + ended }

  mutating func add(_ outcome: SuiteResult.Outcome) {
    switch outcome {
    case .passed: passed += 1
    case .failed: failed += 1
    case .error: errors += 1
    case .ended: ended += 1
    }
  }

  /// The counts in words: `97 of 100 scenarios pass, 3 fail`. `noun` is what is counted.
  func text(_ noun: String) -> String {
    let all = String(counting: total, noun)
    if passed == total { return "\(all) \(total == 1 ? "passes" : "pass")" }
    let verb = passed == 1 || total == 1 ? "passes" : "pass"
    var parts = ["\(passed) of \(all) \(verb)"]
    if failed > 0 { parts.append("\(failed) fail\(failed == 1 ? "s" : "")") }
    if errors > 0 { parts.append("\(errors) could not be judged") }
    if ended > 0 { parts.append("\(ended) not run to the end") }
    return parts.joined(separator: ", ")
  }
}
