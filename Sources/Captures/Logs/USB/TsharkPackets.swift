import Traces

/// The packets that `tshark -T json` prints of a recording of USB: an array of objects, each with
/// the fields of a packet's layers. A transfer's data is in `usb.capdata`, or in a field of the
/// layer that dissected it. With `-x`, the packet's own bytes are there too.
///
/// Source of the format: tshark 4.0, and packet-usb.c of Wireshark.
struct TsharkPackets: ~Copyable {
  struct Packet {
    /// The line of the packet's beginning.
    var line = 0
    /// Nil if the packet is none of USB.
    var transfer: USBTransfer?
    var data: [UInt8] = []
    /// Whether an FTDI's status bytes are left out of the data.
    var isStripped = false
    /// In nanoseconds.
    var resolution: Int64 = 1_000
    /// What the packet shows of the device's descriptors.
    var vendor: UInt16?
    var interfaceClasses: [UInt8] = []
    var packetLengths: [(endpoint: UInt8, length: Int)] = []
  }

  private var json: JSONBytes
  private var hasBegun = false
  /// Whether the file ends within a packet.
  private(set) var isCut = false

  init(_ file: CaptureFile) { json = JSONBytes(file) }

  /// Whether a file is JSON of tshark: certain if a packet at its beginning is one of USB. Nil if
  /// it is something else.
  static func recognize(_ head: CaptureHead) -> Recognition? {
    let start = head.starts(with: "\u{FEFF}") ? 3 : 0
    guard head.bytes.dropFirst(start).first(where: { $0 > 0x20 }) == UInt8(ascii: "["),
      head.includes("\"_source\""), head.includes("\"layers\"")
    else { return nil }
    return head.includes("\"usb.") ? .certain : .possible
  }

  /// Says what is wrong with another of tshark's formats; nil if a file is none of them.
  static func refusal(_ head: CaptureHead) -> String? {
    let name: String
    switch head.bytes.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) {
    case UInt8(ascii: "{"):
      guard head.includes("\"layers\""), head.includes("\"usb") else { return nil }
      name = "-T ek"
    case UInt8(ascii: "["):
      guard head.includes("\"usb"), head.includes("\"frame_raw\""),
        !head.includes("\"frame.time"), head.includes("\"layers\"")
      else { return nil }
      name = "-T jsonraw, which has no times"
    case UInt8(ascii: "<"):
      guard head.includes("<pdml") || head.includes("<psml") else { return nil }
      name = "-T pdml or psml"
    default:
      guard head.recognitionByMostLines(isSummary) == .certain else { return nil }
      name = "without -T, which has no data"
    }
    return "expected what tshark -T json prints, or the capture file itself, found tshark's output "
      + "\(name); use the file, or tshark -r FILE -T json -x"
  }

  /// Whether a line is one of tshark's summary: `  7   1.018 host -> 1.4.2 USB 68 URB_BULK out`.
  private static func isSummary(_ line: LineCursor) -> Bool {
    var cursor = line
    cursor.skipBlanks()
    guard cursor.takeNumber() != nil, cursor.skipBlanks() > 0, cursor.takeNumber() != nil,
      cursor.take(0x2e), cursor.takeFraction() != nil, cursor.skipBlanks() > 0
    else { return false }
    return cursor.rest.includes(" USB ") || cursor.rest.includes(" USBCOM ")
  }

  /// Returns the next packet; nil at the end.
  mutating func next() throws(CaptureError) -> Packet? {
    if !hasBegun {
      hasBegun = true
      try json.expect(UInt8(ascii: "["), "an array of packets, as tshark -T json prints it")
    }
    while true {
      switch try json.nextByte() {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "{"):
        var fields = TsharkFields(line: json.line)
        guard try take(&fields) else {
          isCut = true
          return nil
        }
        return try fields.packet()
      case UInt8(ascii: "]"): return nil
      case nil:
        isCut = true
        return nil
      default: throw json.unexpected("a packet ({), or the end of the array (])")
      }
    }
  }

  /// Takes the rest of an object, and keeps the fields of interest. Returns false at the file's
  /// end.
  private mutating func take(_ fields: inout TsharkFields) throws(CaptureError) -> Bool {
    // Whether each open container is an object, the packet first.
    var isObject = [true]
    var key: [UInt8] = []
    var isKey = true
    // The place of a value in the array that it is an element of.
    var index = 0
    while let isInObject = isObject.last {
      guard let byte = try json.nextByte() else { return false }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard isObject.count < 64 else { throw json.unexpected("at most 64 levels of JSON") }
        isObject.append(byte == UInt8(ascii: "{"))
        isKey = byte == UInt8(ascii: "{")
        index = 0
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard isInObject == (byte == UInt8(ascii: "}")) else {
          throw json.unexpected(isInObject ? "a field, or }" : "a value, or ]")
        }
        isObject.removeLast()
        isKey = false
      case UInt8(ascii: ","):
        isKey = isInObject
        index += 1
      case UInt8(ascii: ":"): isKey = false
      case UInt8(ascii: "\""):
        guard try json.takeString() else { return false }
        if isKey {
          key = json.text
        } else {
          fields.take(key, json.text, at: isInObject ? 0 : index)
        }
      default:
        try json.takeLiteral(byte)
        guard !isKey else { throw json.unexpected("the name of a field in quotes") }
        fields.take(key, json.text, at: isInObject ? 0 : index)
      }
    }
    return true
  }
}

