import Traces

/// Recordings of USB: usbmon's text, pcap and pcapng files of usbmon and USBPcap, and what
/// `tshark -T json` prints of these. Data submitted to a device is sent to the board, and data that
/// a device completes is from the board.
///
/// | `usbmon` | tcpdump, Wireshark, `tshark -T json`, usbmon's text, USBPcap | 1 us or 1 ns | 4 ms;
/// FTDI 16 ms |
struct UsbmonLog: LogReader {
  static let format = LogFormat(
    kind: .usbmon, source: "usbmon", clock: .absolute(isEpoch: true), portNoun: "device",
    slack: 1_000_000)

  /// How long a serial converter keeps bytes: FTDI's latency timer is 16 ms by default, others send
  /// with the next frames.
  private static let latency: Int64 = 16_000_000
  private static let frames: Int64 = 4_000_000

  private(set) var resolution: Int64 = 1_000
  private(set) var notes: [String] = []
  private(set) var clock = format.clock
  private var devices = USBDevices()
  private var record = LogRecord()
  private var isLearning = true

  init(_ options: CaptureOptions) {}

  var ports: [LogPort] { devices.ports }

  var uncertainty: Int64 {
    devices.devices.contains { $0.kind == .ftdi } ? Self.latency : Self.frames
  }

  /// Whether a file is of this kind.
  static func recognize(_ head: CaptureHead) -> Recognition {
    if PacketFile.recognizes(head) {
      return head.bytes.withUnsafeBytes { hasUSB(PacketBytes(bytes: $0)) } ? .certain : .possible
    }
    if TsharkPackets.refusal(head) != nil { return .certain }
    if let recognition = TsharkPackets.recognize(head) { return recognition }
    return head.recognitionByMostLines { line in
      var data: [UInt8] = []
      return UsbmonText.parse(line, into: &data) != nil
    }
  }

  /// Whether a pcap file's header, or the first interface of a pcapng file, has a link type of USB.
  private static func hasUSB(_ bytes: PacketBytes) -> Bool {
    for isBigEndian in [false, true] {
      let ordered = PacketBytes(bytes: bytes.bytes, isBigEndian: isBigEndian)
      if bytes[0] == 0x0a {
        let offset = Int(min(ordered.u32(4), 1 << 16))
        if ordered.u32(offset) == 1, USBPacket.LinkType(UInt32(ordered.u16(offset + 8))) != nil {
          return true
        }
      } else if USBPacket.LinkType(ordered.u32(20)) != nil {
        return true
      }
    }
    return false
  }

  mutating func read(_ files: [CaptureFile], _ give: LogRecord.Take) throws(CaptureError) {
    guard let file = files.first, files.count == 1 else {
      throw CaptureError(.usage, "expected one file, found \(files.count)")
    }
    let head = try CaptureHead(file)
    if let refusal = TsharkPackets.refusal(head) { throw CaptureError(at: .line(1), refusal) }
    let isBinary = PacketFile.recognizes(head)
    let isJSON = TsharkPackets.recognize(head) != nil
    // A device can be plugged in at any time, so the whole file is read to identify the devices.
    for isLearning in [true, false] {
      self.isLearning = isLearning
      if isBinary {
        try readPackets(file, give)
      } else if isJSON {
        try readJSON(file, give)
      } else {
        try readLines(file, give)
      }
      devices.decide()
    }
  }

  // MARK: Packets

  private mutating func readPackets(
    _ file: CaptureFile, _ give: LogRecord.Take
  ) throws(CaptureError) {
    let packets = try PacketFile(file)
    var foreign: UInt32?
    var count = 0
    try packets.read { (packet) throws(CaptureError) in
      guard let type = USBPacket.LinkType(packet.linkType) else {
        foreign = packet.linkType
        return
      }
      guard let (transfer, offset) = USBPacket.parse(packet.bytes, type) else { return }
      count += 1
      resolution = packet.resolution
      var stamped = transfer
      stamped.stamp = packet.stamp
      let data = UnsafeRawBufferPointer(
        rebasing: packet.bytes.bytes[offset...].prefix(Int(transfer.length)))
      try take(stamped, data, at: .byte(packet.offset), give)
    }
    if count == 0, let foreign {
      throw CaptureError(
        "expected packets of USB (link type 189, 220 or 249), found link type \(foreign)")
    }
    if packets.isCut, !isLearning {
      notes.append("The file ends within a packet; that packet was left out.")
    }
  }

