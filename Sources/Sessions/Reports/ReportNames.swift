/// The names of a judged session in a JUnit report.
package struct ReportNames: Hashable, Sendable {
  package var className: String
  package var testName: String

  /// A session that is judged by the trace at `path`. It is named after the trace's title or,
  /// without one, after the command that was judged.
  package init(trace path: String?, title: String?, command: [String]) {
    let suffix = ".jsonl"
    className =
      path.map { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 } ?? "run"
    let words = command.isEmpty ? "session" : command.joined(separator: " ")
    testName = title.flatMap { $0.isEmpty ? nil : $0 } ?? words
  }
}
