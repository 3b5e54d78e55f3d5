/// How a simulated robot vision phone behaves.
struct VisionScript: Sendable {
  /// One step of the response to a question. The steps are taken in order; several questions at
  /// once are served one after the other.
  enum Deed: Sendable {
    /// Writes this text, with `#` replaced by the number of the question, so that the timestamp
    /// changes.
    case say(String)
    case bytes([UInt8])
    case wait(milliseconds: Int64)
    /// Writes endlessly, as fast as the data is accepted.
    case flood
    /// Closes after everything written has been sent.
    case close
    /// Closes with a reset, so that data written before may be lost.
    case abort
  }

  /// The deeds for the first question, the second and so on; the last entry applies to all further
  /// questions, on this connection and others.
  var answers: [[Deed]]
  /// Whether a command is valid only with the end of its line.
  var readsLines = false
  /// The text sent to each client that connects, before any question.
  var greeting: String?

  init(_ answers: [Deed]...) { self.answers = answers }

  func deeds(forQuestion number: Int) -> [Deed] {
    answers.isEmpty ? [] : answers[min(number, answers.count) - 1]
  }
}

extension VisionScript.Deed {
  /// The documented form; a nil angle means no target.
  static func fields(_ angle: Double?, end: String = "\n") -> Self {
    .say("12:00:#|" + (angle.map { "angle^\($0)|distance^4.3" } ?? "angle^|distance^") + end)
  }

  static func object(_ angle: Double?) -> Self {
    .say(
      #"{"timestamp": "12:00:#", "angle": \#(angle.map { "\($0)" } ?? "null"), "distance": 4.3}"#)
  }

  /// The same in pieces of one byte, with a pause after each.
  static func dribble(_ text: String, milliseconds: Int64) -> [Self] {
    text.flatMap { [.say(String($0)), .wait(milliseconds: milliseconds)] }
  }
}
