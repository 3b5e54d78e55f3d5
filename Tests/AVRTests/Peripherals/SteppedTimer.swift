@testable import AVR

/// Timer 0 or Timer 1, a clock at a time and with no regard for speed: what the lazy one is held against.
/// It knows the modes by what the data sheet's tables say of each WGM, not by the product's tables.
struct SteppedTimer {
  var is16Bit: Bool
  var WGM: UInt8
  var COMA: UInt8
  var COMB: UInt8
  var OCRA: Int
  var OCRB: Int
  var ICR: Int
  var bufferA: Int
  var bufferB: Int
  var count = 0
  var isDown = false
  var isBlocked = false
  var flags: UInt8 = 0
  var A = false
  var B = false

  private var maximum: Int { is16Bit ? 0xFFFF : 0xFF }
  private var isDual: Bool { is16Bit ? [1, 2, 3, 8, 9, 10, 11].contains(WGM) : [1, 5].contains(WGM) }
  private var isFast: Bool { is16Bit ? [5, 6, 7, 14, 15].contains(WGM) : [3, 7].contains(WGM) }
  private var isPWM: Bool { isDual || isFast }
  private var isTopVariable: Bool {
    is16Bit ? [4, 8, 9, 10, 11, 12, 14, 15].contains(WGM) : [2, 5, 6, 7].contains(WGM)
  }
  private var isTopICR: Bool { is16Bit && [8, 10, 12, 14].contains(WGM) }
  private var top: Int {
    if isTopICR { return ICR }
    if isTopVariable { return OCRA }
    return is16Bit ? [1: 0xFF, 2: 0x1FF, 3: 0x3FF, 5: 0xFF, 6: 0x1FF, 7: 0x3FF][WGM] ?? 0xFFFF : 0xFF
  }
  private var togglesInPWM: Bool { is16Bit ? [9, 11, 14, 15].contains(WGM) : [5, 7].contains(WGM) }

  mutating func write(OCRA value: Int) {
    bufferA = value
    if !isPWM { OCRA = value }
  }

  mutating func write(OCRB value: Int) {
    bufferB = value
    if !isPWM { OCRB = value }
  }

  mutating func write(TCNT value: Int) {
    count = value
    isBlocked = true
  }

  /// One timer clock.
  mutating func tick() {
    let wasBlocked = isBlocked
    isBlocked = false
    let wasDown = isDown
    if count == OCRA, !wasBlocked {
      flags |= 2
      A = match(COMA, isA: true, down: wasDown, A)
    }
    if count == OCRB, !wasBlocked {
      flags |= 4
      B = match(COMB, isA: false, down: wasDown, B)
    }
    let isAtTop = count == top && !(wasBlocked && isTopVariable)
    if isDual, isDown {
      if count == 0 {
        isDown = false
        count = top == 0 ? 0 : 1
        flags |= 1
        if is16Bit, WGM == 8 || WGM == 9 { load() }
        A = settle(COMA, nonInverted: OCRA > 0, A)
        B = settle(COMB, nonInverted: OCRB > 0, B)
      } else {
        count -= 1
      }
    } else if isAtTop {
      if isTopICR { flags |= 32 }
      if isDual {
        isDown = true
        count = max(count - 1, 0)
        if !(is16Bit && (WGM == 8 || WGM == 9)) { load() }
        A = settle(COMA, nonInverted: OCRA >= top, A)
        B = settle(COMB, nonInverted: OCRB >= top, B)
      } else {
        if count == maximum || (isFast && (is16Bit || WGM == 7)) { flags |= 1 }
        count = 0
        if isFast { beginFast() }
      }
    } else if count == maximum {
      count = 0
      if !isFast || (!is16Bit && WGM == 3) { flags |= 1 }
      if isDual, is16Bit, WGM == 8 || WGM == 9 { load() }
      if isFast { beginFast() }
    } else {
      count += 1
    }
  }

  private mutating func beginFast() {
    load()
    A = settle(COMA, nonInverted: true, A)
    B = settle(COMB, nonInverted: true, B)
  }

  private mutating func load() {
    OCRA = bufferA
    OCRB = bufferB
  }

  private func match(_ COM: UInt8, isA: Bool, down: Bool, _ level: Bool) -> Bool {
    switch COM {
    case 1: !isPWM || (isA && togglesInPWM) ? !level : level
    case 2: down
    case 3: !down
    default: level
    }
  }

  private func settle(_ COM: UInt8, nonInverted: Bool, _ level: Bool) -> Bool {
    switch COM {
    case 2: nonInverted
    case 3: !nonInverted
    default: level
    }
  }
}