/// The fields of one packet that matter here.
private struct TsharkFields {
  /// The names of fields with a single value.
  private static let names: [StaticString] = [
    "frame.time_epoch", "frame.time_relative", "frame.encap_type", "usb.urb_type",
    "usb.irp_info.direction", "usb.transfer_type", "usb.endpoint_address", "usb.endpoint_number",
    "usb.device_address", "usb.bus_id", "usb.urb_len", "usb.data_len", "usb.src",
    "usb.bmRequestType", "usb.setup.bRequest", "usbcom.control.request_code",
    "ftdi-ft.bRequest", "usb.idVendor", "usb.dst",
  ]

  private var line: Int
  private var values = [[UInt8]?](repeating: nil, count: names.count)
  private var frame: [UInt8] = []
  private var captured: [UInt8] = []
  private var payload: [UInt8] = []
  private var hasPayload = false
  private var isFTDI = false
  private var interfaceClasses: [UInt8] = []
  private var packetLengths: [(endpoint: UInt8, length: Int)] = []
  private var endpoint: UInt8 = 0
  /// The field whose value is not understood.
  private var wrong: String?

  init(line: Int) { self.line = line }

  /// Takes a value, the one at `index` if the field has several.
  mutating func take(_ key: [UInt8], _ value: [UInt8], at index: Int) {
    key.withUnsafeBytes { name in
      if name.starts(with: "ftdi-ft") { isFTDI = true }
      if name.isEqual(to: "frame_raw") {
        if index == 0, !Self.append(value, to: &frame) { wrong = name.name }
      } else if name.isEqual(to: "usb.capdata") {
        if !Self.append(value, to: &captured) { wrong = name.name }
      } else if name.isEqual(to: "data.data") || Self.isPayload(name) {
        hasPayload = true
        if !Self.append(value, to: &payload) { wrong = name.name }
      } else if name.isEqual(to: "usb.bInterfaceClass") {
        if let number = Self.number(value), number < 256 { interfaceClasses.append(UInt8(number)) }
      } else if name.isEqual(to: "usb.bEndpointAddress") {
        endpoint = UInt8(truncatingIfNeeded: Self.number(value) ?? 0)
      } else if name.isEqual(to: "usb.wMaxPacketSize") {
        if let number = Self.number(value), packetLengths.count < 64 {
          packetLengths.append((endpoint, Int(truncatingIfNeeded: number & 0x7ff)))
        }
      } else if let field = Self.names.firstIndex(where: { name.isEqual(to: $0) }) {
        if values[field] == nil { values[field] = value }
      }
    }
  }

  private static func isPayload(_ name: UnsafeRawBufferPointer) -> Bool {
    let ending: StaticString = "payload"
    let length = ending.utf8CodeUnitCount
    return name.count > length && LineCursor(name, at: name.count - length).rest.isEqual(to: ending)
      && !name.isEqual(to: "usbcom.control.payload")
  }

  /// Appends bytes such as `58:39:30:2e` or `5839302e`. Returns whether the value is nothing else.
  private static func append(_ value: [UInt8], to bytes: inout [UInt8]) -> Bool {
    value.withUnsafeBytes { value in
      var cursor = LineCursor(value)
      while let byte = cursor.takeHexByte() {
        bytes.append(byte)
        _ = cursor.take(0x3a)
      }
      return cursor.isAtEnd
    }
  }

