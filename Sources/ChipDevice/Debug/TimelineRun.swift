import AVR
import Devices
import Sketches
import Traces

/// What happens to a board from outside: the session's inputs, and what a debugger changed.
struct TimelineScript: Sendable {
  typealias Edit = (cycle: UInt64, change: ChipChange)

  var inputs: [Event] = []
  /// In order of their cycles, each before the instruction that begins there.
  private(set) var edits: [Edit] = []
  /// The number of bytes in them.
  private(set) var editedBytes = 0
  /// How far the session goes.
  var end: Instant

  init(inputs: [Event], end: Instant) {
    self.inputs = inputs
    self.end = end
  }

  /// Adds an edit, and drops those after it.
  mutating func add(_ edit: Edit) {
    removeEdits { $0.cycle > edit.cycle }
    edits.append(edit)
    editedBytes += edit.change.byteCount
  }

  /// Removes what a run that is the first from now on has taken and made.
  mutating func removeBeginning(of run: TimelineRun) {
    inputs.removeFirst(run.inputCount)
    editedBytes -= edits.prefix(run.editCount).reduce(0) { $0 + $1.change.byteCount }
    edits.removeFirst(run.editCount)
  }

  mutating func removeEdits(where isRemoved: (Edit) -> Bool) {
    guard edits.contains(where: isRemoved) else { return }
    edits.removeAll(where: isRemoved)
    editedBytes = edits.reduce(0) { $0 + $1.change.byteCount }
  }
}

extension ChipChange {
  fileprivate var byteCount: Int {
    switch self {
    case .data(_, let bytes), .flash(_, let bytes), .eeprom(_, let bytes): bytes.count
    case .programCounter, .stackPointer, .statusRegister: 2
    }
  }
}

/// A board on its way through a session. It stands between two instructions, and everything that
/// precedes the next one has happened.
struct TimelineRun: Sendable {
  private static let slice = Interval.milliseconds(500)
  /// How far it is run at once at first, and at most: 0.5 s at 16 MHz. In cycles, and so `spacing`.
  static let strideMin: UInt64 = 1 << 6
  private static let strideMax: UInt64 = 1 << 23

  private(set) var device: AVRDevice
  /// The numbers of inputs that the board has taken, and of edits that were made.
  private(set) var inputCount = 0
  private(set) var editCount = 0
  private var recorder = Recorder()

  init(_ device: AVRDevice) {
    self.device = device
    self.device.chip.attachProbe()
  }

  var cycle: UInt64 { device.chip.cycle }
  /// About how much had to be emulated to get here, in cycles. Sleep takes next to nothing.
  var work: UInt64 { device.chip.executedCycles }

  /// How far it is to be run next, after it was run this far with so much work, if about
  /// `Snapshots.spacing` is to be emulated at once.
  static func stride(after stride: UInt64, work: UInt64) -> UInt64 {
    if work > Snapshots.spacing { return max(stride / 4, Snapshots.spacing) }
    return work < Snapshots.spacing / 4 ? min(stride * 4, strideMax) : stride
  }

  /// Whether the session has been run to its end, or cannot run on.
  func isAtEnd(of script: TimelineScript) -> Bool {
    cycle > device.clock.cycle(of: script.end) || device.chip.fault != nil
  }

  /// Executes what begins before a cycle.
  mutating func advance(to cycle: UInt64, _ script: TimelineScript) {
    while true {
      let edit = editCount < script.edits.count ? script.edits[editCount].cycle : .max
      pass(to: min(cycle, edit), script)
      guard edit <= self.cycle else { return }
      _ = device.chip.make(script.edits[editCount].change)
      device.chip.settle()
      editCount += 1
    }
  }

  /// Executes one instruction, enters an interrupt, or lets a cycle of sleep pass.
  mutating func step(_ script: TimelineScript) { advance(to: cycle + 1, script) }

  /// Executes what begins before a cycle, but emulates not much more than `rest` cycles, by which
  /// that is reduced. Returns whether it has got there, or to the end of the session.
  mutating func go(
    to cycle: UInt64, _ script: TimelineScript, _ rest: inout UInt64
  ) -> Bool {
    var stride = Snapshots.spacing
    while self.cycle < cycle, !isAtEnd(of: script) {
      guard rest > 0 else { return false }
      let before = work
      advance(to: min(cycle, self.cycle + stride), script)
      let done = work - min(work, before)
      stride = Self.stride(after: stride, work: done)
      rest -= min(rest, max(done, 1))
    }
    return true
  }

  // MARK: What is recorded, and looked for

  /// Records the calls from now on.
  mutating func recordCalls() {
    device.chip.recordRun(loop: nil, wholly: false)
  }

  mutating func stopRecording() { device.chip.stopRecording() }

  mutating func look(for marks: ProbeMarks, isStart: Bool) {
    device.chip.look(for: marks, isStart: isStart)
  }

  mutating func stopLooking() { device.chip.stopLooking() }
  var found: ChipProbe? { device.chip.found }
  /// The number of interrupts that have not returned.
  var interruptCount: Int { found?.interruptCount ?? 0 }

  // MARK: Memory

  /// The first inputs and edits are no longer in the script.
  mutating func forget(inputs: Int, edits: Int) {
    inputCount -= inputs
    editCount -= edits
  }

  /// The memory that it takes beside another run, in bytes, without that which each one takes.
  func size(beside other: TimelineRun) -> Int {
    MemoryLayout<TimelineRun>.stride + device.onTheWayCount * 16
      + (device.chip.sharesFlash(with: other.device.chip) ? 0 : ATmega328P.flashMemory)
  }

  private mutating func pass(to cycle: UInt64, _ script: TimelineScript) {
    var cycle = cycle
    // An instruction can end later, and then more inputs precede the next one.
    while true {
      advance(to: min(script.end, device.clock.lastInstant(before: cycle)), script)
      guard self.cycle > cycle else { break }
      cycle = self.cycle
    }
    device.chip.settle()
  }

  /// Everything due up to and including an instant, without the debugger's changes.
  mutating func advance(to end: Instant, _ script: TimelineScript) {
    guard end >= .zero else { return }
    while inputCount < script.inputs.count, script.inputs[inputCount].time <= end {
      pass(to: script.inputs[inputCount].time)
      device.take(script.inputs[inputCount], into: &recorder)
      inputCount += 1
    }
    pass(to: end)
  }

  private mutating func pass(to end: Instant) {
    while device.now + Self.slice < end {
      device.advance(to: device.now + Self.slice, into: &recorder)
      recorder.drain()
    }
    if device.now < end || cycle <= device.clock.cycle(of: end) {
      device.advance(to: end, into: &recorder)
    }
    recorder.drain()
  }
}
