/// The memories that a firmware file can fill, by address as in avr-gcc's linker scripts: flash
/// from 0, RAM from 0x800000, EEPROM from 0x810000, then fuses, lock bits and signatures.
struct ImageMemories {
  /// Why a byte cannot be stored.
  enum Refusal: Error, Hashable {
    case beyondFlash
    case beyondEEPROM
    /// Only the program itself can fill the RAM.
    case ram
    case nowhere
    /// This part of the file has already filled the address.
    case filled(by: UInt32)
  }

  static let ram: Range<UInt32> = 0x80_0000..<0x81_0000
  static let eeprom: Range<UInt32> = 0x81_0000..<0x82_0000
  /// Fuses, lock bits and signatures: set by the programmer, not used by the program, so ignored.
  private static let settings: Range<UInt32> = 0x82_0000..<0x86_0000
  /// The section .mmcu, in which a program for simavr describes its chip; ignored.
  private static let mmcu: Range<UInt32> = 0x91_0000..<0x92_0000

  private(set) var flash = ImageMemory(size: ProgramImage.flashSize)
  private(set) var eeprom = ImageMemory(size: ProgramImage.eepromSize)

  /// - Parameter part: the number of the file's part, from 1.
  mutating func put(_ byte: UInt8, at address: UInt32, from part: UInt32) throws(Refusal) {
    switch address {
    case ..<Self.ram.lowerBound:
      guard address < flash.size else { throw .beyondFlash }
      if let earlier = flash.part(at: Int(address)) { throw .filled(by: earlier) }
      flash.put(byte, at: Int(address), from: part)
    case Self.ram: throw .ram
    case Self.eeprom:
      let offset = Int(address - Self.eeprom.lowerBound)
      guard offset < eeprom.size else { throw .beyondEEPROM }
      if let earlier = eeprom.part(at: offset) { throw .filled(by: earlier) }
      eeprom.put(byte, at: offset, from: part)
    case Self.settings, Self.mmcu: return
    default: throw .nowhere
    }
  }
}

extension ImageMemories.Refusal {
  /// - Parameter part: the term for a part of the file, "line" or "segment".
  func error(name: String, at place: ImageError.Place, address: UInt32, part: String) -> ImageError
  {
    let at = Hex.address(address)
    return switch self {
    case .beyondFlash:
      ImageError(
        .tooLarge, name: name, at: place,
        "goes to \(at); an ATmega328P's flash of 32 KB ends at 0x7FFF")
    case .beyondEEPROM:
      ImageError(
        .tooLarge, name: name, at: place,
        "goes to \(at); an ATmega328P's EEPROM of 1 KB ends at 0x8103FF")
    case .ram:
      ImageError(
        .malformed, name: name, at: place,
        "has contents for RAM (\(at)); the initial values of a program's RAM must be in its flash")
    case .nowhere:
      ImageError(
        .malformed, name: name, at: place, "goes to \(at), where an AVR program has no memory")
    case .filled(let earlier):
      ImageError(
        .overlap, name: name, at: place, "fills \(at), which \(part) \(earlier) has already filled")
    }
  }
}

/// A memory of the chip while it is being filled from a file.
struct ImageMemory {
  private var bytes: [UInt8]
  /// The number of the file's part that filled each byte; 0 if none has.
  private var parts: [UInt32]

  /// - Parameter size: in bytes, at most 64 KB.
  init(size: Int) {
    bytes = [UInt8](repeating: 0xFF, count: size)
    parts = [UInt32](repeating: 0, count: size)
  }

  var size: Int { bytes.count }

  /// The part of the file that has already filled this address, if any.
  func part(at address: Int) -> UInt32? { parts[address] == 0 ? nil : parts[address] }

  /// - Parameter part: the number of the file's part, from 1.
  mutating func put(_ byte: UInt8, at address: Int, from part: UInt32) {
    bytes[address] = byte
    parts[address] = part
  }

  /// The filled bytes in order. Adjacent bytes form one segment, even if they came in several
  /// parts.
  var segments: [ProgramImage.Segment] {
    var segments: [ProgramImage.Segment] = []
    var address = 0
    while address < size {
      let start = address
      while address < size, parts[address] != 0 { address += 1 }
      if address > start {
        segments.append(
          ProgramImage.Segment(address: UInt16(start), bytes: Array(bytes[start..<address])))
      }
      address += 1
    }
    return segments
  }

  /// The bytes from address 0 to the last one filled; nil if none was.
  var prefix: [UInt8]? {
    parts.lastIndex { $0 != 0 }.map { Array(bytes[...$0]) }
  }
}
