import Devices
package import Judging
import Sketches
import Traces

/// A report's verdict: a sentence, and whether it is good news.
package struct ReportVerdict: Hashable, Sendable {
  package enum Tone: String, Hashable, Sendable {
    case good, bad, open
  }

  package var tone: Tone
  /// One word for tables.
  package var word: String
  package var sentence: String
  /// Further details, one sentence each.
  package var details: [String] = []
  /// The full text of what failed, as a terminal shows it; empty if there is none.
  package var text = ""
  package var divergence: Divergence?
  /// Whether there was nothing to compare, as in a recording without the board's outputs.
  package private(set) var comparesNothing = false

  package init(_ tone: Tone, _ word: String, _ sentence: String) {
    self.tone = tone
    self.word = word
    self.sentence = sentence
  }

  /// The verdict of a session whose sketch no model behaves as.
  package static var notJudged: ReportVerdict {
    ReportVerdict(
      .open, "not judged", "The session is shown as it was recorded; it was not judged.")
  }

  /// What is wrong with a recording. `hints`: the options that the reader has.
  package init(_ fault: RecordingFault, _ hints: RecordingFault.Hints) {
    self.init(fault.isWhole ? .bad : .open, fault.word, Self.sentence(fault.text(hints)))
  }

  /// Returns a message as a sentence: with a capital letter, if it begins with a letter of ASCII,
  /// and a full stop.
  static func sentence(_ message: String) -> String {
    var bytes = Array(message.utf8)
    if let first = bytes.first, (0x61...0x7A).contains(first) { bytes[0] = first - 0x20 }
    return String(decoding: bytes, as: UTF8.self) + "."
  }

  package init(_ verdict: Verdict) {
    let tally = verdict.tally
    switch verdict.outcome {
    case .agrees:
      self.init(.good, "agrees", "The device did what the trace expects.")
      if tally.matched > 0 {
        details.append(
          String(counting: tally.matched, "output")
            + (tally.matched == 1 ? " matches" : " match")
            + ", at most \(String(readable: verdict.worst)) off.")
      }
    case .diverges(let found):
      self.init(
        .bad, "disagrees", "The device did not do what the trace expects: \(found.message).")
      divergence = found
      if let noticed = verdict.noticed, let activity = verdict.activity {
        let count = verdict.waitingCount
        let waiting = count.map { ", and \(String(counting: $0, "byte")) waited" } ?? ""
        details.append(
          "At \(Divergence.seconds(noticed)) the sketch was \(activity.description)\(waiting).")
      }
      details.append("\(tally.text).")
    case .undecided, .nothingToCompare, .cannotObserve:
      self.init(.open, "undecided", Self.sentence(verdict.outcome.openReason ?? ""))
      comparesNothing = verdict.comparesNothing
    case .deviceFailed(let error):
      self.init(.open, "not judged", "The device failed: \(error.description).")
    }
    if let fit = verdict.fit { details.append(Self.sentence(fit.text)) }
    if let worlds = verdict.worlds {
      details.append("The session was replayed in \(worlds.conditions).")
      if let nearest = worlds.nearestText { details.append("\(nearest).") }
      let lines = worlds.openCommandLines + worlds.differenceLines
      text = lines.joined(separator: "\n")
    }
    details += verdict.remarks
  }
}
