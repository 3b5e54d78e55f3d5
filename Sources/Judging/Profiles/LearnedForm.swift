import Devices
import Sketches

/// The form of commands that are alike, and what is known about it.
struct LearnedForm: Hashable, Sendable {
  /// The ranges of a number.
  struct Field: Hashable, Sendable {
    /// From the smallest to the largest in the session.
    var seen: ClosedRange<Int32>
    /// From the smallest to the largest that is known to have moved something; nil if none did.
    var moved: ClosedRange<Int32>?
    /// The numbers for which outputs followed when they were tried; nil if none were tried.
    var tried: ClosedRange<Int32>?
    var decimals = 0

    /// The numbers for which outputs followed, because a session can contain numbers that its
    /// sketch refuses; if there are none, those of the session.
    var range: ClosedRange<Int32> {
      guard let moved else { return seen }
      guard let tried else { return moved }
      return min(moved.lowerBound, tried.lowerBound)...max(moved.upperBound, tried.upperBound)
    }
  }

  var form: CommandForm
  var fields: [Field]
  /// The number of commands of this form in the session.
  var count: Int
  /// One of them.
  var example: [UInt8]
  /// What followed it; nil if nothing observable did.
  var effect: String?
  /// Whether it moved or switched something.
  var moves: Bool
  /// What else was found, and what is not certain, in sentences.
  var notes: [String] = []

  /// What was observed, as comments for the profile.
  var remarks: [String] {
    let text = CommandForm.text(of: example.prefix(CommandForm.lengthMax))
    let times = count == 1 ? "once" : "\(count) times"
    var remarks = [
      "Seen \(times), for example \"\(text)\": \(effect ?? "nothing observable") followed."
    ]
    for (index, field) in fields.enumerated() {
      let name = CommandShape.name(index)
      guard let tried = field.tried else {
        remarks.append("\(name): sent \(Self.text(field.seen, field)). Others were not tried.")
        continue
      }
      let (seen, follow) = (Self.text(field.seen, field), Self.text(tried, field))
      remarks.append("\(name): sent \(seen), outputs follow at \(follow).")
    }
    return remarks + notes
  }

  private static func text(_ range: ClosedRange<Int32>, _ field: Field) -> String {
    let text = CommandField("", range, decimals: field.decimals)
    let low = text.text(of: range.lowerBound)
    return range.count == 1 ? low : "\(low) to \(text.text(of: range.upperBound))"
  }
}

/// A command of a session, as a sketch took it.
struct LearnedCommand<D: Device>: Sendable {
  let bytes: [UInt8]
  /// The board before it.
  let trial: SketchTrial<D>
  /// What the command did; the same as silence if nothing followed.
  let effect: TrialEffect

  /// Whether it moved or switched something.
  var moves: Bool { effect.moves != trial.silence.moves }
  /// Whether anything observable followed.
  var isSeen: Bool { effect != trial.silence }
}
