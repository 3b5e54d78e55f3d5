import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the instructions that compute and that jump, in
/// `instruction.spec.ts`. Its addresses below 0x100 and its stack there are in SRAM here.
@Suite("avr8js's expectations of instructions")
struct InstructionPeerTests {
  static let arithmetic = [
    InstructionRow("ADC R0, R1", [0x1C01], from: [0: 0x0A, 1: 0x14], 0x01, to: [0: 0x1F], 0x00),
    InstructionRow("ADC R0, R1", [0x1C01], from: [0: 0x0A, 1: 0xF5], 0x01, to: [0: 0], 0x23),
    InstructionRow("ADD R0, R1", [0x0C01], from: [0: 0x0B, 1: 0xF5], to: [0: 0], 0x23),
    InstructionRow("ADD R0, R1", [0x0C01], from: [0: 0x0B, 1: 0xF4], 0x01, to: [0: 0xFF], 0x14),
    InstructionRow("ADD R0, R1", [0x0C01], from: [0: 0x0B, 1: 0xF5], 0x01, to: [0: 0], 0x23),
    InstructionRow("BCLR 2", [0x94A8], from: [:], 0xFF, to: [:], 0xFB),
    InstructionRow("BLD R4, 7", [0xF847], from: [4: 0x15], 0x40, to: [4: 0x95]),
    InstructionRow("CPC R27, R18", [0x07B2], from: [18: 1, 27: 1], to: [:]),
    InstructionRow("CPC R24, R1", [0x0581], from: [1: 0, 24: 0], 0x81, to: [:], 0xB5),
    InstructionRow("CPI R26, 9", [0x30A9], from: [26: 8], to: [:], 0x35),
    InstructionRow("INC R5", [0x9453], from: [5: 0x7F], to: [5: 0x80], 0x0C),
    InstructionRow("INC R5", [0x9453], from: [5: 0xFF], to: [5: 0], 0x02),
    InstructionRow("LDI R28, 0xFF", [0xEFCF], from: [:], to: [28: 0xFF]),
    InstructionRow("LSR R7", [0x9476], from: [7: 0x45], to: [7: 0x22], 0x19),
    InstructionRow("MOV R7, R8", [0x2C78], from: [8: 0x45], to: [7: 0x45]),
    InstructionRow(
      "MOVW R26, R22", [0x01DB], from: [22: 0x45, 23: 0x9A], to: [26: 0x45, 27: 0x9A]),
    InstructionRow("MUL R5, R6", [0x9C56], from: [5: 0x64, 6: 5], to: [0: 0xF4, 1: 1], cycles: 2),
    InstructionRow(
      "MUL R5, R6", [0x9C56], from: [5: 0xC8, 6: 0xC8], to: [0: 0x40, 1: 0x9C], 0x01, cycles: 2),
    InstructionRow("MUL R0, R1", [0x9C01], from: [0: 0, 1: 9], to: [0: 0, 1: 0], 0x02, cycles: 2),
    InstructionRow(
      "MULS R18, R19", [0x0223], from: [18: 0xFB, 19: 0x64], to: [0: 0x0C, 1: 0xFE], 0x01, cycles: 2
    ),
    InstructionRow(
      "MULSU R16, R17", [0x0301], from: [16: 0xFB, 17: 0xC8], to: [0: 0x18, 1: 0xFC], 0x01,
      cycles: 2),
    // avr8js leaves H clear. A borrow from bit 3 sets it (instruction set manual), as simavr does.
    InstructionRow("NEG R20", [0x9541], from: [20: 0x56], to: [20: 0xAA], 0x35),
    InstructionRow("NOP", [0x0000], from: [:], to: [:]),
    InstructionRow("ROR R0", [0x9407], from: [0: 0x11], to: [0: 8], 0x19),
    InstructionRow("SBC R0, R1", [0x0801], from: [0: 0, 1: 0x0A], 0x01, to: [0: 0xF5], 0x35),
    InstructionRow("SBCI R23, 3", [0x4073], from: [23: 3], 0x81, to: [23: 0xFF], 0xB5),
    // avr8js leaves H clear. A borrow from bit 3 sets it (instruction set manual), as simavr does.
    InstructionRow("SUB R0, R1", [0x1801], from: [0: 0, 1: 0x0A], to: [0: 0xF6], 0x35),
    InstructionRow("SWAP R1", [0x9412], from: [1: 0xA5], to: [1: 0x5A]),
    InstructionRow("WDR", [0x95A8], from: [:], to: [:]),
  ]

