@testable import AVR

/// Timer 0 or Timer 1, stepped one clock at a time without regard for speed: the reference for the
/// lazy timer. It takes the modes from the data sheet's tables for each WGM, not from the product's
/// tables.
struct SteppedTimer {
  var is16Bit: Bool
  var wgm: UInt8
  var comA: UInt8
  var comB: UInt8
  var ocrA: Int
  var ocrB: Int
  var icr: Int
  var bufferA: Int
  var bufferB: Int
  var count = 0
  var isDown = false
  var isBlocked = false
  var flags: UInt8 = 0
  var isAHigh = false
  var isBHigh = false

  private var maximum: Int { is16Bit ? 0xFFFF : 0xFF }
  private var isDual: Bool { is16Bit ? 1...3 ~= wgm || 8...11 ~= wgm : wgm == 1 || wgm == 5 }
  private var isFast: Bool {
    is16Bit ? 5...7 ~= wgm || wgm == 14 || wgm == 15 : wgm == 3 || wgm == 7
  }
  private var isPWM: Bool { isDual || isFast }
  private var isTopICR: Bool { is16Bit && (wgm == 8 || wgm == 10 || wgm == 12 || wgm == 14) }
  private var isTopVariable: Bool {
    is16Bit ? wgm == 4 || wgm >= 8 : wgm == 2 || wgm == 5 || wgm == 7
  }
  private var top: Int {
    if isTopICR { return icr }
    if isTopVariable { return ocrA }
    guard is16Bit, wgm != 0 else { return maximum }
    return (0x100 << Int((wgm & 3) - 1)) - 1
  }
  private var togglesInPWM: Bool {
    is16Bit ? wgm == 9 || wgm == 11 || wgm >= 14 : wgm == 5 || wgm == 7
  }

  mutating func write(ocrA value: Int) {
    bufferA = value
    if !isPWM { ocrA = value }
  }

  mutating func write(ocrB value: Int) {
    bufferB = value
    if !isPWM { ocrB = value }
  }

  mutating func write(count value: Int) {
    count = value
    isBlocked = true
  }

  /// Steps one timer clock.
  mutating func tick() {
    let wasBlocked = isBlocked
    isBlocked = false
    // At BOTTOM, a phase correct mode is at the end of its way down, however it got there.
    if isDual, count == 0, top > 0 { isDown = true }
    let wasDown = isDown
    if count == ocrA, !wasBlocked {
      flags |= 2
      isAHigh = match(comA, isA: true, down: wasDown, isAHigh)
    }
    if count == ocrB, !wasBlocked {
      flags |= 4
      isBHigh = match(comB, isA: false, down: wasDown, isBHigh)
    }
    let isAtTop = count == top && !(wasBlocked && isTopVariable)
    if isDual, isDown {
      if count == 0 {
        isDown = false
        count = top == 0 ? 0 : 1
        flags |= 1
        if is16Bit, wgm == 8 || wgm == 9 { load() }
        isAHigh = settle(comA, nonInverted: ocrA > 0, isAHigh)
        isBHigh = settle(comB, nonInverted: ocrB > 0, isBHigh)
      } else {
        count -= 1
      }
    } else if isAtTop {
      if isTopICR { flags |= 32 }
      if isDual {
        isDown = true
        count = max(count - 1, 0)
        if !(is16Bit && (wgm == 8 || wgm == 9)) { load() }
        isAHigh = settle(comA, nonInverted: ocrA >= top, isAHigh)
        isBHigh = settle(comB, nonInverted: ocrB >= top, isBHigh)
      } else {
        if count == maximum || (isFast && (is16Bit || wgm == 7)) { flags |= 1 }
        count = 0
        if isFast { beginFast() }
      }
    } else if count == maximum {
      count = 0
      // A phase correct mode has yet to leave BOTTOM.
      if !isDual, !isFast || (!is16Bit && wgm == 3) { flags |= 1 }
      // The data sheet has outputs change from TOP to BOTTOM only.
      if isFast { load() }
    } else {
      count += 1
    }
  }

  private mutating func beginFast() {
    load()
    isAHigh = settle(comA, nonInverted: true, isAHigh)
    isBHigh = settle(comB, nonInverted: true, isBHigh)
  }

  private mutating func load() {
    ocrA = bufferA
    ocrB = bufferB
  }

  private func match(_ com: UInt8, isA: Bool, down: Bool, _ level: Bool) -> Bool {
    switch com {
    case 1: !isPWM || (isA && togglesInPWM) ? !level : level
    case 2: down
    case 3: !down
    default: level
    }
  }

  private func settle(_ com: UInt8, nonInverted: Bool, _ level: Bool) -> Bool {
    switch com {
    case 2: nonInverted
    case 3: !nonInverted
    default: level
    }
  }
}
