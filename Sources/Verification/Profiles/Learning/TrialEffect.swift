import Turret

/// What a sketch did within a period, without the times.
struct TrialEffect: Hashable, Sendable {
  /// What moved or switched something, in order: servos, tones and levels.
  private(set) var moves: [Output] = []
  /// The bytes that the sketch sent.
  private(set) var answer: [UInt8] = []

  init(_ outputs: [Output] = []) {
    for output in outputs {
      switch output {
      // Degrees depend on what is known of the servo's range; the pulse is what moves it.
      case .servo(_, let microseconds, let pin):
        moves.append(.servo(degrees: 0, microseconds: microseconds, on: pin))
      case .tone, .pin: moves.append(output)
      case .transmit(let byte): answer.append(byte)
      default: break
      }
    }
  }

  /// Only what moved or switched something.
  var withoutAnswer: TrialEffect {
    var effect = self
    effect.answer = []
    return effect
  }

  /// The position of a servo, or the frequency of a tone.
  struct Position: Hashable, Sendable {
    /// The servo's pin; nil for a tone and for the servo whose events name none.
    var pin: BoardPin?
    /// In microseconds or hertz.
    var value: Double

    /// Returns how far it has moved since then; nil if that was the position of something else.
    func change(since earlier: Position?) -> Double? {
      guard let earlier, earlier.pin == pin else { return nil }
      return value - earlier.value
    }
  }

  /// The position of the last servo or, if none moved, the last tone, so that a trend can be seen.
  /// A servo comes first, because a sketch's tone need not depend on where it turns.
  var position: Position? {
    var tone: Position?
    for move in moves.reversed() {
      switch move {
      case .servo(_, let microseconds, let pin):
        return Position(pin: pin, value: Double(microseconds))
      case .tone(let hertz) where hertz > 0 && tone == nil: tone = Position(value: hertz)
      default: continue
      }
    }
    return tone
  }

  /// Returns the effect in words: `the servo on D9, D7 and the answer "ok\n"`. `own` is the pin of
  /// the servo whose events name none.
  func sentence(own: BoardPin) -> String {
    var parts: [String] = []
    func add(_ part: String) { if !parts.contains(part) { parts.append(part) } }
    for move in moves {
      switch move {
      case .servo(_, _, let pin): add("the servo on \((pin ?? own).name)")
      case .tone: add("a tone")
      case .pin(let pin, _): add(pin.name)
      default: break
      }
    }
    if !answer.isEmpty {
      let shown = CommandForm(answer.prefix(32).map { .byte($0) }).description
      add("the answer \"\(shown)\"\(answer.count > 32 ? " and more" : "")")
    }
    guard let last = parts.popLast() else { return "nothing observable" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }
}
