/// How a simulated robot vision phone behaves.
struct VisionScript: Sendable {
  /// A part of what is done for one question. The parts follow each other; several questions at
  /// once are served one after the other.
  enum Deed: Sendable {
    /// Writes this text, with `#` replaced by the number of the question: the timestamp moves on.
    case say(String)
    case bytes([UInt8])
    case wait(milliseconds: Int64)
    /// Writes without an end, as fast as it is taken.
    case flood
    /// Closes when what was written is out.
    case close
    /// Closes with a reset, and what was written may be lost.
    case abort
  }

  /// What is done for the first question, the second and so on; the last goes for all that follow,
  /// on this connection and others.
  var answers: [[Deed]]
  /// Whether a command is one only with the end of its line.
  var readsLines = false
  /// What it says to each that connects, before any question.
  var greeting: String?

  init(_ answers: [Deed]...) { self.answers = answers }

  func deeds(forQuestion number: Int) -> [Deed] {
    answers.isEmpty ? [] : answers[min(number, answers.count) - 1]
  }
}

extension VisionScript.Deed {
  /// The documented form; a nil angle is no target.
  static func fields(_ angle: Double?, end: String = "\n") -> Self {
    .say("12:00:#|" + (angle.map { "angle^\($0)|distance^4.3" } ?? "angle^|distance^") + end)
  }

  static func object(_ angle: Double?) -> Self {
    .say(
      #"{"timestamp": "12:00:#", "angle": \#(angle.map { "\($0)" } ?? "null"), "distance": 4.3}"#)
  }

  /// The same in pieces of one byte, with a pause behind each.
  static func dribble(_ text: String, milliseconds: Int64) -> [Self] {
    text.flatMap { [.say(String($0)), .wait(milliseconds: milliseconds)] }
  }
}
