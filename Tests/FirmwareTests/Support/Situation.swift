import AVR
import Testing

/// Something that the guarded sketch can be doing when a byte arrives.
enum Situation: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case idle = "holding"
  case sweeping = "sweeping"
  case telling = "sweeping, a line for every step"
  case falling = "sweeping, a line for every step, a tone ends at a step"
  case timingOut = "sweeping, a line for every step, a number times out at a step"

  var testDescription: String { rawValue }

  /// Whether there are several boards, with an end slightly earlier or later than the step.
  var coincides: Bool { self == .falling || self == .timingOut }

  static let stepCycles = 15 * GuardedBoard.cyclesPerMillisecond
  private static let toneCycles = 160 * GuardedBoard.cyclesPerMillisecond
  private static let numberCycles = 250 * GuardedBoard.cyclesPerMillisecond

  /// Boards 3 ms before two events that can coincide: the end of the tone or number is moved across
  /// the step in steps of 8 us.
  func boards() throws -> [GuardedBoard] {
    var board = try GuardedBoard.started()
    switch self {
    case .idle: return [board]
    case .sweeping: board.send("L")
    case .telling, .falling, .timingOut: board.send("VL")
    }
    board.run(for: 10 * GuardedBoard.cyclesPerMillisecond)
    let step = board.runToServoWrite()
    let lead = 3 * GuardedBoard.cyclesPerMillisecond
    switch self {
    case .idle, .sweeping, .telling:
      board.run(until: step + Self.stepCycles - lead)
      return [board]
    case .falling: return board.moving("T", Self.toneCycles, before: step, lead)
    case .timingOut: return board.moving("X", Self.numberCycles, before: step, lead)
    }
  }
}

extension GuardedBoard {
  fileprivate func moving(
    _ letter: String, _ length: UInt64, before step: UInt64, _ lead: UInt64
  ) -> [GuardedBoard] {
    let steps = length / Situation.stepCycles + 2
    let meeting = step + steps * Situation.stepCycles
    return (-10...5).map { shift in
      var board = self
      let start = Int64(meeting - length - Self.byteCycles(1)) + Int64(shift) * 128
      board.send(letter, at: UInt64(start))
      board.run(until: meeting - lead)
      return board
    }
  }
}
