/// The path of one iteration of a loop: its instructions in order of execution, without data.
struct PollLoop: Sendable {
  struct Step: Sendable {
    var instruction: Instruction
    /// The word address of the instruction, followed by that of the one executed next.
    var pc: Int
    var next: Int
    /// Clock cycles from the start of the iteration to the start of the instruction.
    var offset: UInt64
  }

  static let stepsMax = 400

  /// The word address at which an iteration begins and ends.
  var head: Int
  var steps: [Step] = []
  /// Clock cycles for one iteration.
  var period: UInt64 = 0
  /// Whether it reads a value that changes as time passes: a timer's count.
  var readsTime = false
  /// If it sets SREG's I again: how many cycles after its start interrupts can be taken.
  var interruptsFrom: UInt64?
  var writesStatus = false
}
