import AVR
import ChipDevice

/// The chip's registers by GDB's numbers and sizes for the AVR ("maint print raw-registers"). 0 to
/// 31 are R0 to R31.
enum ChipRegister {
  static let status = 32
  static let stack = 33
  /// A byte address, in four bytes.
  static let counter = 34
  static let count = 35

  static func size(_ number: Int) -> Int {
    switch number {
    case stack: 2
    case counter: 4
    default: 1
    }
  }

  /// A register's bytes, the lowest first.
  static func value(_ number: Int, of chip: ATmega328P) -> [UInt8] {
    func bytes(_ word: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
    switch number {
    case status: return [chip.statusRegister]
    case stack: return bytes(chip.stackPointer)
    case counter: return bytes(chip.programCounter) + [0, 0]
    default: return [chip[data: UInt16(number)] ?? 0]
    }
  }
}

/// The chip's memories by avr-gdb's addresses, which are also those of the linker.
enum ChipMemory: Hashable {
  case flash
  case data
  case eeprom

  static let dataStart: UInt32 = 0x80_0000
  static let eepromStart: UInt32 = 0x81_0000
  /// The flash is written in pages of this many bytes (data sheet, "Page Size").
  static let pageSize = 0x80

  /// Returns the memory at an address, the offset in it and how many bytes there are from there on;
  /// nil if there is none.
  static func place(
    of address: UInt32, in part: EmulatedPart
  ) -> (memory: ChipMemory, offset: Int, count: Int)? {
    let (memory, start, size): (ChipMemory, UInt32, Int) =
      if address >= eepromStart {
        (.eeprom, eepromStart, part.eepromSize)
      } else if address >= dataStart {
        (.data, dataStart, Int(part.sramEnd) + 1)
      } else {
        (.flash, 0, part.flashSize)
      }
    let offset = Int(address - start)
    return offset < size ? (memory, offset, size - offset) : nil
  }
}

// Reading has no effect on the chip. What is written as it was is no change.
extension GDBStub {
  private var part: EmulatedPart { timeline.device.program.part }

  // MARK: Registers

  var registers: [UInt8] {
    let chip = timeline.device.chip
    return (0..<ChipRegister.count).flatMap { ChipRegister.value($0, of: chip) }
  }

  mutating func write(registers bytes: [UInt8]?) -> Bool {
    guard let bytes, bytes.count == registers.count else { return false }
    // All or nothing: the counter is the one that can be wrong.
    let counter = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard counter & 1 == 0, counter < part.flashSize else { return false }
    var rest = bytes[...]
    for number in 0..<ChipRegister.count {
      let size = ChipRegister.size(number)
      guard write(number, Array(rest.prefix(size))) else { return false }
      rest = rest.dropFirst(size)
    }
    return true
  }

  mutating func replyRegister(_ cursor: inout PacketCursor) {
    guard let number = cursor.number(), number < ChipRegister.count else { return reply("E01") }
    reply(HexText.bytes(ChipRegister.value(Int(number), of: timeline.device.chip)))
  }

  mutating func writeRegister(_ cursor: inout PacketCursor) -> Bool {
    guard let number = cursor.number(), number < ChipRegister.count, cursor.take("="),
      let bytes = HexText.decode(cursor.rest), bytes.count == ChipRegister.size(Int(number))
    else { return false }
    return write(Int(number), bytes)
  }

  mutating func write(_ number: Int, _ bytes: [UInt8]) -> Bool {
    if bytes == ChipRegister.value(number, of: timeline.device.chip) { return true }
    func word() -> UInt16 { UInt16(bytes[0]) | UInt16(bytes[1]) << 8 }
    switch number {
    case ChipRegister.status: return make(.statusRegister(bytes[0]))
    case ChipRegister.stack: return make(.stackPointer(word()))
    case ChipRegister.counter:
      return bytes[2] == 0 && bytes[3] == 0 && make(.programCounter(word()))
    default: return make(.data(UInt16(number), bytes))
    }
  }

  // MARK: Memory

  /// Returns the bytes from an address on, at most `length`; nil if there are none.
  func memory(at address: UInt32, _ length: Int) -> [UInt8]? {
    guard let (memory, offset, count) = ChipMemory.place(of: address, in: part) else { return nil }
    let range = UInt16(offset)..<UInt16(offset + min(length, count))
    let chip = timeline.device.chip
    return switch memory {
    case .flash: chip.bytes(ofFlash: range)
    case .data: chip.bytes(ofData: range)
    case .eeprom: range.map { chip.eeprom[Int($0)] }
    }
  }

