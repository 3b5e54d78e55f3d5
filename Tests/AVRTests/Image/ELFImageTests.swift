import TestSupport
import Testing

@testable import AVR

@Suite("Programs in ELF files")
struct ELFImageTests {
  private func image(_ builder: ELFBuilder) throws(ImageError) -> ProgramImage {
    try ProgramImage(contents: builder.bytes, name: "a.elf")
  }

  private func error(_ contents: [UInt8]) -> ImageError? {
    do {
      _ = try ProgramImage(contents: contents, name: "a.elf")
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `Flash holds the code, followed by the initial values of variables`() throws {
    let image = try image(.sample)
    #expect(
      image.segments == [.init(address: 0, bytes: (0..<0x60).map { UInt8($0) } + [0xC0, 0x05])])
    #expect(image.words.count == 0x4000)
    #expect(image.words[0] == 0x0100)
    #expect(image.words[0x30] == 0x05C0)
    #expect(image.words[0x31] == 0xFFFF)
  }

  @Test
  func `Segments with a gap stay separate, and erased flash fills the rest of a word`() throws {
    let builder = ELFBuilder(segments: [
      .init(address: 0x7E01, bytes: [0xAA]), .init(address: 0x10, bytes: [1, 2, 3]),
    ])
    let image = try image(builder)
    #expect(
      image.segments == [
        .init(address: 0x10, bytes: [1, 2, 3]), .init(address: 0x7E01, bytes: [0xAA]),
      ])
    #expect(image.words[0x3F00] == 0xAAFF)
    #expect(image.words[9] == 0xFF03)
  }

  @Test
  func `The EEPROM has the contents of its segment, or is nil without one`() throws {
    #expect(try image(.sample).eeprom == [1, 2, 3])
    var builder = ELFBuilder.sample
    builder.segments[3] = .init(address: 0x81_0002, bytes: [7])
    #expect(try image(builder).eeprom == [0xFF, 0xFF, 7])
    builder.segments.remove(at: 3)
    #expect(try image(builder).eeprom == nil)
  }

  @Test
  func `A stripped program has no symbols`() throws {
    var builder = ELFBuilder.sample
    builder.hasSections = false
    #expect(try image(builder).symbols.isEmpty)
  }

  @Test
  func `A program can fill the last byte of flash but not go past it`() throws {
    var builder = ELFBuilder(segments: [.init(address: 0x7FFE, bytes: [1, 2])])
    #expect(try image(builder).words[0x3FFF] == 0x0201)
    builder.segments[0].bytes.append(3)
    let error = error(builder.bytes)
    #expect(error?.code == .tooLarge)
    #expect(error?.message == "goes to 0x8000; an ATmega328P's flash of 32 KB ends at 0x7FFF")
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var builder: ELFBuilder
    var code: ImageError.Code
    var message: String
    var testDescription: String { message }

    init(_ code: ImageError.Code, _ message: String, _ change: (inout ELFBuilder) -> Void) {
      builder = .sample
      change(&builder)
      self.code = code
      self.message = message
    }
  }

