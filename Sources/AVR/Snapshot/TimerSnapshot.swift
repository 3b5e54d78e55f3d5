/// The registers of a timer at an instant. Its mode, clock and outputs follow from those.
struct TimerSnapshot: Hashable, Sendable, Saved {
  struct Unit: Hashable, Sendable, Saved {
    var buffer: UInt16 = 0
    var OCR: UInt16 = 0
    var isHigh = false

    init() {}

    init(_ unit: CompareUnit) {
      buffer = unit.buffer
      OCR = unit.OCR
      isHigh = unit.isHigh
    }
  }

  var TCCRA: UInt8 = 0
  var TCCRB: UInt8 = 0
  /// Used by Timer 1 only.
  var TEMP: UInt8 = 0
  var count: UInt16 = 0
  var isCountingDown = false
  var isMatchBlocked = false
  var A = Unit()
  var B = Unit()
  var ICR: UInt16 = 0
  var TIFR: UInt8 = 0
  var TIMSK: UInt8 = 0

  init() {}

  /// Captures a counter at a cycle before which nothing is due.
  init(
    _ counter: TimerCounter, at cycle: UInt64, TCCRA: UInt8, TCCRB: UInt8, TEMP: UInt8 = 0
  ) {
    var now = counter
    now.synchronize(to: cycle)
    self.TCCRA = TCCRA
    self.TCCRB = TCCRB
    self.TEMP = TEMP
    count = now.count
    isCountingDown = now.isCountingDown
    isMatchBlocked = now.isMatchBlocked
    A = Unit(now.A)
    B = Unit(now.B)
    ICR = now.ICR
    TIFR = now.TIFR
    TIMSK = now.TIMSK
  }
}
