/// A timer's output compare unit: OCRnx with its buffer, and the OCnx register that can take a pin
/// over.
struct CompareUnit: Hashable, Sendable {
  enum Action: UInt8, Hashable, Sendable {
    /// The pin belongs to its port.
    case none = 0
    case toggle, clear, set
  }

  /// What the program reads and writes.
  var buffer: UInt16 = 0
  /// What the count is compared with.
  var OCR: UInt16 = 0
  /// What a match does to OCnx; in PWM modes the opposite happens at the other end of the pulse.
  var action = Action.none
  /// OCnx.
  var isHigh = false

  init() {}

  init(_ snapshot: TimerSnapshot.Unit) {
    buffer = snapshot.buffer
    OCR = snapshot.OCR
    isHigh = snapshot.isHigh
  }

  var awaitsUpdate: Bool { buffer != OCR }

  mutating func update() { OCR = buffer }

  /// A match, or a forced one.
  mutating func match(isCountingDown: Bool = false) {
    switch action {
    case .none: break
    case .toggle: isHigh.toggle()
    case .clear: isHigh = isCountingDown
    case .set: isHigh = !isCountingDown
    }
  }

  /// In a PWM mode: the level that a non-inverting output has from here on.
  mutating func begin(isHigh level: Bool) {
    switch action {
    case .none, .toggle: break
    case .clear: isHigh = level
    case .set: isHigh = !level
    }
  }
}