  @Test(arguments: arithmetic)
  func `An instruction computes what avr8js expects`(_ row: InstructionRow) { row.check() }

  static let jumps = [
    InstructionRow("BRBC 0, .+8", [0xF420], from: [:], 0x08, to: [:], pc: 5, cycles: 2),
    InstructionRow("BRBC 0, .+8", [0xF420], from: [:], 0x01, to: [:]),
    InstructionRow("BRBS 3, .+92", [0xF173], from: [:], 0x08, to: [:], pc: 0x2F, cycles: 2),
    InstructionRow("BRBS 3, .-4", [0xF3F3], from: [:], 0x08, to: [:], at: 2, pc: 1, cycles: 2),
    InstructionRow("BRBS 3, .-4", [0xF3F3], from: [:], to: [:], at: 2, pc: 3),
    InstructionRow(
      "CALL 0xB8", [0x940E, 0x005C], from: [:], to: [0x196: 2, 0x195: 0], SP: (0x196, 0x194),
      pc: 0x5C, cycles: 4),
    InstructionRow("CPSE R2, R3", [0x1023], from: [2: 0x0A, 3: 0x0B], to: [:]),
    InstructionRow("CPSE R2, R3", [0x1023], from: [2: 0x0A, 3: 0x0A], to: [:], pc: 2, cycles: 2),
    InstructionRow(
      "CPSE R2, R3, then CALL 8", [0x1023, 0x940E, 0x0004], from: [2: 0x0A, 3: 0x0A], to: [:],
      pc: 3, cycles: 3),
    InstructionRow(
      "ICALL", [0x9509], from: [30: 0x20, 31: 0x20], to: [0x180: 1, 0x17F: 0], SP: (0x180, 0x17E),
      pc: 0x2020, cycles: 3),
    InstructionRow("IJMP", [0x9409], from: [30: 0x40, 31: 0x10], to: [:], pc: 0x1040, cycles: 2),
    InstructionRow("JMP 0xB8", [0x940C, 0x005C], from: [:], to: [:], pc: 0x5C, cycles: 3),
    InstructionRow(
      "RCALL .+6", [0xD003], from: [:], to: [0x180: 1, 0x17F: 0], SP: (0x180, 0x17E), pc: 4,
      cycles: 3),
    InstructionRow(
      "RCALL .-4", [0xDFFE], from: [:], to: [0x180: 2, 0x17F: 0], SP: (0x180, 0x17E), at: 1, pc: 0,
      cycles: 3),
    InstructionRow(
      "RET", [0x9508], from: [0x191: 0, 0x192: 0x10], to: [:], SP: (0x190, 0x192), pc: 0x10,
      cycles: 4),
    InstructionRow(
      "RETI", [0x9518], from: [0x1C1: 0, 0x1C2: 0xC8], to: [:], 0x80, SP: (0x1C0, 0x1C2), pc: 0xC8,
      cycles: 4),
    InstructionRow("RJMP .+2", [0xC001], from: [:], to: [:], pc: 2, cycles: 2),
    InstructionRow("SBIS 0x05, 5", [0x9B2D], from: [0x25: 0x0F], to: [:]),
    InstructionRow("SBIS 0x05, 5", [0x9B2D], from: [0x25: 0x2F], to: [:], pc: 2, cycles: 2),
    InstructionRow(
      "SBIS 0x05, 5, then CALL 0xB8", [0x9B2D, 0x940E, 0x005C], from: [0x25: 0x2F], to: [:], pc: 3,
      cycles: 3),
  ]

  @Test(arguments: jumps)
  func `An instruction continues where avr8js expects`(_ row: InstructionRow) { row.check() }

  /// avr8js executes them for other AVRs; the ATmega328P does not have them ("Instruction Set
  /// Summary").
  @Test(arguments: [
    ("EICALL", UInt16(0x9519)), ("EIJMP", 0x9419), ("ELPM", 0x95D8), ("ELPM R5, Z", 0x9056),
    ("ELPM R6, Z+", 0x9067), ("LAC Z, R19", 0x9336), ("LAS Z, R17", 0x9315), ("LAT Z, R0", 0x9207),
    ("XCH Z, R21", 0x9354),
  ])
  func `An instruction of other AVRs is an error`(name: String, word: UInt16) {
    var chip = ATmega328P(flash: [(0, [UInt8(word & 0xFF), UInt8(word >> 8)])])
    chip.run(until: 1)
    #expect(chip.fault?.cause == .reserved(word), "\(name)")
  }
}