  /// Returns the packet. Fails if a field is not understood.
  func packet() throws(CaptureError) -> TsharkPackets.Packet {
    var packet = TsharkPackets.Packet()
    packet.line = line
    if let wrong {
      throw CaptureError(
        at: .line(line),
        "expected the field \(PlainText.quoted(wrong)) of this packet to be bytes such as 58:39:30")
    }
    let (stamp, resolution) = try stamp()
    packet.resolution = resolution
    if let (transfer, offset) = raw() {
      packet.transfer = transfer
      packet.transfer?.stamp = stamp
      packet.data = Array(frame[offset...].prefix(Int(transfer.length)))
      return packet
    }
    guard let kind = number("usb.transfer_type") else { return packet }
    var transfer = USBTransfer()
    transfer.stamp = stamp
    transfer.kind = .init(number: kind)
    let address = number("usb.endpoint_address") ?? number("usb.endpoint_number")
    guard let address, let isSubmission = isSubmission, let (bus, device) = device() else {
      throw CaptureError(
        at: .line(line),
        "expected a packet of USB with its type, endpoint, bus and device, found one without; "
          + "export all fields, without -e")
    }
    transfer.isIn = address & 0x80 != 0
    transfer.endpoint = UInt8(address & 0x0f)
    transfer.isSubmission = isSubmission
    transfer.bus = bus
    transfer.device = device
    packet.data = hasPayload ? payload : captured
    packet.isStripped = isFTDI && transfer.kind == .bulk && captured.isEmpty
    let length = number("usb.urb_len") ?? number("usb.data_len") ?? Int64(packet.data.count)
    // An FTDI's status has two bytes in each packet.
    transfer.length =
      packet.isStripped && transfer.isIn ? Int64(packet.data.count) : min(length, 1 << 30)
    if transfer.kind == .control, isSubmission, let type = number("usb.bmRequestType"),
      let request = number("usb.setup.bRequest") ?? number("usbcom.control.request_code")
        ?? number("ftdi-ft.bRequest")
    {
      transfer.setup = [
        UInt8(truncatingIfNeeded: type), UInt8(truncatingIfNeeded: request), 0, 0, 0, 0, 0, 0,
      ]
    }
    packet.vendor = number("usb.idVendor").map { UInt16(truncatingIfNeeded: $0) }
    packet.interfaceClasses = interfaceClasses
    packet.packetLengths = packetLengths
    packet.transfer = transfer
    return packet
  }

  /// Returns the transfer that the packet's own bytes show, and where its data begins.
  private func raw() -> (USBTransfer, Int)? {
    guard !frame.isEmpty else { return nil }
    // The numbers are Wireshark's, not those of pcap.
    let type: USBPacket.LinkType? =
      switch number("frame.encap_type") {
      case 95: .linux(headerLength: 48)
      case 115: .linux(headerLength: 64)
      case 152: .windows
      default: nil
      }
    guard let type else { return nil }
    return frame.withUnsafeBytes { USBPacket.parse(PacketBytes(bytes: $0), type) }
  }

  /// Returns the time, in nanoseconds since 1970, and its resolution.
  private func stamp() throws(CaptureError) -> (Int64, Int64) {
    guard let text = value("frame.time_epoch") else {
      throw CaptureError(
        at: .line(line),
        "expected a packet with its time, \"frame.time_epoch\", found none; export with tshark "
          + "-T json, with the layer \"frame\"")
    }
    let time = text.withUnsafeBytes { text -> (Int64, Int64)? in
      var cursor = LineCursor(text)
      guard let seconds = cursor.takeNumber(), seconds < 4_000_000_000, cursor.take(0x2e),
        let fraction = cursor.takeFraction(), cursor.isAtEnd
      else { return nil }
      let isMicroseconds = fraction.billionths % 1_000 == 0
      return (seconds * CivilTime.second + fraction.billionths, isMicroseconds ? 1_000 : 1)
    }
    if let time { return time }
    if let time = ISOTime.nanoseconds(text) { return (time, time % 1_000 == 0 ? 1_000 : 1) }
    throw CaptureError(
      at: .line(line),
      "expected \"frame.time_epoch\" of this packet to be seconds such as 1795319280.993398000, "
        + "found \(PlainText.quoted(String(latin1: text.prefix(40))))")
  }

