import Traces
import Turret

// What a sketch answers to the commands of its profile.
extension RuleJudge {
  /// How long after its command an answer can be: a sketch can wait until its servo is there.
  private static let answerMax = Interval.seconds(5)

  /// Returns the first command that was not answered as the profile states, in a session that has
  /// ended. Each line is the answer to one command.
  func firstUnanswered(_ record: SessionRecord) -> FoundMishap? {
    guard let profile = record.setup.profile, let end = record.end else { return nil }
    var lines = record.replies.lines[...]
    for (index, command) in record.commands.enumerated() {
      guard command.form == .whole, !command.isRefused,
        let form = profile.form(of: command.text), let answer = profile.commands[form].answer
      else { continue }
      lines = lines.drop { $0.time < command.last }
      let words: String
      switch answer {
      case .none:
        let next = record.commands.dropFirst(index + 1).first?.begin ?? end
        guard let line = lines.first, line.time <= min(next, command.last + Self.answerMax) else {
          continue
        }
        let text = PlainText.quoted(String(latin1: line.text))
        words = "was answered with \(text); the profile states that it has no answer"
      case .line:
        let deadline = min(end, command.last + Self.answerMax)
        if let line = lines.firstIndex(where: { $0.time <= deadline && answer.matches($0.text) }) {
          lines = lines[(line + 1)...]
          continue
        }
        let until = deadline == end ? ", until the session's end" : ""
        words =
          "was not answered with \(PlainText.quoted(answer.text)) within "
          + "\((deadline - command.last).roundedText)\(until)"
      }
      return FoundMishap(
        mishap: .unanswered, time: command.begin.roundedUpToMicrosecond,
        text: "\(command.quoted) \(words)", event: command.event)
    }
    return nil
  }
}

extension Interval {
  /// The length in whole milliseconds.
  fileprivate var roundedText: String { "\(nanoseconds / 1_000_000) ms" }
}
