import Traces

/// The lines of what a sender printed, as a report shows them.
enum SuiteOutput {
  /// How much of it is kept, in bytes.
  static let keptMax = 1 << 16
  /// How many of its lines are shown.
  static let lineMax = 40

  /// Returns the last lines, after a heading if earlier ones are left out.
  static func lines(_ output: ErrorTail) -> [String] {
    guard !output.bytes.isEmpty else { return [] }
    let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    let left = lines.count - lineMax
    guard left > 0 || output.isCut else { return lines }
    return ["(the end)"] + lines.suffix(lineMax)
  }
}
