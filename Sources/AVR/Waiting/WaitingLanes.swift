/// Executes many iterations of a loop at once, one in each lane, if they differ only in the time at
/// which they read a timer.
///
/// Every lane follows the recorded path. A lane starts from the state in which the previous lane
/// ends, which is not known at first, so the path is executed twice. In the first pass all lanes
/// start from the state before the loop; in the second, each starts from its predecessor's result.
/// If the second results equal the first, they are correct by induction from the first lane, which
/// started from the real state. The first lane that would leave the path at a branch ends the run
/// of valid ones.
struct WaitingLanes {
  /// How many rows of timer readings the first pass keeps for the second.
  private static let readingsMax = 8
  static let memoryBytes = 2 * LaneRows.bytes + readingsMax * LaneRows.lanes

  let loop: PollLoop
  let peripherals: Peripherals
  let data: UnsafeMutablePointer<UInt8>
  let access: UnsafePointer<UInt8>
  let rows: LaneRows
  /// The results of the first pass, as large as `rows`.
  private let first: LaneRows
  private let readings: UnsafeMutablePointer<UInt8>
  /// How many lanes are in use.
  let lanes: Int
  /// When the first lane's iteration begins.
  let start: UInt64
  private let startStack: UInt16

  /// The memory addresses accessed so far, in the order of their rows.
  var cells: [UInt16] = []
  var stack: UInt16
  /// One bit for each lane: whether it has followed the recorded path so far.
  var valid = UInt64.max
  private var isSecondPass = false
  private var readingCount = 0

  /// `memory` must have `memoryBytes` bytes.
  init(
    _ loop: PollLoop, lanes: Int, _ core: Core, _ peripherals: Peripherals,
    _ interpreter: Interpreter,
    memory: UnsafeMutablePointer<UInt8>
  ) {
    self.loop = loop
    self.lanes = lanes
    self.peripherals = peripherals
    data = interpreter.data
    access = interpreter.access
    rows = LaneRows(base: memory)
    first = LaneRows(base: memory + LaneRows.bytes)
    readings = memory + 2 * LaneRows.bytes
    start = core.cycle
    startStack = core.sp
    stack = core.sp
    for register in 0..<32 { rows.fill(register, data[register]) }
    rows.fill(LaneRows.sreg, core.sreg)
  }

  /// Returns how many iterations follow the recorded path; `finish` applies their result.
  mutating func run(_ sreg: UInt8) -> Int {
    guard pass() else { return 0 }
    let used = LaneRows.cells + cells.count
    rows.copy(rows.base, to: first.base, count: used * LaneRows.lanes)
    let touched = cells.count
    isSecondPass = true
    for register in 0..<32 { rows.shift(register, first: data[register]) }
    rows.shift(LaneRows.sreg, first: sreg)
    for (index, address) in cells.enumerated() {
      rows.shift(LaneRows.cells + index, first: data[Int(address)])
    }
    guard pass(), cells.count == touched else { return 0 }
    for row in 0..<used { valid &= rows.bits(rows[row], equal: first[row]) }
    return min(lanes, (~valid).trailingZeroBitCount)
  }

  /// Reads a timer in all lanes. The second pass uses the first pass's readings.
  mutating func reading(
    into row: Int, _ read: (UnsafeMutablePointer<UInt8>) -> Bool
  ) -> Bool {
    guard readingCount < Self.readingsMax else { return false }
    let values = readings + readingCount * LaneRows.lanes
    readingCount += 1
    if !isSecondPass, !read(values) { return false }
    rows.copy(values, to: rows[row])
    return true
  }

  /// Applies the state after this many iterations.
  func finish(_ count: Int, _ core: inout Core) {
    let lane = count - 1
    for register in 0..<32 { data[register] = rows[register][lane] }
    core.sreg = rows[LaneRows.sreg][lane]
    for (index, address) in cells.enumerated() {
      data[Int(address)] = rows[LaneRows.cells + index][lane]
    }
    core.skip(UInt64(count), of: loop)
  }

  /// Executes the path once in all lanes. Returns false if an instruction is impossible in lanes.
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