  // MARK: Lines

  private mutating func readLines(
    _ file: CaptureFile, _ give: LogRecord.Take
  ) throws(CaptureError) {
    clock = .wrapping(UsbmonText.period)
    var lines = CaptureLines(file)
    var data: [UInt8] = []
    while let line = try lines.next() {
      data.removeAll(keepingCapacity: true)
      guard let transfer = UsbmonText.parse(LineCursor(line), into: &data) else { continue }
      if lines.endsWithoutNewline, Int64(data.count) < transfer.length, transfer.carriesData {
        if !isLearning { notes.append("The log ends within a line; that line was left out.") }
        continue
      }
      try data.withBytes { (bytes) throws(CaptureError) in
        try take(transfer, bytes, at: .line(lines.number), give)
      }
    }
  }

  // MARK: JSON

  private mutating func readJSON(_ file: CaptureFile, _ give: LogRecord.Take) throws(CaptureError) {
    var packets = TsharkPackets(file)
    resolution = 1_000
    var count = 0
    while let packet = try packets.next() {
      guard let transfer = packet.transfer else { continue }
      count += 1
      let place = CaptureError.Place.line(packet.line)
      if isLearning { learn(packet, transfer) }
      try packet.data.withBytes { (bytes) throws(CaptureError) in
        try take(transfer, bytes, isPlain: packet.isStripped, at: place, give)
      }
      resolution = packet.resolution
    }
    guard count > 0 else {
      throw CaptureError(
        at: .line(1), "expected packets of USB, with layers such as \"usb\", found none")
    }
    if packets.isCut, !isLearning {
      notes.append("The file ends within a packet; that packet was left out.")
    }
  }

  private mutating func learn(_ packet: TsharkPackets.Packet, _ transfer: USBTransfer) {
    guard let index = devices.index(bus: transfer.bus, device: transfer.device) else { return }
    if packet.isStripped { devices.learn(vendor: 0x0403, index) }
    if let vendor = packet.vendor { devices.learn(vendor: vendor, index) }
    for interface in packet.interfaceClasses { devices.learn(interfaceClass: interface, index) }
    for (endpoint, length) in packet.packetLengths {
      devices.learn(packetLength: length, endpoint: endpoint, index)
    }
  }

  // MARK: Transfers

  /// Takes a transfer. `isPlain` is whether its data are the line's bytes whatever the device is.
  private mutating func take(
    _ transfer: USBTransfer, _ data: UnsafeRawBufferPointer, isPlain: Bool = false,
    at place: CaptureError.Place, _ give: LogRecord.Take
  ) throws(CaptureError) {
    if isLearning {
      if !isPlain { devices.learn(transfer, data) }
      return
    }
    guard transfer.kind == .bulk, transfer.carriesData, transfer.length > 0,
      let index = devices.index(bus: transfer.bus, device: transfer.device)
    else { return }
    record.bytes.removeAll(keepingCapacity: true)
    if transfer.isIn, !isPlain, devices.devices[index].kind == .ftdi {
      takeWithStatus(data, transfer.length, devices.packetLength(index, transfer.endpoint))
    } else {
      record.bytes += data
      record.missing = max(0, transfer.length - Int64(data.count))
    }
    record.missing = min(record.missing, LogRecord.missingMax)
    guard !record.bytes.isEmpty || record.missing > 0 else { return }
    record.begin(transfer.stamp, transfer.isIn ? .tx : .rx, port: index, at: place)
    record.clock = clock
    try give(record)
  }

  /// Takes an FTDI's data without the two status bytes in front of each packet.
  private mutating func takeWithStatus(
    _ data: UnsafeRawBufferPointer, _ length: Int64, _ packetLength: Int
  ) {
    let packet = Int64(packetLength)
    let packets = (length + packet - 1) / packet
    var start = 0
    while start < data.count {
      let end = min(data.count, start + packetLength)
      if end > start + 2 { record.bytes += data[(start + 2)..<end] }
      start = end
    }
    record.missing = max(0, length - 2 * packets - Int64(record.bytes.count))
  }
}
