import Traces

/// The packets of a pcap or pcapng file, in order.
///
/// Source of the format: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
final class PacketFile {
  typealias Take = (Packet) throws(CaptureError) -> Void

  struct Packet {
    /// Nanoseconds since 1970.
    var stamp: Int64
    /// The resolution of the stamp, in nanoseconds.
    var resolution: Int64
    var linkType: UInt32
    var offset: Int64
    var bytes: PacketBytes
  }

  /// The longest packet, in bytes.
  private static let packetMax: Int64 = 1 << 24
  private static let windowLength = 1 << 18
  private static let interfacesMax = 1_024

  private struct Interface {
    var linkType: UInt32
    /// Ticks a second.
    var ticks: UInt64 = 1_000_000
    var offset: Int64 = 0
  }

  private let file: CaptureFile
  private var isBigEndian = false
  private var isPcapng = false
  private var interfaces: [Interface] = []
  private var position: Int64 = 0
  private var window: [UInt8] = []
  private var windowOffset: Int64 = 0
  /// Whether the file ends within a packet.
  private(set) var isCut = false

  init(_ file: CaptureFile) throws(CaptureError) {
    self.file = file
    try readHeader()
  }

  /// Whether a file begins like pcap or pcapng, with any link type.
  static func recognizes(_ head: CaptureHead) -> Bool {
    let magic = head.bytes.prefix(4)
    return magics.contains { $0.elementsEqual(magic) } || magic.elementsEqual(sectionHeader)
  }

