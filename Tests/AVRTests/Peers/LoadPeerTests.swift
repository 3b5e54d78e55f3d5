import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the instructions that load and store, in `instruction.spec.ts`.
/// Its addresses below 0x100 are 0x100 higher here, in SRAM, and its I/O registers that the
/// ATmega328P does not have are PORTB.
@Suite("avr8js's expectations of loads and stores")
struct LoadPeerTests {
  static let rows = [
    InstructionRow("SBI 0x05, 5", [0x9A2D], from: [0x25: 0x0F], to: [0x25: 0x2F], cycles: 2),
    // avr8js takes one cycle; the ATmega328P takes two (data sheet, "Instruction Set Summary").
    InstructionRow("CBI 0x05, 5", [0x982D], from: [0x25: 0xFF], to: [0x25: 0xDF], cycles: 2),
    InstructionRow("IN R5, 0x0B", [0xB05B], from: [0x2B: 0xAF], to: [5: 0xAF]),
    InstructionRow("OUT 0x3F, R1", [0xBE1F], from: [1: 0x5A], to: [:], 0x5A),
    InstructionRow(
      "PUSH R11", [0x92BF], from: [11: 0x2A], to: [0x1FF: 0x2A], SP: (0x1FF, 0x1FE), cycles: 2),
    InstructionRow(
      "POP R26", [0x91AF], from: [0x200: 0x1A], to: [26: 0x1A], SP: (0x1FF, 0x200), cycles: 2),
    InstructionRow(
      "LD R1, X", [0x901C], from: [26: 0xC0, 27: 1, 0x1C0: 0x15], to: [1: 0x15, 26: 0xC0, 27: 1],
      cycles: 2),
    InstructionRow(
      "LD R17, X+", [0x911D], from: [26: 0xC0, 27: 1, 0x1C0: 0x15],
      to: [17: 0x15, 26: 0xC1, 27: 1], cycles: 2),
    InstructionRow(
      "LD R1, -X", [0x901E], from: [26: 0x99, 27: 1, 0x198: 0x22], to: [1: 0x22, 26: 0x98, 27: 1],
      cycles: 2),
    InstructionRow(
      "LD R8, Y", [0x8088], from: [28: 0xC0, 29: 1, 0x1C0: 0x15], to: [8: 0x15, 28: 0xC0, 29: 1],
      cycles: 2),
    InstructionRow(
      "LD R3, Y+", [0x9039], from: [28: 0xC0, 29: 1, 0x1C0: 0x15], to: [3: 0x15, 28: 0xC1, 29: 1],
      cycles: 2),
    InstructionRow(
      "LD R0, -Y", [0x900A], from: [28: 0x99, 29: 1, 0x198: 0x22], to: [0: 0x22, 28: 0x98, 29: 1],
      cycles: 2),
    InstructionRow(
      "LDD R4, Y+2", [0x804A], from: [28: 0x80, 29: 1, 0x182: 0x33],
      to: [4: 0x33, 28: 0x80, 29: 1], cycles: 2),
    InstructionRow(
      "LD R5, Z", [0x8050], from: [30: 0xCC, 31: 1, 0x1CC: 0xF5], to: [5: 0xF5, 30: 0xCC, 31: 1],
      cycles: 2),
    InstructionRow(
      "LD R7, Z+", [0x9071], from: [30: 0xC0, 31: 1, 0x1C0: 0x25], to: [7: 0x25, 30: 0xC1, 31: 1],
      cycles: 2),
    InstructionRow(
      "LD R0, -Z", [0x9002], from: [30: 0x9F, 31: 1, 0x19E: 0x66], to: [0: 0x66, 30: 0x9E, 31: 1],
      cycles: 2),
    InstructionRow(
      "LDD R15, Z+31", [0x8CF7], from: [30: 0x80, 31: 1, 0x19F: 0x33],
      to: [15: 0x33, 30: 0x80, 31: 1], cycles: 2),
    InstructionRow(
      "LDS R5, 0x150", [0x9050, 0x0150], from: [0x150: 0x7A], to: [5: 0x7A], pc: 2, cycles: 2),
    InstructionRow("LPM", [0x95C8], from: [30: 0x80], to: [0: 0xA0, 30: 0x80], cycles: 3),
    InstructionRow("LPM R2, Z", [0x9024], from: [30: 0x80], to: [2: 0xA0, 30: 0x80], cycles: 3),
    InstructionRow("LPM R1, Z+", [0x9015], from: [30: 0x80], to: [1: 0xA0, 30: 0x81], cycles: 3),
    InstructionRow(
      "ST X, R1", [0x921C], from: [1: 0x5A, 26: 0x9A, 27: 1], to: [0x19A: 0x5A, 26: 0x9A, 27: 1],
      cycles: 2),
    InstructionRow(
      "ST X+, R1", [0x921D], from: [1: 0x5A, 26: 0x9A, 27: 1], to: [0x19A: 0x5A, 26: 0x9B, 27: 1],
      cycles: 2),
    InstructionRow(
      "ST -X, R17", [0x931E], from: [17: 0x88, 26: 0x99, 27: 1],
      to: [0x198: 0x88, 26: 0x98, 27: 1], cycles: 2),
    InstructionRow(
      "ST Y, R2", [0x8228], from: [2: 0x5B, 28: 0x9A, 29: 1], to: [0x19A: 0x5B, 28: 0x9A, 29: 1],
      cycles: 2),
    InstructionRow(
      "ST Y+, R1", [0x9219], from: [1: 0x5A, 28: 0x9A, 29: 1], to: [0x19A: 0x5A, 28: 0x9B, 29: 1],
      cycles: 2),
    InstructionRow(
      "ST -Y, R1", [0x921A], from: [1: 0x5A, 28: 0x9A, 29: 1], to: [0x199: 0x5A, 28: 0x99, 29: 1],
      cycles: 2),
    InstructionRow(
      "STD Y+17, R0", [0x8A09], from: [0: 0xBA, 28: 0x9A, 29: 1],
      to: [0x1AB: 0xBA, 28: 0x9A, 29: 1], cycles: 2),
    InstructionRow(
      "ST Z, R16", [0x8300], from: [16: 0xDF, 30: 0x40, 31: 1], to: [0x140: 0xDF, 30: 0x40, 31: 1],
      cycles: 2),
    InstructionRow(
      "ST Z+, R0", [0x9201], from: [0: 0x55, 30: 0x55, 31: 1], to: [0x155: 0x55, 30: 0x56, 31: 1],
      cycles: 2),
    InstructionRow(
      "ST -Z, R16", [0x9302], from: [16: 0x5A, 30: 0xFF, 31: 1],
      to: [0x1FE: 0x5A, 30: 0xFE, 31: 1], cycles: 2),
    InstructionRow(
      "STD Z+1, R0", [0x8201], from: [0: 0xCC, 30: 0x50, 31: 1],
      to: [0x151: 0xCC, 30: 0x50, 31: 1], cycles: 2),
    InstructionRow(
      "STS 0x151, R31", [0x93F0, 0x0151], from: [31: 0x80], to: [0x151: 0x80], pc: 2, cycles: 2),
  ]

  @Test(arguments: rows)
  func `A load or a store moves what avr8js expects`(_ row: InstructionRow) { row.check() }
}
