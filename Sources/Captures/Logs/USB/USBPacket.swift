/// The headers in front of USB packets in pcap and pcapng files.
enum USBPacket {
  /// The kinds of headers, by their numbers at tcpdump.org.
  enum LinkType: Hashable {
    /// 189: 48 bytes. 220: 64 bytes. In the byte order of the computer that recorded.
    case linux(headerLength: Int)
    /// 249: USBPcap on Windows.
    case windows

    init?(_ number: UInt32) {
      switch number & 0xffff {
      case 189: self = .linux(headerLength: 48)
      case 220: self = .linux(headerLength: 64)
      case 249: self = .windows
      default: return nil
      }
    }
  }

  /// Parses a packet. Returns its transfer and where its data begins; nil if it is too short.
  static func parse(
    _ packet: PacketBytes, _ type: LinkType
  ) -> (transfer: USBTransfer, dataOffset: Int)? {
    switch type {
    case .linux(let length): linux(packet, length)
    case .windows: windows(packet)
    }
  }

  private static func linux(_ packet: PacketBytes, _ headerLength: Int) -> (USBTransfer, Int)? {
    guard packet.count >= headerLength else { return nil }
    var transfer = USBTransfer()
    transfer.isSubmission = packet[8] == 0x53
    transfer.kind = .init(number: Int64(packet[9]))
    transfer.isIn = packet[10] & 0x80 != 0
    transfer.endpoint = packet[10] & 0x0f
    transfer.device = Int64(packet[11])
    transfer.bus = Int64(packet.u16(12))
    if packet[14] == 0, transfer.kind == .control { transfer.setup = (40..<48).map { packet[$0] } }
    // For a submission that reads from a device, this is the room for the answer; `carriesData` is
    // then false.
    transfer.length = Int64(packet.u32(32))
    if transfer.length > 1 << 30 { return nil }
    return (transfer, headerLength)
  }

  /// USBPcap's numbers are little-endian, whatever the file's byte order.
  private static func windows(_ packet: PacketBytes) -> (USBTransfer, Int)? {
    let packet = PacketBytes(bytes: packet.bytes)
    let headerLength = Int(packet.u16(0))
    guard packet.count >= 27, (27...256).contains(headerLength), packet.count >= headerLength else {
      return nil
    }
    var transfer = USBTransfer()
    transfer.isSubmission = packet[16] & 1 == 0
    transfer.bus = Int64(packet.u16(17))
    transfer.device = Int64(packet.u16(19))
    transfer.isIn = packet[21] & 0x80 != 0
    transfer.endpoint = packet[21] & 0x0f
    transfer.kind = .init(number: Int64(packet[22]))
    transfer.length = Int64(packet.u32(23))
    if transfer.length > 1 << 30 { return nil }
    var offset = headerLength
    // The first stage of a control transfer has the request in front of its data.
    if transfer.kind == .control, headerLength >= 28, packet[27] == 0,
      packet.count >= headerLength + 8
    {
      transfer.setup = (headerLength..<headerLength + 8).map { packet[$0] }
      offset += 8
      transfer.length = max(0, transfer.length - 8)
    }
    return (transfer, offset)
  }
}

/// One step of a USB transfer, as usbmon or USBPcap shows it.
struct USBTransfer {
  enum Kind: Hashable {
    case control, bulk, other

    /// The numbers are the same in the headers of Linux and of USBPcap, and in Wireshark.
    init(number: Int64) { self = number == 2 ? .control : number == 3 ? .bulk : .other }
  }

  /// Nanoseconds on the recording's clock.
  var stamp: Int64 = 0
  var bus: Int64 = 0
  var device: Int64 = 0
  /// The endpoint's number, without its direction.
  var endpoint: UInt8 = 0
  var isIn = false
  var kind = Kind.other
  /// Whether the computer submits the transfer to the controller; if not, the controller completes
  /// it.
  var isSubmission = false
  /// The bytes of a control transfer's request, if it has one.
  var setup: [UInt8] = []
  /// How many bytes the transfer has. The recording can show fewer.
  var length: Int64 = 0

  /// Whether the step carries data: to a device on submission, from a device on completion.
  var carriesData: Bool { isIn != isSubmission }
}
