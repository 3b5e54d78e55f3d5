/// The counter of a timer with its two compare units; all three timers use it.
///
/// It is lazy: `synchronize(to:)` processes all clock edges up to a cycle at once, moving from one
/// match or turn to the next. Flags and outputs change one timer clock after the count has reached
/// the value, as in the data sheet's timing diagrams, so that a fast PWM pulse takes OCR + 1
/// clocks.
struct TimerCounter: Hashable, Sendable, Codable {
  /// What holds the clock.
  struct Hold: OptionSet, Hashable, Sendable, Codable {
    var rawValue: UInt8
    /// TSM in GTCCR, with the prescaler's reset bit.
    static let synchronization = Hold(rawValue: 1)
    /// The timer's bit in PRR.
    static let powerReduction = Hold(rawValue: 2)
    static let sleep = Hold(rawValue: 4)
  }
  /// Bits of TIFRn and TIMSKn.
  enum Flag {
    static let TOV: UInt8 = 1
    static let OCFA: UInt8 = 2
    static let OCFB: UInt8 = 4
    static let ICF: UInt8 = 32
  }

  /// 0xFF or 0xFFFF.
  let maximum: UInt16
  /// As of `lastEdge`.
  private(set) var count: UInt16 = 0
  /// Set at TOP, cleared at BOTTOM.
  private var isDown = false
  /// A write to TCNT suppresses the match at the next clock edge.
  private(set) var isMatchBlocked = false
  /// The cycle of the last clock edge processed.
  private(set) var lastEdge: UInt64
  /// The timer's clock is the CPU's divided by 2^shift; nil if stopped.
  private(set) var shift: UInt8?
  private(set) var holds: Hold = []
  private(set) var mode: WaveformMode
  var A = CompareUnit()
  var B = CompareUnit()
  var ICR: UInt16 = 0
  private(set) var TIFR: UInt8 = 0
  private(set) var TIMSK: UInt8 = 0
  /// The flags that begin a conversion of the ADC.
  var watched: UInt8 = 0

  init(maximum: UInt16, at cycle: UInt64) {
    self.maximum = maximum
    lastEdge = cycle
    mode = maximum == 0xFF ? .eightBit(0) : .sixteenBit(0)
  }

  var isRunning: Bool { shift != nil && holds.isEmpty }
  /// Whether a compare unit drives a pin.
  var drivesPins: Bool { A.action != .none || B.action != .none }
  /// Whether a compare unit has not taken over its last value yet.
  var awaitsUpdate: Bool { A.awaitsUpdate || B.awaitsUpdate }

  /// In a phase correct mode, BOTTOM is the end of a way down however the count got there: the next
  /// clock sets TOV, takes over the buffers and begins the outputs. An Uno does that when TimerOne
  /// starts its timer.
  var isCountingDown: Bool { isDown || (count == 0 && mode.slope == .dual && top > 0) }

  var top: UInt16 {
    switch mode.top {
    case .fixed(let value): value
    case .OCRA: A.OCR
    case .ICR: ICR
    }
  }

  // MARK: Settings. Each requires the timer to be synchronized.

  mutating func set(mode: WaveformMode) {
    self.mode = mode
    if mode.update == .immediate { updateBuffers() }
    if mode.slope != .dual { isDown = false }
  }

  /// The clock continues from the prescaler's current phase.
  mutating func set(shift: UInt8?, at cycle: UInt64, prescaler: Prescaler) {
    self.shift = shift
    resume(at: cycle, prescaler: prescaler)
  }

  /// Resumes after the prescaler was reset or the clock was held.
  mutating func resume(at cycle: UInt64, prescaler: Prescaler) {
    lastEdge = prescaler.lastEdge(before: cycle, shift: shift ?? 0)
  }

  mutating func hold(_ hold: Hold, _ isHeld: Bool, at cycle: UInt64, prescaler: Prescaler) {
    if isHeld { holds.insert(hold) } else { holds.remove(hold) }
    resume(at: cycle, prescaler: prescaler)
  }

  mutating func set(count: UInt16) {
    self.count = count
    isMatchBlocked = true
  }