  @Test(arguments: [
    Wrong(
      .wrongProcessor,
      "is for an ARM (machine 40), this emulates an ATmega328P (AVR, machine 83)"
    ) { $0.machine = 40 },
    Wrong(
      .wrongProcessor,
      "is for another processor (machine 999), this emulates an ATmega328P (AVR, machine 83)"
    ) { $0.machine = 999 },
    Wrong(
      .wrongProcessor,
      "is for an AVR of family 6, an ATmega328P is of family 5; build it with -mmcu=atmega328p"
    ) { $0.flags = 6 },
    Wrong(
      .wrongProcessor,
      "is for an ATmega88, this emulates an ATmega328P; build it with -mmcu=atmega328p"
    ) { $0.part = "atmega88" },
    Wrong(.tooLarge, "fills 16386 bytes of the flash; that of an ATmega168 has 16384") {
      $0.part = "atmega168"
      $0.segments[1].loadAddress = 0x4000
      $0.segments[1].bytes = [1, 2]
    },
    Wrong(
      .wrongProcessor,
      "is for an ATmega32U4, this emulates an ATmega328P; build it with -mmcu=atmega328p"
    ) { $0.part = "atmega32u4" },
    Wrong(
      .wrongProcessor,
      "is for an avr5, this emulates an ATmega328P; build it with -mmcu=atmega328p"
    ) { $0.part = "avr5" },
    Wrong(
      .wrongProcessor,
      "has 43 interrupt vectors, as a program for an ATmega32U4 has; "
        + "this emulates an ATmega328P; build it with -mmcu=atmega328p"
    ) {
      $0.segments[0].bytes = Vectors.jumps(43)
      $0.segments[1].loadAddress = 0x100
    },
    Wrong(.notExecutable, "is an object file, not a linked program") { $0.type = 1 },
    Wrong(.notExecutable, "is not a linked program (its type is 3, a program's is 2)") {
      $0.type = 3
    },
    Wrong(.notExecutable, "has nothing to load") { $0.segments = [] },
    Wrong(.empty, "has nothing for the flash") {
      $0.segments[0].bytes = []
      $0.segments.remove(at: 1)
    },
    Wrong(.malformed, "segment 1 is larger in the file (96) than in memory (95)") {
      $0.segments[0].sizeInMemory = 95
    },
    Wrong(.tooLarge, "has 65 segments; at most 64 were expected") {
      $0.segments = Array(repeating: .init(address: 0, bytes: []), count: 65)
    },
    Wrong(.overlap, "fills 0x005F, which segment 1 has already filled") {
      $0.segments[1].loadAddress = 0x5F
    },
    Wrong(
      .malformed,
      "has contents for RAM (0x800100); the initial values of a program's RAM must be in its flash"
    ) { $0.segments[1].loadAddress = nil },
    Wrong(.tooLarge, "goes to 0x810400; an ATmega328P's EEPROM of 1 KB ends at 0x8103FF") {
      $0.segments[3].address = 0x81_03FE
    },
    Wrong(.malformed, "goes to 0x900000, where an AVR program has no memory") {
      $0.segments[3].address = 0x90_0000
    },
    Wrong(.malformed, "a symbol is in section 77, of 5") { $0.symbols[3].section = 77 },
  ])
  func `A program that cannot run on the chip is refused with the reason`(wrong: Wrong) {
    let error = error(wrong.builder.bytes)
    #expect(error?.code == wrong.code)
    #expect(error?.message == wrong.message)
    #expect(error?.name == "a.elf")
  }

  @Test(arguments: ["atmega328p", "atmega328"])
  func `A program for this chip is accepted by the name in its note`(part: String) throws {
    var builder = ELFBuilder.sample
    builder.part = part
    // The note decides, not what looks like vectors.
    builder.segments[0].bytes = Vectors.jumps(43)
    builder.segments[1].loadAddress = 0x100
    #expect(try image(builder).words[0] == 0x940C)
  }

  @Test func `The section in which a program for simavr describes its chip is skipped`() throws {
    var builder = ELFBuilder.sample
    builder.segments.append(.init(address: 0x91_0000, bytes: [1, 10, 0x61]))
    #expect(try image(builder).segments == image(.sample).segments)
  }

  @Test(arguments: [(UInt8(2), UInt8(1), "x86-64"), (1, 2, "MIPS")])
  func `The error names the processor of a file with another class or byte order`(
    wordSize: UInt8, byteOrder: UInt8, machine: String
  ) {
    var contents = ELFBuilder.sample.bytes
    contents[4] = wordSize
    contents[5] = byteOrder
    contents[18] = byteOrder == 1 ? 62 : 0
    contents[19] = byteOrder == 1 ? 0 : 8
    #expect(error(contents)?.code == .wrongProcessor)
    #expect(error(contents)?.message.contains(machine) == true)
  }

  @Test
  func `A truncated file is refused with the offset at which it ends`() {
    let contents = ELFBuilder.sample.bytes
    for count in 4..<contents.count {
      let error = error(Array(contents[..<count]))
      #expect(error?.code == .truncated, "\(count) bytes")
      #expect(error?.message.hasPrefix("ends at byte \(count)") == true)
    }
    #expect(
      error(Array(contents[..<(contents.count - 1)]))?.message
        == "ends at byte \(contents.count - 1) inside the section table")
  }

  @Test(arguments: ["", "\u{7F}EL", "hello", "\n\n"])
  func `A file that is neither ELF nor Intel HEX is refused`(text: String) {
    #expect(error(Array(text.utf8))?.code == .unknownFormat)
  }

  @Test
  func `A file of more than 16 MB is refused`() {
    let error = error([UInt8](repeating: 0x3A, count: ProgramImage.fileSizeMax + 1))
    #expect(error?.code == .tooLarge)
    #expect(error.map { "\($0)" }?.hasPrefix("a.elf: error: has 16777217 bytes") == true)
  }
}
