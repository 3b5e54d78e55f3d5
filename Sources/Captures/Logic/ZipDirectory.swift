import Traces

/// The directory of a zip: where its members are. Reads the fields of a zip and of a zip64 as in
/// PKWARE's APPNOTE, 4.3.
struct ZipDirectory {
  struct Member: Hashable, Sendable {
    var name: String
    /// 0 is stored, 8 is deflated.
    var method: UInt16
    var isEncrypted: Bool
    /// The lengths in the file and before compression, in bytes.
    var compressedLength: Int64
    var length: Int64
    /// The offset of its local header.
    var header: Int64
  }

  /// A directory is held in memory as a whole. A recording of a week has less than this.
  private static let lengthMax: Int64 = 8 << 20

  private(set) var members: [Member] = []

  init(_ file: CaptureFile) throws(CaptureError) {
    let place = try Self.find(in: file)
    guard place.length <= Self.lengthMax, place.offset >= 0, place.length >= 0,
      place.offset <= file.length - place.length
    else {
      throw Self.broken(at: 0, "a directory within the file")
    }
    let bytes = try file.bytes(at: place.offset, count: Int(place.length))
    var offset = 0
    while offset + 46 <= bytes.count, members.count < place.count {
      guard bytes.u32(offset) == 0x0201_4B50 else {
        throw Self.broken(at: place.offset + Int64(offset), "an entry of the directory")
      }
      let nameLength = Int(bytes.u16(offset + 28))
      let extraLength = Int(bytes.u16(offset + 30))
      let next = offset + 46 + nameLength + extraLength + Int(bytes.u16(offset + 32))
      guard next <= bytes.count else {
        throw Self.broken(at: place.offset + Int64(offset), "an entry within the directory")
      }
      let name = bytes[(offset + 46)..<(offset + 46 + nameLength)]
      var member = Member(
        name: String(decoding: name, as: UTF8.self), method: bytes.u16(offset + 10),
        isEncrypted: bytes.u16(offset + 8) & 1 == 1,
        compressedLength: Int64(bytes.u32(offset + 20)), length: Int64(bytes.u32(offset + 24)),
        header: Int64(bytes.u32(offset + 42)))
      Self.widen(
        &member, bytes, (offset + 46 + nameLength)..<(offset + 46 + nameLength + extraLength))
      members.append(member)
      offset = next
    }
  }

  static func data(of member: Member, in file: CaptureFile) throws(CaptureError) -> Int64 {
    let header = try file.bytes(at: member.header, count: 30)
    guard header.count == 30, header.u32(0) == 0x0403_4B50 else {
      throw broken(at: member.header, "the local header of \(PlainText.quoted(member.name))")
    }
    let data = member.header + 30 + Int64(header.u16(26)) + Int64(header.u16(28))
    guard member.compressedLength >= 0, member.length >= 0,
      member.compressedLength <= file.length, data <= file.length - member.compressedLength
    else {
      throw broken(at: member.header, "the bytes of \(PlainText.quoted(member.name)) in the file")
    }
    return data
  }

  private static func broken(at offset: Int64, _ what: String) -> CaptureError {
    CaptureError(
      at: .byte(offset),
      "expected \(what), so the zip is damaged or cut off; copy it again, or record again")
  }

  /// Finds the directory by the record at the end of the file.
  private static func find(
    in file: CaptureFile
  ) throws(CaptureError) -> (offset: Int64, length: Int64, count: Int) {
    // The record has 22 bytes and a comment of at most 65 535.
    let start = max(0, file.length - 65_557)
    let tail = try file.bytes(at: start, count: 65_557)
    var offset = tail.count - 22
    while offset >= 0, tail.u32(offset) != 0x0605_4B50 { offset -= 1 }
    guard offset >= 0 else {
      throw broken(at: file.length, "the zip's central directory at the end of the file")
    }
    let count = Int(tail.u16(offset + 10))
    let length = Int64(tail.u32(offset + 12))
    let place = Int64(tail.u32(offset + 16))
    guard place == 0xFFFF_FFFF || length == 0xFFFF_FFFF || count == 0xFFFF else {
      return (place, length, count)
    }
    // Zip64: the locator before the record has the offset of a record with wider fields.
    guard offset >= 20, tail.u32(offset - 20) == 0x0706_4B50 else { return (place, length, count) }
    let record = Int64(truncatingIfNeeded: tail.u64(offset - 12))
    guard record >= 0 else { throw broken(at: start + Int64(offset), "a zip64 record") }
    let wide = try file.bytes(at: record, count: 56)
    guard wide.count == 56, wide.u32(0) == 0x0606_4B50 else {
      throw broken(at: start + Int64(offset), "a zip64 record")
    }
    return (
      Int64(truncatingIfNeeded: wide.u64(48)), Int64(truncatingIfNeeded: wide.u64(40)),
      Int(truncatingIfNeeded: min(wide.u64(32), 1 << 20))
    )
  }

  /// Reads the wider fields of a zip64 entry.
  private static func widen(_ member: inout Member, _ bytes: [UInt8], _ extra: Range<Int>) {
    var offset = extra.lowerBound
    while offset + 4 <= extra.upperBound {
      let end = offset + 4 + Int(bytes.u16(offset + 2))
      guard end <= extra.upperBound else { return }
      if bytes.u16(offset) == 1 {
        var field = offset + 4
        func take(_ value: inout Int64) {
          guard value == 0xFFFF_FFFF, field + 8 <= end else { return }
          value = Int64(truncatingIfNeeded: bytes.u64(field))
          field += 8
        }
        take(&member.length)
        take(&member.compressedLength)
        take(&member.header)
        if member.header < 0 { member.header = 0 }
      }
      offset = end
    }
  }
}

/// Inflates a member of a zip: reads compressed bytes with the first closure and passes the
/// inflated bytes to the second, a piece at a time. This module has no zlib, so a program or a page
/// supplies one.
package typealias Inflation = (
  _ read: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int,
  _ give: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
) throws(CaptureError) -> Void
