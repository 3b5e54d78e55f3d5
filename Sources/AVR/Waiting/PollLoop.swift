/// One way once round a loop: the instructions in the order they are executed, without the data.
struct PollLoop: Sendable {
  struct Step: Sendable {
    var instruction: Instruction
    /// Where it stands and what is executed after it, in words.
    var pc: Int
    var next: Int
    /// Clock cycles from the loop's head to its beginning.
    var offset: UInt64
  }

  static let stepsMax = 400

  /// The word address at which it begins and ends.
  var head: Int
  var steps: [Step] = []
  /// Clock cycles once round.
  var period: UInt64 = 0
  /// Whether it reads something that changes by itself as time passes: a timer's count.
  var readsTime = false
  /// Where it sets SREG's I again: from how many cycles after its beginning interrupts can be
  /// taken.
  var interruptsFrom: UInt64?
  var readsIO = false
  var writesStatus = false
  /// Whether interrupts are on at some place of it.
  var allowsInterrupts = false
}
