/// Writes a zip without ZIP64: local headers, members and the directory at the end, as PKWARE's
/// APPNOTE.TXT describes them (4.3.7, 4.3.12, 4.3.16). The times are 1 January 1980, so that equal
/// contents give equal files.
struct ZipWriter {
  /// The directory counts its members in 16 bits.
  static let membersMax = 65_535
  /// Sizes and offsets have 32 bits.
  static let lengthMax: Int64 = 0xFFFF_FFFF

  private static let version: UInt16 = 20
  private static let date: UInt16 = 1 << 5 | 1

  private var directory: [UInt8] = []
  private(set) var memberCount = 0
  /// The length of the file so far.
  private(set) var length: Int64 = 0

  /// Appends a member to `file`. Returns false if the zip cannot hold it.
  mutating func append(
    _ name: String, _ bytes: UnsafeRawBufferPointer, _ deflated: Deflated, to file: inout [UInt8]
  ) -> Bool {
    let storedCount = deflated.bytes?.count ?? bytes.count
    // Leaves room for the directory.
    guard memberCount < Self.membersMax,
      length + Int64(storedCount) + Int64(directory.count) + 1_024 < Self.lengthMax
    else { return false }
    var fields: [UInt8] = []
    fields.append(little: Self.version)
    fields.append(little: 0 as UInt16)
    fields.append(little: (deflated.bytes == nil ? 0 : 8) as UInt16)
    fields.append(little: 0 as UInt16)
    fields.append(little: Self.date)
    fields.append(little: deflated.crc32)
    fields.append(little: UInt32(storedCount))
    fields.append(little: UInt32(bytes.count))
    fields.append(little: UInt16(name.utf8.count))
    fields.append(little: 0 as UInt16)

    directory.append(little: 0x0201_4B50 as UInt32)
    directory.append(little: Self.version)
    directory += fields
    // No comment, on disk 0, with no attributes.
    directory += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    directory.append(little: UInt32(length))
    directory += name.utf8

    let start = file.count
    file.append(little: 0x0403_4B50 as UInt32)
    file += fields
    file += name.utf8
    if let deflated = deflated.bytes { file += deflated } else { file += bytes }
    memberCount += 1
    length += Int64(file.count - start)
    return true
  }

  func finish(_ file: inout [UInt8]) {
    file += directory
    file.append(little: 0x0605_4B50 as UInt32)
    file += [0, 0, 0, 0]
    file.append(little: UInt16(memberCount))
    file.append(little: UInt16(memberCount))
    file.append(little: UInt32(directory.count))
    file.append(little: UInt32(length))
    file += [0, 0]
  }
}

extension [UInt8] {
  fileprivate mutating func append<Number: FixedWidthInteger>(little number: Number) {
    var rest = number
    for _ in 0..<Number.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}

/// A member of a zip after compression.
package struct Deflated {
  /// Raw deflate, without a header; nil if that is not shorter or the bytes cannot be compressed,
  /// so that they are stored as they are.
  package var bytes: [UInt8]?
  /// The checksum of the bytes before compression, as zip and zlib define it.
  package var crc32: UInt32

  package init(bytes: [UInt8]?, crc32: UInt32) {
    self.bytes = bytes
    self.crc32 = crc32
  }
}

/// Compresses a member of a zip. This module has no zlib, so a program or a page supplies one.
package typealias Deflation = (_ bytes: UnsafeRawBufferPointer) -> Deflated