  mutating func write(OCRA value: UInt16) {
    A.buffer = value
    if mode.update == .immediate { A.update() }
  }

  mutating func write(OCRB value: UInt16) {
    B.buffer = value
    if mode.update == .immediate { B.update() }
  }

  mutating func set(TIMSK: UInt8) { self.TIMSK = TIMSK }

  /// A flag is cleared by writing 1 to TIFRn or by entering the interrupt.
  mutating func clear(flags: UInt8) { TIFR &= ~flags }

  /// The flags at a cycle, whether or not their interrupts are enabled.
  func TIFR(at cycle: UInt64) -> UInt8 {
    var now = self
    now.synchronize(to: cycle)
    return now.TIFR
  }

  /// Captures the count in ICR1.
  mutating func capture() {
    ICR = count
    TIFR |= Flag.ICF
  }

  // MARK: Counting

  /// Processes the clock edges up to and including `cycle`.
  mutating func synchronize(to cycle: UInt64) {
    guard let shift, holds.isEmpty else { return }
    let ticks = (cycle &- lastEdge) >> UInt64(shift)
    guard ticks > 0 else { return }
    lastEdge &+= ticks << UInt64(shift)
    count(ticks)
  }

  /// Counts an edge of an external clock if the clock select bits choose that edge. Returns whether
  /// they do. The count changes at once; the real chip takes 2.5 to 3.5 cycles longer.
  mutating func tick(clockSelect: UInt8, isRising: Bool) -> Bool {
    guard clockSelect & 0b110 == 0b110, isRising == (clockSelect & 1 != 0) else { return false }
    if shift == nil, holds.isEmpty { count(1) }
    return true
  }

  private mutating func count(_ edges: UInt64) {
    var ticks = edges
    var hasTurned = false
    while true {
      let end = legEnd
      let turn = self.ticks(toTurnAt: end)
      let matchA = self.ticks(toMatch: A.OCR, end: end)
      let matchB = self.ticks(toMatch: B.OCR, end: end)
      let next = min(turn, matchA, matchB)
      if next > ticks {
        count = isCountingDown ? count &- UInt16(ticks) : count &+ UInt16(ticks)
        if ticks > 0 { isMatchBlocked = false }
        return
      }
      ticks -= next
      isMatchBlocked = false
      if matchA == next {
        TIFR |= Flag.OCFA
        A.match(isCountingDown: isCountingDown)
      }
      if matchB == next {
        TIFR |= Flag.OCFB
        B.match(isCountingDown: isCountingDown)
      }
      if turn == next {
        let isPeriodDone = self.turn(at: end)
        // Between two turns every flag that can be set has been set, so whole periods change
        // nothing, except that an odd number of them can leave a toggling output inverted.
        if isPeriodDone, hasTurned { ticks %= 2 * periodTicks }
        hasTurned = hasTurned || isPeriodDone
      } else {
        count = isCountingDown ? count &- UInt16(next) : count &+ UInt16(next)
      }
    }
  }

  /// The count at a cycle, if nothing is written until then.
  @inline(__always)
  func count(at cycle: UInt64) -> UInt16 {
    guard let shift, holds.isEmpty else { return count }
    let ticks = (cycle &- lastEdge) >> UInt64(shift)
    if !isCountingDown, UInt64(count) &+ ticks <= UInt64(legEnd) {
      return count &+ UInt16(truncatingIfNeeded: ticks)
    }
    var now = self
    now.synchronize(to: cycle)
    return now.count
  }

  /// Computes the low byte of the count at several cycles, if nothing is written until then.
  func count(
    from first: UInt64, every period: UInt64, samples: Int,
    into values: UnsafeMutablePointer<UInt8>
  ) {
    let last = first + UInt64(samples - 1) * period
    guard let shift, holds.isEmpty, !isCountingDown,
      UInt64(count) &+ (last &- lastEdge) >> UInt64(shift) <= UInt64(legEnd)
    else {
      for sample in 0..<samples {
        let count = count(at: first + UInt64(sample) * period)
        values[sample] = UInt8(truncatingIfNeeded: count)
      }
      return
    }
    // Until this leg ends, the count is linear in the ticks.
    var cycles = UInt32(truncatingIfNeeded: first &- lastEdge)
    let step = UInt32(truncatingIfNeeded: period)
    let clock = UInt32(shift)
    for sample in 0..<samples {
      values[sample] = UInt8(truncatingIfNeeded: UInt32(count) &+ cycles &>> clock)
      cycles &+= step
    }
  }

