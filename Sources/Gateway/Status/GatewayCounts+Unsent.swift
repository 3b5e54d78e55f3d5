extension GatewayCounts {
  /// What clients sent and the board did not receive, by reason, in a line for people; nil if the
  /// board received everything. `isRaw`: bytes were counted instead of commands.
  package func unsentSummary(isRaw: Bool) -> String? {
    var parts: [String] = []
    func add(_ number: Int, _ reason: String) {
      if number > 0 { parts.append("\(number) \(reason)") }
    }
    for reason in RefusalReason.allCases { add(refused[reason, default: 0], reason.summary) }
    add(replaced, "replaced by a newer aim")
    add(merged, "merged with the L before")
    for reason in DropReason.allCases { add(dropped[reason, default: 0], reason.summary) }
    guard !parts.isEmpty else { return nil }
    return (isRaw ? "bytes" : "commands") + " not sent to the board: "
      + parts.joined(separator: ", ")
  }
}

extension GatewayCounts.RefusalReason {
  fileprivate var summary: String {
    switch self {
    case .notACommand: "not a command"
    case .notInControl: "from a client not in control"
    case .queueFull: "refused as the queue was full"
    case .noBoard: "refused as the board was disconnected"
    case .leaving: "refused as the bench was stopping"
    }
  }
}

extension GatewayCounts.DropReason {
  fileprivate var summary: String {
    switch self {
    case .noBoard: "dropped when the board was disconnected"
    case .controlLost: "dropped when another client took over"
    case .leaving: "dropped at the end"
    case .late: "refused because they were late"
    }
  }
}
