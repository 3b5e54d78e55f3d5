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

  private static func twoDigits(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count < 2 ? "0" + text : text
  }
}
