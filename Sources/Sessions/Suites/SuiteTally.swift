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
    let nouns = total == 1 ? noun : noun + "s"
    if passed == total { return "\(total) \(nouns) pass\(total == 1 ? "es" : "")" }
    var parts = ["\(passed) of \(total) \(nouns) pass\(passed == 1 ? "es" : "")"]
    if failed > 0 { parts.append("\(failed) fail\(failed == 1 ? "s" : "")") }
    if errors > 0 { parts.append("\(errors) could not be judged") }
    if ended > 0 { parts.append("\(ended) not run to the end") }
    return parts.joined(separator: ", ")
  }
}