  private static let sectionHeader: [UInt8] = [0x0a, 0x0d, 0x0d, 0x0a]
  /// Microseconds and nanoseconds, in both byte orders.
  private static let magics: [[UInt8]] = [
    [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0xc3, 0xd4], [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
  ]

  /// Passes each packet to `take`, with bytes that are valid during the call.
  func read(_ take: Take) throws(CaptureError) {
    while position < file.length {
      if isPcapng {
        guard try readBlock(take) else { return }
      } else {
        guard try readRecord(take) else { return }
      }
    }
  }

  // MARK: pcap

  private func readHeader() throws(CaptureError) {
    let head = try file.bytes(at: 0, count: 24)
    if head.prefix(4).elementsEqual(Self.sectionHeader) {
      isPcapng = true
      return
    }
    guard head.count == 24, let magic = Self.magics.firstIndex(where: { head.starts(with: $0) })
    else {
      throw CaptureError(at: .byte(0), "expected the header of a pcap or pcapng file")
    }
    isBigEndian = magic % 2 == 1
    head.withUnsafeBytes {
      let bytes = PacketBytes(bytes: $0, isBigEndian: isBigEndian)
      interfaces = [
        Interface(linkType: bytes.u32(20), ticks: magic < 2 ? 1_000_000 : 1_000_000_000)
      ]
    }
    position = 24
  }

  private func readRecord(_ take: Take) throws(CaptureError) -> Bool {
    let offset = position
    var length: Int64 = 0
    var stamp: Int64 = 0
    let interface = interfaces[0]
    let isWhole = try withBytes(at: offset, 16) { (bytes) throws(CaptureError) in
      length = Int64(bytes.u32(8))
      stamp =
        Int64(bytes.u32(0)) * CivilTime.second
        + Int64(bytes.u32(4)) * (CivilTime.second / Int64(interface.ticks))
    }
    guard isWhole else { return false }
    guard length <= Self.packetMax else { throw tooLong(length, at: offset) }
    position += 16 + length
    return try withBytes(at: offset + 16, Int(length)) { (bytes) throws(CaptureError) in
      try take(
        Packet(
          stamp: stamp, resolution: CivilTime.second / Int64(interface.ticks),
          linkType: interface.linkType, offset: offset, bytes: bytes))
    }
  }

  private func tooLong(_ length: Int64, at offset: Int64) -> CaptureError {
    CaptureError(
      at: .byte(offset), "expected a packet of at most \(Self.packetMax) bytes, found \(length)")
  }

  // MARK: pcapng

  private func readBlock(_ take: Take) throws(CaptureError) -> Bool {
    let offset = position
    var type: UInt32 = 0
    var length: Int64 = 0
    var isWhole = try withBytes(at: offset, 12) { (bytes) throws(CaptureError) in
      if bytes.bytes.starts(with: Self.sectionHeader) { try self.setByteOrder(bytes, offset) }
      let ordered = PacketBytes(bytes: bytes.bytes, isBigEndian: self.isBigEndian)
      type = ordered.u32(0)
      length = Int64(ordered.u32(4))
    }
    guard isWhole else { return false }
    guard length >= 12, length % 4 == 0, length <= Self.packetMax + 64 else {
      throw CaptureError(
        at: .byte(offset), "expected a block of a pcapng file, found one of \(length) " + "bytes")
    }
    position += length
    isWhole = try withBytes(at: offset, Int(length)) { (bytes) throws(CaptureError) in
      switch type {
      case 1: try self.addInterface(bytes, offset)
      case 2, 6: try self.takePacket(bytes, isObsolete: type == 2, offset, take)
      case 3:
        throw CaptureError(
          at: .byte(offset),
          "expected packets with times, found a simple packet block, which has none")
      default: break
      }
    }
    return isWhole
  }

  private func setByteOrder(_ bytes: PacketBytes, _ offset: Int64) throws(CaptureError) {
    switch PacketBytes(bytes: bytes.bytes, isBigEndian: true).u32(8) {
    case 0x1a2b_3c4d: isBigEndian = true
    case 0x4d3c_2b1a: isBigEndian = false
    default: throw CaptureError(at: .byte(offset), "expected the byte order of a pcapng section")
    }
    interfaces = []
  }

  /// Adds an interface, with its link type and the unit and origin of its stamps.
  private func addInterface(_ bytes: PacketBytes, _ offset: Int64) throws(CaptureError) {
    guard interfaces.count < Self.interfacesMax else {
      throw CaptureError(at: .byte(offset), "expected at most \(Self.interfacesMax) interfaces")
    }
    var interface = Interface(linkType: UInt32(bytes.u16(8)))
    var position = 16
    while position + 4 <= bytes.count - 4 {
      let code = bytes.u16(position)
      let length = Int(bytes.u16(position + 2))
      if code == 0 { break }
      if code == 9, length >= 1 {
        interface.ticks = Self.ticks(bytes[position + 4])
      } else if code == 14, length == 8 {
        let low = UInt64(bytes.u32(position + (bytes.isBigEndian ? 8 : 4)))
        let high = UInt64(bytes.u32(position + (bytes.isBigEndian ? 4 : 8)))
        interface.offset = Int64(truncatingIfNeeded: high << 32 | low)
      }
      position += 4 + (length + 3) / 4 * 4
    }
    interfaces.append(interface)
  }

  /// Returns the ticks per second: a power of ten, or of two if the highest bit is set. At most
  /// 10^18.
  private static func ticks(_ code: UInt8) -> UInt64 {
    let isBinary = code & 0x80 != 0
    var ticks: UInt64 = 1
    for _ in 0..<min(code & 0x7f, isBinary ? 59 : 18) { ticks *= isBinary ? 2 : 10 }
    return ticks
  }

  private func takePacket(
    _ bytes: PacketBytes, isObsolete: Bool, _ offset: Int64,
    _ take: Take
  ) throws(CaptureError) {
    let index = isObsolete ? Int(bytes.u16(8)) : Int(min(bytes.u32(8), 1 << 20))
    guard interfaces.indices.contains(index) else {
      throw CaptureError(
        at: .byte(offset), "expected one of \(interfaces.count) interfaces, found \(index)")
    }
    let length = Int64(bytes.u32(20))
    guard 28 + length + 4 <= Int64(bytes.count) else { throw tooLong(length, at: offset) }
    let interface = interfaces[index]
    let count = UInt64(bytes.u32(12)) << 32 | UInt64(bytes.u32(16))
    let seconds = Int64(exactly: count / interface.ticks)?
      .addingReportingOverflow(interface.offset)
    guard let seconds, !seconds.overflow, (0..<4_000_000_000).contains(seconds.partialValue) else {
      throw CaptureError(at: .byte(offset), "expected a time between 1970 and 2096")
    }
    let (high, low) = (count % interface.ticks).multipliedFullWidth(by: 1_000_000_000)
    let rest = interface.ticks.dividingFullWidth((high, low)).quotient
    let stamp = seconds.partialValue * CivilTime.second + Int64(rest)
    try take(
      Packet(
        stamp: stamp, resolution: max(1, Int64(1_000_000_000 / interface.ticks)),
        linkType: interface.linkType, offset: offset,
        bytes: PacketBytes(
          bytes: UnsafeRawBufferPointer(rebasing: bytes.bytes[28..<28 + Int(length)]),
          isBigEndian: isBigEndian)))
  }

  // MARK: Bytes

  /// Passes bytes of the file to `take`. Returns false, and marks the file as cut, if the file ends
  /// within them.
  private func withBytes(
    at offset: Int64, _ count: Int, _ take: (PacketBytes) throws(CaptureError) -> Void
  ) throws(CaptureError) -> Bool {
    if offset < windowOffset || offset + Int64(count) > windowOffset + Int64(window.count) {
      window = try file.bytes(at: offset, count: max(count, Self.windowLength))
      windowOffset = offset
    }
    let start = Int(offset - windowOffset)
    guard start + count <= window.count else {
      isCut = true
      return false
    }
    let isBigEndian = isBigEndian
    // The window stays as it is during the call: only the next call can replace it.
    let window = window
    try window.withBytes { (bytes) throws(CaptureError) in
      try take(
        PacketBytes(
          bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]),
          isBigEndian: isBigEndian))
    }
    return true
  }
}

/// Bytes of a packet, and the byte order of their numbers. A byte beyond the end reads as 0.
struct PacketBytes {
  let bytes: UnsafeRawBufferPointer
  var isBigEndian = false

  var count: Int { bytes.count }

  subscript(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < bytes.count ? bytes[offset] : 0
  }

  func u16(_ offset: Int) -> UInt16 { bytes.u16(offset, isBigEndian: isBigEndian) }
  func u32(_ offset: Int) -> UInt32 { bytes.u32(offset, isBigEndian: isBigEndian) }
}
