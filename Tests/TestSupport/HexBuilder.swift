/// Writes Intel HEX, record by record.
package enum HexBuilder {
  package static let end = ":00000001FF"

  /// A record with its correct checksum.
  package static func record(_ address: UInt16, _ data: [UInt8], type: UInt8 = 0) -> String {
    let bytes = [UInt8(data.count), UInt8(address >> 8), UInt8(address & 0xFF), type] + data
    return ":" + (bytes + [0 &- bytes.reduce(0, &+)]).map(twoDigits).joined()
  }

  /// Writes 16 bytes a record, as avr-objcopy does.
  package static func file(_ segments: [(address: UInt16, bytes: [UInt8])]) -> String {
    var lines: [String] = []
    for (address, bytes) in segments {
      for start in stride(from: 0, to: bytes.count, by: 16) {
        let part = Array(bytes[start..<min(start + 16, bytes.count)])
        lines.append(record(address + UInt16(start), part))
      }
    }
    return (lines + [end]).joined(separator: "\n") + "\n"
  }

  /// A program that puts 1 on D7 for 4 ms when a byte arrives at 9600 baud.
  package static var pulser: String {
    let words: [UInt16] = [
      0xE607, 0x9300, 0x00C4, 0xE100, 0x9300, 0x00C1, 0x9A57, 0x9100, 0x00C0, 0xFF07, 0xCFFC,
      0x9110, 0x00C6, 0x9A5F, 0xE880, 0xE39E, 0x9701, 0xF7F1, 0x985F, 0xCFF3,
    ]
    return file(words)
  }

  /// A program that sets D7 to the level of D2.
  package static var follower: String {
    // sbi DDRD, 7; sbic PIND, 2; sbi PORTD, 7; sbis PIND, 2; cbi PORTD, 7; rjmp .-10
    file([0x9A57, 0x994A, 0x9A5F, 0x9B4A, 0x985F, 0xCFFB])
  }

  private static func file(_ words: [UInt16]) -> String {
    file([(0, words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })])
  }

  private static func twoDigits(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count < 2 ? "0" + text : text
  }
}
