/// A timer's output compare unit: OCRnx with its buffer, and the OCnx register that can drive a
/// pin.
struct CompareUnit: Hashable, Sendable {
  enum Action: UInt8, Hashable, Sendable {
    /// The pin is controlled by its port.
    case none = 0
    case toggle, clear, set
  }

  /// The value that the program reads and writes.
  var buffer: UInt16 = 0
  /// The value that is compared with the count.
  var OCR: UInt16 = 0
  /// The effect of a match on OCnx. In PWM modes the opposite happens at the other end of the
  /// pulse.
  var action = Action.none
  /// OCnx.
  var isHigh = false
  /// Whether its edges are too fast for anything that follows them, so that they are not reported.
  var isQuiet = false

  /// Whether each of its matches is an event.
  var showsMatches: Bool { action != .none && !isQuiet }

  init() {}

  init(_ snapshot: TimerSnapshot.Unit) {
    buffer = snapshot.buffer
    OCR = snapshot.OCR
    isHigh = snapshot.isHigh
  }

  var awaitsUpdate: Bool { buffer != OCR }

  mutating func update() { OCR = buffer }

  /// Applies a real or a forced match.
  mutating func match(isCountingDown: Bool = false) {
    switch action {
    case .none: break
    case .toggle: isHigh.toggle()
    case .clear: isHigh = isCountingDown
    case .set: isHigh = !isCountingDown
    }
  }

  /// In a PWM mode, sets the level that a non-inverting output has from now on.
  mutating func begin(isHigh level: Bool) {
    switch action {
    case .none, .toggle: break
    case .clear: isHigh = level
    case .set: isHigh = !level
    }
  }
}
