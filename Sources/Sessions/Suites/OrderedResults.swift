/// Results that become known in any order, and are passed on in the order of their indices.
struct OrderedResults {
  private var waiting: [Int: SuiteResult] = [:]
  private var next = 0

  /// Adds the result with this index. Returns those that can be passed on now.
  mutating func put(_ result: SuiteResult, at index: Int) -> [SuiteResult] {
    waiting[index] = result
    var ready: [SuiteResult] = []
    while let result = waiting.removeValue(forKey: next) {
      ready.append(result)
      next += 1
    }
    return ready
  }

  /// Returns the rest of `count` results. Those that never became known count as ended.
  mutating func finish(count: Int) -> [SuiteResult] {
    defer { next = count }
    return (next..<max(next, count)).map { waiting.removeValue(forKey: $0) ?? SuiteResult(.ended) }
  }
}