  private var isSubmission: Bool? {
    // `'S'`, or its number.
    if let type = value("usb.urb_type") {
      if let number = Self.number(type) { return number == 0x53 }
      return type.contains(0x53)
    }
    if let direction = number("usb.irp_info.direction") { return direction == 0 }
    return value("usb.src").map { $0.elementsEqual("host".utf8) }
  }

  private func device() -> (bus: Int64, device: Int64)? {
    if let bus = number("usb.bus_id"), let device = number("usb.device_address") {
      return (min(bus, 65_535), min(device, 65_535))
    }
    // `1.4.3` is bus, device and endpoint.
    for name: StaticString in ["usb.src", "usb.dst"] {
      guard let text = value(name) else { continue }
      let address = text.withUnsafeBytes { text -> (Int64, Int64)? in
        var cursor = LineCursor(text)
        guard let bus = cursor.takeNumber(), cursor.take(0x2e), let device = cursor.takeNumber(),
          bus < 65_536, device < 65_536
        else { return nil }
        return (bus, device)
      }
      if let address { return address }
    }
    return nil
  }

  private func value(_ name: StaticString) -> [UInt8]? {
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return Self.names.firstIndex { name.isEqual(to: $0) }.flatMap { values[$0] }
  }

  private func number(_ name: StaticString) -> Int64? { value(name).flatMap { Self.number($0) } }

  /// Parses a whole number that is not negative, decimal or hexadecimal after `0x`.
  private static func number(_ text: [UInt8]) -> Int64? {
    text.withUnsafeBytes { text in
      var cursor = LineCursor(text)
      guard cursor.peek()?.decimalDigit != nil, let number = cursor.takeArgument(), cursor.isAtEnd
      else { return nil }
      return number
    }
  }
}

/// The bytes of a JSON file, with their places.
private struct JSONBytes: ~Copyable {
  private static let pieceLength = 1 << 16
  /// The longest string, in bytes: a packet as hexadecimal numbers.
  private static let textMax = 1 << 22

  private let file: CaptureFile
  private var offset: Int64 = 0
  private var piece: [UInt8] = []
  private var index = 0
  private(set) var line = 1
  private var column = 0
  /// The string or the literal that was taken last.
  private(set) var text: [UInt8] = []

  init(_ file: CaptureFile) { self.file = file }

  private mutating func next() throws(CaptureError) -> UInt8? {
    if index >= piece.count { guard try refill() else { return nil } }
    let byte = piece[index]
    index += 1
    if byte == 0x0a {
      line += 1
      column = 0
    } else {
      column += 1
    }
    return byte
  }

  /// Returns the next byte that is not a space, and not part of a byte order mark; nil at the end.
  mutating func nextByte() throws(CaptureError) -> UInt8? {
    while let byte = try next() {
      if byte > 0x20, ![0xEF, 0xBB, 0xBF].contains(byte) { return byte }
    }
    return nil
  }

  mutating func expect(_ byte: UInt8, _ what: String) throws(CaptureError) {
    guard try nextByte() == byte else { throw unexpected(what) }
  }

  /// Takes the rest of a string. Returns false if the file ends within it. Only the escapes of
  /// quotes and backslashes are replaced; no field that matters has others.
  mutating func takeString() throws(CaptureError) -> Bool {
    text.removeAll(keepingCapacity: true)
    while let byte = try next() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escaped = try next() else { return false }
        text.append(escaped)
      default: text.append(byte)
      }
      guard text.count <= Self.textMax else {
        throw unexpected("a string of at most \(Self.textMax) bytes")
      }
    }
    return false
  }

  /// Takes the rest of a number, `true`, `false` or `null`.
  mutating func takeLiteral(_ first: UInt8) throws(CaptureError) {
    text = [first]
    func isLiteral(_ byte: UInt8) -> Bool {
      byte.decimalDigit != nil || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d
        || byte == 0x2b || byte == 0x2e
    }
    guard isLiteral(first) else { throw unexpected("JSON: a string, a number, { or [") }
    while true {
      if index >= piece.count { guard try refill() else { return } }
      guard isLiteral(piece[index]), text.count < 64 else { return }
      if let byte = try next() { text.append(byte) }
    }
  }

  private mutating func refill() throws(CaptureError) -> Bool {
    piece = try file.bytes(at: offset, count: Self.pieceLength)
    offset += Int64(piece.count)
    index = 0
    return !piece.isEmpty
  }

  func unexpected(_ what: String) -> CaptureError {
    CaptureError(at: .line(line, column: max(1, column)), "expected \(what)")
  }
}
