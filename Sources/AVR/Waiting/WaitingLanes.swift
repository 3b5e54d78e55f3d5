/// Many iterations of a loop at once, one a lane, when all that tells them apart is the time at
/// which they read a timer.
///
/// Every lane goes the way of the recorded iteration. What a lane starts from is what the lane
/// before it ends with, which is not known at first: so the way is gone twice. The first time all
/// lanes start from the state before the loop, the second time each from its predecessor's result.
/// If the second results equal the first, they are the truth, by induction from the first lane,
/// which started from the real state. A lane that would have left the way, at a branch, ends the
/// run of valid ones.
struct WaitingLanes {
  /// So many rows of what timers read are kept from the first pass for the second.
  private static let readingsMax = 8
  static let memoryBytes = 2 * LaneRows.bytes + readingsMax * LaneRows.lanes

  let loop: PollLoop
  let peripherals: Peripherals
  let data: UnsafeMutablePointer<UInt8>
  let access: UnsafePointer<UInt8>
  let rows: LaneRows
  /// As large as the rows: the results of the first pass.
  private let first: LaneRows
  private let readings: UnsafeMutablePointer<UInt8>
  /// How many lanes are looked at.
  let lanes: Int
  /// When the first lane's iteration begins.
  let start: UInt64
  private let startStack: UInt16

  /// The addresses of the memory that the way has touched; their rows follow each other.
  var cells: [UInt16] = []
  var stack: UInt16
  /// One bit a lane: it has gone the recorded way so far.
  var valid = UInt64.max
  private var isSecondPass = false
  private var readingCount = 0

  /// `memory` has `memoryBytes`.
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

  /// How many iterations are as the recorded one; `finish` takes over what they leave.
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

  /// Where a timer is read: the values in all lanes. The second pass reads what the first did.
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

  /// Takes over the state after so many iterations.
  func finish(_ count: Int, _ core: inout Core) {
    let lane = count - 1
    for register in 0..<32 { data[register] = rows[register][lane] }
    core.sreg = rows[LaneRows.sreg][lane]
    for (index, address) in cells.enumerated() {
      data[Int(address)] = rows[LaneRows.cells + index][lane]
    }
    core.skip(UInt64(count), of: loop)
  }

  /// Goes the way once in all lanes; false where an instruction can't be done in lanes.
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
