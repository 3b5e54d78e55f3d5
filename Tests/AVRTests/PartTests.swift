import TestSupport
import Testing

@testable import AVR

@Suite struct PartTests {
  /// A chip of the given part, with a program.
  private static func chip(_ source: String, _ part: EmulatedPart) throws -> ATmega328P {
    let words = try Assembler(source).words
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return ATmega328P(flash: [(0, bytes)], part: part)
  }

  /// The signatures are those of the data sheets, "Signature Bytes".
  @Test(
    arguments: [
      (.atmega328p, [0x1E, 0x95, 0x0F]), (.atmega328, [0x1E, 0x95, 0x14]),
      (.atmega168p, [0x1E, 0x94, 0x0B]), (.atmega168, [0x1E, 0x94, 0x06]),
    ] as [(EmulatedPart, [UInt8])])
  func `A program reads the signature of the part`(
    _ part: EmulatedPart, _ signature: [UInt8]
  ) throws {
    var chip = try Self.chip(
      """
      r31=0; r30=0; SPMCSR=0x21; lpm; mov r20, r0; r30=2; SPMCSR=0x21; lpm; mov r21, r0
      r30=4; SPMCSR=0x21; lpm; mov r22, r0
      """, part)
    chip.run(until: 100)
    #expect((20...22).map { chip[data: $0] ?? 0 } == signature)
  }

  @Test(arguments: [(.atmega328p, 0x8FF), (.atmega168, 0x4FF)] as [(EmulatedPart, UInt16)])
  func `The stack begins at the end of the SRAM`(_ part: EmulatedPart, _ end: UInt16) throws {
    #expect(try Self.chip("nop", part).stackPointer == end)
  }

  @Test func `A store past the SRAM of an ATmega168 is a fault`() throws {
    var small = try Self.chip("r16=7; sts 0x4FF, r16; sts 0x500, r16", .atmega168)
    small.run(until: 100)
    #expect(small[data: 0x4FF] == 7)
    #expect(small.fault?.cause == .data(0x500))
    var large = try Self.chip("r16=7; sts 0x500, r16", .atmega328p)
    large.run(until: 100)
    #expect(large.fault == nil)
  }

  @Test func `The stack of a program for an ATmega328P has no SRAM in an ATmega168`() throws {
    let source = "SPH=0x08; SPL=0xFF; rcall end"
    var chip = try Self.chip(source, .atmega168)
    chip.run(until: 100)
    #expect(chip.fault?.cause == .stack(0xFF))
  }

  @Test(
    arguments: [
      (0x3F00, .atmega168, nil),
      (0x4000, .atmega168, "fills 16386 bytes of the flash; that of an ATmega168 has 16384"),
      (0x4000, .atmega328, nil),
    ] as [(UInt16, EmulatedPart, String?)])
  func `A program that is too large is refused with the figures`(
    _ address: UInt16, _ part: EmulatedPart, _ message: String?
  ) throws {
    let image = try ProgramImage(
      contents: Array(HexBuilder.file([(address, [0, 0])]).utf8), name: "a.hex")
    var found: String?
    do { try image.check(for: part, name: "a.hex") } catch { found = error.message }
    #expect(found == message)
  }

  @Test(
    arguments: [
      ("atmega168", .atmega168p, nil), ("atmega328p", .atmega328, nil),
      (
        "atmega328p", .atmega168,
        "is for an ATmega328P, not for an ATmega168; build it with -mmcu=atmega168"
      ),
    ] as [(String, EmulatedPart, String?)])
  func `A program for a part with other memories is refused`(
    _ name: String, _ part: EmulatedPart, _ message: String?
  ) throws {
    var builder = ELFBuilder(segments: [.init(address: 0, bytes: [0, 0])], codeSize: 2)
    builder.part = name
    let image = try ProgramImage(contents: builder.bytes, name: "a.elf")
    #expect(image.part?.rawValue == name)
    var found: String?
    do { try image.check(for: part, name: "a.elf") } catch { found = error.message }
    #expect(found == message)
  }

  @Test(
    arguments: [
      (16_000_000, "16 MHz"), (7_372_800, "7.3728 MHz"), (1_000_000, "1 MHz"),
      (18_000_001, "18.000001 MHz"),
    ] as [(UInt32, String)])
  func `A frequency is written without trailing zeros`(_ hertz: UInt32, _ name: String) {
    #expect(ClockRate(hertz: hertz)?.name == name)
  }
}
