/// A decoded instruction, ready for the interpreter.
struct Instruction: Hashable, Sendable {
  var operation: Operation
  /// Rd, or the bit of SREG for BSET, BCLR, BRBS and BRBC.
  var d: UInt8 = 0
  /// Rr, or a bit number.
  var r: UInt8 = 0
  /// The length in words, 1 or 2.
  var words: UInt8 = 1
  /// A constant, a data space address, a displacement or the word address of a jump's target.
  var k: UInt32 = 0
}
