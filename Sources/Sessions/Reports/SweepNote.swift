import Judging
import Sketches
import Traces

/// A report's note about a sweep whose steps take longer or shorter than the model's.
struct SweepNote {
  let drift: SweepDrift
  /// The trace's path.
  let trace: String
  /// The path of the program on the emulated chip; nil on another device.
  let program: String?

  /// One sentence, with the commands that correct it.
  var text: String { "\(difference); \(advice)" }

  /// How much longer a step takes on the side that `text` is about, to a tenth of a microsecond.
  private var perStep: Interval {
    let time = drift.modelSide == .device ? -drift.perStep : drift.perStep
    let tenths = (time.nanoseconds.magnitude + 50) / 100
    return .nanoseconds(Int64(tenths) * 100 * time.nanoseconds.signum())
  }

  private var difference: String {
    let (sweep, other) =
      switch drift.modelSide {
      case .device: ("the trace's sweep", "the model")
      case .trace: ("the sweep", "the model")
      case .neither: ("the sweep", "the trace's")
      }
    let direction = perStep > .zero ? "slower" : "faster"
    return "\(sweep) is \(String(readable: perStep.magnitude)) a step \(direction) than \(other)"
  }

  private var advice: String {
    if let program, drift.modelSide != .device {
      return "calibrate it: sentrybench calibrate \(word(program)) -o timing.json; "
        + "with --timing timing.json the model takes as long"
    }
    return "calibrate the build that made the trace: "
      + "sentrybench calibrate FILE -o timing.json; "
      + "then sentrybench verify --timing timing.json \(word(trace))"
  }

  private func word(_ path: String) -> String { PlainText.escaped(ShellWord.quoted(path)) }

  /// The same as data. The steps are exact, because they can differ by less than a microsecond.
  var json: JSONValue {
    var json = JSONText()
    json.add("steps", drift.count)
    json.add("expected", .number(String(shortest: drift.expectedStep)))
    json.add("found", .number(String(shortest: drift.foundStep)))
    json.add("message", text)
    return json.value
  }
}

/// Words of a command that a message shows for copying.
package enum ShellWord {
  /// Returns a word as a shell requires it, in quotes only if necessary.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,+@%".contains($0) }
    guard !isPlain || word.isEmpty else { return word }
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
