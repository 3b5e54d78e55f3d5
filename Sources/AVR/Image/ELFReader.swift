/// Reads a linked program for the ATmega328P from an ELF file. Everything in the file is checked
/// before it is used.
///
/// Names and figures are from the System V ABI, "Object Files", and from avr-gcc's linker scripts.
struct ELFReader {
  static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

  private static let machineAVR: UInt16 = 83
  /// The architecture of the ATmega328P, in the low bits of e_flags.
  private static let architecture: UInt32 = 5
  private static let typeExecutable: UInt16 = 2
  private static let segmentLoad: UInt32 = 1
  /// A typical program has four or five.
  private static let segmentsMax = 64

  let bytes: [UInt8]
  let name: String

  /// Reads the loaded segments at their load addresses (p_paddr): the initial values of variables
  /// follow the code in flash, and the program's start-up code copies them to RAM.
  func readMemories() throws(ImageError) -> ImageMemories {
    try checkHeader()
    let table = Int64(try uint32(at: 28, in: "the header"))
    let entrySize = try uint16(at: 42, in: "the header")
    let count = Int64(try uint16(at: 44, in: "the header"))
    guard count > 0 else {
      throw ImageError(
        .notExecutable, name: name, at: .offset(44), "has nothing to load")
    }
    guard count <= Self.segmentsMax else {
      throw ImageError(
        .tooLarge, name: name, at: .offset(44),
        "has \(count) segments; at most \(Self.segmentsMax) were expected")
    }
    guard entrySize == 32 else {
      throw ImageError(
        .malformed, name: name, at: .offset(42),
        "an entry of the program header table must have 32 bytes, not \(entrySize)")
    }
    var memories = ImageMemories()
    for number in 0..<count {
      let entry = table + number * 32
      let what = "the program header table"
      guard try uint32(at: entry, in: what) == Self.segmentLoad else { continue }
      let offset = Int64(try uint32(at: entry + 4, in: what))
      let address = try uint32(at: entry + 12, in: what)
      let size = Int64(try uint32(at: entry + 16, in: what))
      let sizeInMemory = Int64(try uint32(at: entry + 20, in: what))
      guard size <= sizeInMemory else {
        throw ImageError(
          .malformed, name: name, at: .offset(Int(entry) + 16),
          "segment \(number + 1) is larger in the file (\(size)) than in memory (\(sizeInMemory))")
      }
      try load(offset: offset, size: size, at: address, number: number + 1, into: &memories)
    }
    return memories
  }

  private func load(
    offset: Int64, size: Int64, at first: UInt32, number: Int64,
    into memories: inout ImageMemories
  ) throws(ImageError) {
    try check(offset, size, in: "segment \(number)")
    let offset = Int(offset)
    for index in 0..<Int(size) {
      let (address, isOver) = first.addingReportingOverflow(UInt32(index))
      do throws(ImageMemories.Refusal) {
        guard !isOver else { throw .nowhere }
        try memories.put(bytes[offset + index], at: address, from: UInt32(number))
      } catch {
        throw error.error(
          name: name, at: .offset(offset + index), address: address, part: "segment")
      }
    }
  }

  // MARK: The header

  private func checkHeader() throws(ImageError) {
    try check(0, 20, in: "the header")
    // A file for another machine can have another class and byte order; the machine number is
    // always in the same place.
    let isLittleEndian = bytes[5] == 1
    let low = UInt16(bytes[isLittleEndian ? 18 : 19])
    let machine = UInt16(bytes[isLittleEndian ? 19 : 18]) << 8 | low
    guard machine == Self.machineAVR else {
      throw ImageError(
        .wrongProcessor, name: name,
        "is for \(Self.machineName(machine)) (machine \(machine)), "
          + "this emulates an ATmega328P (AVR, machine 83)")
    }
    guard bytes[4] == 1, isLittleEndian, bytes[6] == 1 else {
      throw ImageError(
        .malformed, name: name, at: .offset(4),
        "an AVR program's file must be 32-bit ELF version 1, low byte first; "
          + "this one has class \(bytes[4]), byte order \(bytes[5]), version \(bytes[6])")
    }
    try check(0, 52, in: "the header")
    let type = try uint16(at: 16, in: "the header")
    guard type == Self.typeExecutable else {
      throw ImageError(
        .notExecutable, name: name,
        type == 1
          ? "is an object file, not a linked program"
          : "is not a linked program (its type is \(type), a program's is 2)")
    }
    let architecture = try uint32(at: 36, in: "the header") & 0x7F
    // 0: the tool that wrote the file did not specify it.
    guard architecture == Self.architecture || architecture == 0 else {
      throw ImageError(
        .wrongProcessor, name: name,
        "is for an AVR of family \(architecture), an ATmega328P is of family 5; "
          + "build it with -mmcu=atmega328p")
    }
  }

  private static func machineName(_ machine: UInt16) -> String {
    switch machine {
    case 3: "an x86"
    case 8: "a MIPS"
    case 40: "an ARM"
    case 62: "an x86-64"
    case 94: "an Xtensa (such as an ESP32)"
    case 105: "an MSP430"
    case 183: "a 64-bit ARM"
    case 185: "an AVR32"
    case 243: "a RISC-V"
    default: "another processor"
    }
  }

  // MARK: Bytes

  func uint16(at offset: Int64, in what: String) throws(ImageError) -> UInt16 {
    try check(offset, 2, in: what)
    let offset = Int(offset)
    return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  func uint32(at offset: Int64, in what: String) throws(ImageError) -> UInt32 {
    let low = try uint16(at: offset, in: what)
    return UInt32(low) | UInt32(try uint16(at: offset + 2, in: what)) << 16
  }

  /// Checks that the file has these bytes. Sums cannot overflow 64 bits, as all values have 32.
  func check(_ offset: Int64, _ count: Int64, in what: String) throws(ImageError) {
    guard offset + count <= bytes.count else {
      throw ImageError(
        .truncated, name: name,
        offset >= bytes.count
          ? "ends at byte \(bytes.count), before \(what) at byte \(offset)"
          : "ends at byte \(bytes.count) inside \(what)")
    }
  }
}