  /// The length of a period in timer clocks; at least 1.
  var periodTicks: UInt64 {
    mode.slope == .dual ? max(2 * UInt64(top), 2) : UInt64(top) + 1
  }

  /// The cycle of the next clock edge at which an enabled flag is set, an output changes or a
  /// buffer is transferred, or at which the count turns, if that is earlier. The timer must be
  /// synchronized.
  var deadline: UInt64 {
    guard let shift, holds.isEmpty else { return .max }
    let end = legEnd
    let turn = ticks(toTurnAt: end)
    let missing = (TIMSK | watched) & ~TIFR
    var next = UInt64.max
    if missing & Flag.OCFA != 0 || A.showsMatches {
      next = min(turn, ticks(toMatch: A.OCR, end: end))
    }
    if missing & Flag.OCFB != 0 || B.showsMatches {
      next = min(next, turn, ticks(toMatch: B.OCR, end: end))
    }
    if missing & Flag.TOV != 0 || awaitsUpdate
      || (missing & Flag.ICF != 0 && mode.top == .ICR)
    {
      next = min(next, turn)
    }
    return next == .max ? .max : lastEdge &+ next << UInt64(shift)
  }

  /// The count at which this leg ends: 0 on the way down; on the way up TOP, or the maximum if TOP
  /// has been passed or missed.
  private var legEnd: UInt16 {
    if isCountingDown { return 0 }
    let top = top
    return count > top || (count == top && isMatchBlocked && mode.hasVariableTop) ? maximum : top
  }

  private func ticks(toTurnAt end: UInt16) -> UInt64 {
    UInt64(isCountingDown ? count : end &- count) + 1
  }

  /// The number of ticks to the edge after the count equals `OCR` in this leg.
  private func ticks(toMatch OCR: UInt16, end: UInt16) -> UInt64 {
    let isAhead = isCountingDown ? OCR <= count : OCR >= count && OCR <= end
    guard isAhead, !(isMatchBlocked && OCR == count) else { return .max }
    return UInt64(isCountingDown ? count - OCR : OCR - count) + 1
  }

  /// Processes the edge after the end of a leg. Returns whether it begins a period.
  private mutating func turn(at end: UInt16) -> Bool {
    if isCountingDown {
      isDown = false
      count = min(1, top)
      TIFR |= Flag.TOV
      if mode.update == .bottom { updateBuffers() }
      A.begin(isHigh: A.OCR != 0)
      B.begin(isHigh: B.OCR != 0)
      return true
    }
    let isTop = end == top
    if isTop, mode.top == .ICR { TIFR |= Flag.ICF }
    if isTop, mode.slope == .dual {
      isDown = true
      count = end == 0 ? 0 : end - 1
      if mode.update == .top { updateBuffers() }
      // Whatever the buffers contain, the output continues as if it had matched on the way up.
      A.begin(isHigh: A.OCR >= top)
      B.begin(isHigh: B.OCR >= top)
      return false
    }
    count = 0
    // The next edge is that of BOTTOM.
    if mode.slope == .dual { return false }
    // Fast PWM sets TOV at TOP, the other modes at MAX.
    if mode.slope == .single ? isTop : end == maximum { TIFR |= Flag.TOV }
    if mode.update == .bottom { updateBuffers() }
    // A wrap from MAX, past a TOP that was missed, is not the end of a period.
    if mode.slope == .single, isTop {
      A.begin(isHigh: true)
      B.begin(isHigh: true)
    }
    return true
  }

  private mutating func updateBuffers() {
    A.update()
    B.update()
  }
}

/// A timer's output compare unit: OCRnx with its buffer, and the OCnx register that can drive a
/// pin.
struct CompareUnit: Hashable, Sendable, Codable {
  enum Action: UInt8, Hashable, Sendable, Codable {
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
