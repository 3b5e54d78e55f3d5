/// Executes many iterations of a loop at once if they differ only in the time at which they read a
/// timer.
///
/// Every iteration follows the recorded path. It starts from the state in which the previous one
/// ends, which is not known at first, so the path is executed twice. In the first pass all
/// iterations start from the state before the loop; in the second, each starts from its
/// predecessor's result. If the second results equal the first, they are correct by induction from
/// the first iteration, which started from the real state. The first iteration that would leave the
/// path at a branch ends the run of valid ones.
struct IterationBatch {
  /// How many rows of timer readings the first pass keeps for the second.
  private static let readingsMax = 8
  static let memoryBytes = 2 * BatchRows.bytes + readingsMax * BatchRows.columns

  let loop: PollLoop
  let peripherals: Peripherals
  let data: UnsafeMutablePointer<UInt8>
  let access: UnsafePointer<UInt8>
  let rows: BatchRows
  /// The results of the first pass, as large as `rows`.
  private let first: BatchRows
  private let readings: UnsafeMutablePointer<UInt8>
  /// The number of iterations, at most `BatchRows.columns`.
  let iterations: Int
  /// When the first iteration begins.
  let start: UInt64
  private let startStack: UInt16

  /// The memory addresses accessed so far, in the order of their rows.
  var cells: [UInt16] = []
  var stack: UInt16
  /// One bit for each iteration: whether it has followed the recorded path so far.
  var valid = UInt64.max
  private var isSecondPass = false
  private var readingCount = 0

  /// `memory` must have `memoryBytes` bytes.
  init(
    _ loop: PollLoop, iterations: Int, _ core: Core, _ peripherals: Peripherals,
    _ interpreter: Interpreter,
    memory: UnsafeMutablePointer<UInt8>
  ) {
    self.loop = loop
    self.iterations = iterations
    self.peripherals = peripherals
    data = interpreter.data
    access = interpreter.access
    rows = BatchRows(base: memory)
    first = BatchRows(base: memory + BatchRows.bytes)
    readings = memory + 2 * BatchRows.bytes
    start = core.cycle
    startStack = core.sp
    stack = core.sp
    for register in 0..<32 { rows.fill(register, data[register]) }
    rows.fill(BatchRows.sreg, core.sreg)
  }

  /// Returns how many iterations follow the recorded path; `finish` applies their result.
  mutating func run(_ sreg: UInt8) -> Int {
    guard pass() else { return 0 }
    let used = BatchRows.cells + cells.count
    rows.copy(rows.base, to: first.base, count: used * BatchRows.columns)
    let touched = cells.count
    isSecondPass = true
    for register in 0..<32 { rows.shift(register, first: data[register]) }
    rows.shift(BatchRows.sreg, first: sreg)
    for (index, address) in cells.enumerated() {
      rows.shift(BatchRows.cells + index, first: data[Int(address)])
    }
    guard pass(), cells.count == touched else { return 0 }
    for row in 0..<used { valid &= rows.bits(rows[row], equal: first[row]) }
    return min(iterations, (~valid).trailingZeroBitCount)
  }

  /// Reads a timer in all iterations. The second pass uses the first pass's readings.
  mutating func reading(
    into row: Int, _ read: (UnsafeMutablePointer<UInt8>) -> Bool
  ) -> Bool {
    guard readingCount < Self.readingsMax else { return false }
    let values = readings + readingCount * BatchRows.columns
    readingCount += 1
    if !isSecondPass, !read(values) { return false }
    rows.copy(values, to: rows[row])
    return true
  }

  /// Applies the state after this many iterations.
  func finish(_ count: Int, _ core: inout Core) {
    let iteration = count - 1
    for register in 0..<32 { data[register] = rows[register][iteration] }
    core.sreg = rows[BatchRows.sreg][iteration]
    for (index, address) in cells.enumerated() {
      data[Int(address)] = rows[BatchRows.cells + index][iteration]
    }
    core.skip(UInt64(count), of: loop)
  }

  /// Executes the path once in all iterations. Returns false if an instruction cannot be executed.
  private mutating func pass() -> Bool {
    valid = .max
    stack = startStack
    readingCount = 0
    for step in loop.steps {
      guard execute(step), valid & 1 != 0 else { return false }
    }
    return stack == startStack
  }
}
