import TestSupport
import Testing

@testable import AVR

@Suite("Programs in Intel HEX")
struct HexImageTests {
  private func image(_ text: String) throws(ImageError) -> ProgramImage {
    try ProgramImage(contents: Array(text.utf8), name: "a.hex")
  }

  @Test
  func `Adjacent records form one segment in any order`() throws {
    let first = HexBuilder.record(0x10, [3, 4])
    let second = HexBuilder.record(0x0E, [1, 2])
    let image = try image("\(first)\n\(second)\n\(HexBuilder.end)\n")
    #expect(image.segments == [.init(address: 0x0E, bytes: [1, 2, 3, 4])])
    #expect(image.eeprom == nil)
    #expect(image.symbols.isEmpty)
  }

  @Test
  func `A HEX file gives the same program as the ELF file it was made from`() throws {
    let elf = try ProgramImage(contents: ELFBuilder.sample.bytes, name: "a.elf")
    let text = HexBuilder.file(elf.segments.map { ($0.address, $0.bytes) })
    #expect(try image(text).segments == elf.segments)
  }

  @Test(arguments: ["\n", "\r\n", "\r", " \n", "\n\n\t\r\n"])
  func `Any line end, blank lines and lowercase digits are accepted`(lineEnd: String) throws {
    let text = [HexBuilder.record(0x20, [0xAB, 0xCD]).lowercased(), HexBuilder.end, ""]
      .joined(separator: lineEnd)
    #expect(try image(lineEnd + text).segments == [.init(address: 0x20, bytes: [0xAB, 0xCD])])
  }

  /// The vectors of an ATmega328P are 26 JMPs (data sheet, "Interrupt Vectors in ATmega328P").
  @Test(arguments: [1, 25, 26, 27, 42, 44, 100])
  func `A number of vectors that no other part has is accepted`(count: Int) throws {
    #expect(try image(HexBuilder.file([(0, Vectors.jumps(count))])).words[0] == 0x940C)
  }

  @Test(arguments: [
    (Vectors.jumps(43), 43, "ATmega32U4"), (Vectors.jumps(57), 57, "ATmega2560"),
    (Vectors.relaxedJumps(57), 57, "ATmega2560"), (Vectors.jumps(45), 45, "ATmega328PB"),
    (Vectors.relativeJumps(19), 19, "ATmega8"),
    (Vectors.relativeJumps(15), 15, "ATtiny25, ATtiny45 or ATtiny85"),
  ])
  func `A program with another part's number of vectors is refused`(
    bytes: [UInt8], count: Int, part: String
  ) {
    let error = #expect(throws: ImageError.self) { try image(HexBuilder.file([(0, bytes)])) }
    #expect(error?.code == .wrongProcessor)
    #expect(
      error?.message == "has \(count) interrupt vectors, as a program for an \(part) has; "
        + "this emulates an ATmega328P; build it with -mmcu=atmega328p")
  }

  @Test func `A table of jumps to different places does not count as vectors`() throws {
    var bytes = Vectors.jumps(43)
    for vector in 0..<43 { bytes[4 * vector + 2] = UInt8(vector) }
    #expect(try image(HexBuilder.file([(0, bytes)])).words.count == 0x4000)
  }

  @Test
  func `The end record needs no line end`() throws {
    #expect(try image(HexBuilder.record(0, [1]) + "\n" + HexBuilder.end).segments.count == 1)
  }

  @Test
  func `Base addresses apply to the records after them, and start addresses are ignored`() throws {
    let lines = [
      HexBuilder.record(0, [0x01, 0x00], type: 2), HexBuilder.record(0x0002, [7]),
      HexBuilder.record(0, [0x00, 0x81], type: 4), HexBuilder.record(0x0001, [8]),
      HexBuilder.record(0, [0x00, 0x82], type: 4), HexBuilder.record(0x0000, [0xFF]),
      HexBuilder.record(0, [0x00, 0x00], type: 4), HexBuilder.record(0x0000, [9]),
      HexBuilder.record(0, [0, 0, 0x10, 0], type: 3), HexBuilder.record(0, [0, 0, 0, 0], type: 5),
      HexBuilder.end,
    ]
    let image = try image(lines.joined(separator: "\n"))
    #expect(
      image.segments == [.init(address: 0, bytes: [9]), .init(address: 0x1002, bytes: [7])])
    #expect(image.eeprom == [0xFF, 8])
  }

  @Test(arguments: [
    (
      ":0100000005FB", 1, 12, ImageError.Code.checksum,
      "checksum is FB, the record's bytes give FA"
    ),
    (":01000000 5FA", 1, 10, .malformed, "expected a hexadecimal digit, found a space"),
    (":0100000005FAA", 1, 14, .malformed, "expected the end of the line, found 'A'"),
    ("\n:00000006FA", 2, 8, .malformed, "expected a record type 00 to 05, found 06"),
    (":00000002FE", 1, 2, .malformed, "a record of type 02 must have 2 bytes, not 0"),
    (":0100000105F9", 1, 2, .malformed, "a record of type 01 must have 0 bytes, not 1"),
    (":0100000005FA\nX", 2, 1, .malformed, "expected ':', found 'X'"),
    (":0100000005FA\r\n:01", 2, 4, .truncated, "ends in the middle of a record"),
    (
      ":0100000005FA\n", 2, 1, .truncated,
      "ends without an end record (:00000001FF); the rest is missing"
    ),
    (":0100000005FA\n:00", 2, 4, .truncated, "ends in the middle of a record"),
    (":02000000", 1, 10, .truncated, "ends in the middle of a record"),
    (
      ":0100000005FA\n:00000001FF\n:0100010005F9", 3, 1, .malformed,
      "nothing can follow the end record (type 01)"
    ),
    (
      ":0200000005F504\n:0100010006F8\n:00000001FF", 2, 10, .overlap,
      "fills 0x0001, which line 1 has already filled"
    ),
    (
      ":02800000050574\n:027FFF00050576\n:00000001FF", 1, 10, .tooLarge,
      "goes to 0x8000; an ATmega328P's flash of 32 KB ends at 0x7FFF"
    ),
    (
      ":027FFF00050576\n:00000001FF", 1, 12, .tooLarge,
      "goes to 0x8000; an ATmega328P's flash of 32 KB ends at 0x7FFF"
    ),
    (
      ":02000004FFFFFC\n:01FFFF0005FC\n:00000001FF", 2, 10, .malformed,
      "goes to 0xFFFFFFFF, where an AVR program has no memory"
    ),
    (":é", 1, 2, .malformed, "expected a hexadecimal digit, found the byte 0xC3"),
  ])
  func `A malformed file is refused with line and column`(
    text: String, line: Int, column: Int, code: ImageError.Code, message: String
  ) {
    #expect(throws: ImageError(code, name: "a.hex", at: .line(line, column: column), message)) {
      try image(text)
    }
  }

  @Test
  func `An error is formatted like a compiler's`() {
    let error = #expect(throws: ImageError.self) { try image(":0100000005FB") }
    #expect(
      error.map { "\($0)" } == "a.hex:1:12: error: checksum is FB, the record's bytes give FA")
  }

  @Test
  func `A file without a byte for the flash is refused`() {
    let error = #expect(throws: ImageError.self) { try image(HexBuilder.end) }
    #expect(error?.code == .empty)
  }
}