  mutating func replyMemory(_ cursor: inout PacketCursor, inHex: Bool) {
    guard let (address, length) = cursor.range(),
      let bytes = memory(at: address, min(length, PacketReader.packetMax / 2))
    else { return reply("E01") }
    reply(inHex ? HexText.bytes(bytes) : [UInt8(ascii: "b")] + bytes)
  }

  /// `ADDRESS,LENGTH:BYTES`
  mutating func writeMemory(_ cursor: inout PacketCursor, inHex: Bool) -> Bool {
    guard let (address, length) = cursor.range(), cursor.take(":"),
      let bytes = inHex ? HexText.decode(cursor.rest) : Array(cursor.rest), bytes.count == length
    else { return false }
    // With nothing to write, a client asks whether it can.
    return bytes.isEmpty || write(bytes, at: address)
  }

  private mutating func write(_ bytes: [UInt8], at address: UInt32) -> Bool {
    guard let (memory, offset, count) = ChipMemory.place(of: address, in: part),
      bytes.count <= count, let before = self.memory(at: address, bytes.count)
    else { return false }
    if before == bytes { return true }
    switch memory {
    case .flash: return make(.flash(UInt16(offset), bytes))
    case .data: return make(.data(UInt16(offset), bytes))
    case .eeprom: return make(.eeprom(UInt16(offset), bytes))
    }
  }

  // MARK: Programming

  /// What a client loads is put together first, so that the program that is there already changes
  /// nothing.
  private mutating func changeFlash(_ range: Range<Int>, _ bytes: some Sequence<UInt8>) -> Bool {
    guard range.upperBound <= part.flashSize else { return false }
    var flash = newFlash ?? memory(at: 0, part.flashSize) ?? []
    for (place, byte) in zip(range, bytes) { flash[place] = byte }
    newFlash = flash
    return true
  }

  /// `ADDRESS,LENGTH`
  mutating func eraseFlash(_ cursor: inout PacketCursor) -> Bool {
    guard let (address, length) = cursor.range() else { return false }
    return changeFlash(
      Int(address)..<Int(address) + length, repeatElement(0xFF, count: min(length, part.flashSize)))
  }

  /// `ADDRESS:BYTES`
  mutating func writeFlash(_ cursor: inout PacketCursor) -> Bool {
    guard let address = cursor.number(), cursor.take(":") else { return false }
    return changeFlash(Int(address)..<Int(address) + cursor.rest.count, cursor.rest)
  }

  mutating func finishFlash() -> Bool {
    guard let flash = newFlash else { return true }
    newFlash = nil
    return load(flash)
  }

  // MARK: Breakpoints and watchpoints

  /// `Z` and `z`: `TYPE,ADDRESS,KIND`, of which the last is the length for a watchpoint.
  mutating func replyPoint(_ cursor: inout PacketCursor, isSet: Bool) {
    guard let type = cursor.number(), cursor.take(","), let (address, length) = cursor.range()
    else { return reply("E01") }
    let kind: ChipTimeline.Watchpoint.Kind
    switch type {
    case 0, 1:
      guard address < part.flashSize else { return reply("E01") }
      set(UInt16(address), isSet, isHard: type == 1)
      return reply("OK")
    case 2: kind = .write
    case 3: kind = .read
    case 4: kind = .access
    default: return reply("")
    }
    guard length > 0, let (memory, offset, count) = ChipMemory.place(of: address, in: part),
      memory == .data, length <= count
    else { return reply("E01") }
    let range = UInt16(offset)..<UInt16(offset + length)
    let point = ChipTimeline.Watchpoint(kind, range)
    timeline.watchpoints.removeAll { $0 == point }
    if isSet {
      guard timeline.watchpoints.count < Self.watchpointsMax else { return reply("E01") }
      timeline.watchpoints.append(point)
    }
    reply("OK")
  }

  private mutating func set(_ address: UInt16, _ isSet: Bool, isHard: Bool) {
    func change(_ points: inout Set<UInt16>, _ isSet: Bool) {
      if isSet { points.insert(address) } else { points.remove(address) }
    }
    // In place: a client may set thousands.
    if isHard { change(&hardBreaks, isSet) } else { change(&softBreaks, isSet) }
    change(&timeline.breakpoints, softBreaks.contains(address) || hardBreaks.contains(address))
  }
}
