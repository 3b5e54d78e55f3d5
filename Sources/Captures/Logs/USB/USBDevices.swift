import Sketches

/// What a recording of USB shows about its devices: which are serial ports, and what they put in
/// front of their data.
struct USBDevices {
  struct Device: Hashable {
    enum Kind: Hashable {
      case unknown
      /// Its data are the line's bytes: CDC-ACM, CH340, CP210x, PL2303.
      case plain
      /// FTDI puts two status bytes in front of each packet.
      case ftdi
      /// A disk, or another device that is not a serial port.
      case foreign
    }

    var kind = Kind.unknown
    /// The longest packet of each endpoint from the device; 0 if it is not known.
    var packetLengths = [Int](repeating: 0, count: 16)
    /// How many answers have bytes, and how many of these begin like an FTDI's.
    var answers = 0
    var statusAnswers = 0
    var isFast = false
    /// The request that the device is answering.
    var request: [UInt8] = []
  }

  private static let devicesMax = 1_024

  private(set) var ports: [LogPort] = []
  private(set) var devices: [Device] = []
  private var indices: [Int64: Int] = [:]

  /// Returns a device's index, or nil if there are too many.
  mutating func index(bus: Int64, device: Int64) -> Int? {
    let key = bus << 16 | device
    if let index = indices[key] { return index }
    guard ports.count < Self.devicesMax else { return nil }
    ports.append(LogPort(name: "\(bus):\(device)", alias: "\(bus):\(String(device, digits: 3))"))
    devices.append(Device())
    indices[key] = ports.count - 1
    return ports.count - 1
  }

  mutating func learn(_ transfer: USBTransfer, _ data: UnsafeRawBufferPointer) {
    guard let index = index(bus: transfer.bus, device: transfer.device) else { return }
    switch transfer.kind {
    case .control:
      if transfer.isSubmission {
        devices[index].request = transfer.setup
        learnRequest(index)
      } else if !transfer.setup.isEmpty {
        devices[index].request = transfer.setup
      }
      if transfer.isIn, !transfer.isSubmission { learnDescriptor(index, data) }
    case .bulk:
      guard transfer.isIn, !transfer.isSubmission, !data.isEmpty else { return }
      devices[index].answers += 1
      if data.count >= 2, data[0] & 0x0c == 0, data[0] & 0x03 != 0, data[0] & 0x03 != 3,
        data[1] & 0x80 == 0
      {
        devices[index].statusAnswers += 1
        if data[0] & 0x02 != 0 { devices[index].isFast = true }
      }
    case .other: return
    }
  }

  /// Decides what the devices without a recorded descriptor are, and which ports are serial.
  mutating func decide() {
    for index in devices.indices {
      let device = devices[index]
      if device.kind == .unknown, device.answers >= 3, device.answers == device.statusAnswers {
        devices[index].kind = .ftdi
      }
      let kind = devices[index].kind
      ports[index].isSerial = kind == .plain || kind == .ftdi
      ports[index].isOnRequest = kind == .foreign
    }
  }

  /// Returns the longest packet that a device sends, in bytes: as its descriptor states, or else 64
  /// at full speed and 512 at high speed.
  func packetLength(_ index: Int, _ endpoint: UInt8) -> Int {
    let device = devices[index]
    let stated = device.packetLengths[Int(endpoint & 0x0f)]
    return stated > 2 ? stated : device.isFast ? 512 : 64
  }

  // MARK: Learning

  private mutating func learnRequest(_ index: Int) {
    let request = devices[index].request
    guard request.count >= 2 else { return }
    switch (request[0], request[1]) {
    // CDC: SET_LINE_CODING, SET_CONTROL_LINE_STATE. PL2303 uses the first too.
    case (0x21, 0x20), (0x21, 0x22): become(.plain, index)
    // CH340: write a register, initialize, modem control.
    case (0x40, 0x9a), (0x40, 0xa1), (0x40, 0xa4): become(.plain, index)
    // CP210x: requests to the interface.
    case (0x41, 0x00), (0x41, 0x1e), (0x41, 0x07): become(.plain, index)
    // FTDI: flow control, speed, format, latency timer.
    case (0x40, 0x02), (0x40, 0x03), (0x40, 0x04), (0x40, 0x09): become(.ftdi, index)
    default: return
    }
  }

  /// Learns a device's vendor, as its descriptor states it.
  mutating func learn(vendor: UInt16, _ index: Int) {
    switch vendor {
    case 0x0403: devices[index].kind = .ftdi
    case 0x1a86, 0x10c4, 0x067b: devices[index].kind = .plain
    default: break
    }
  }

  /// Learns the class of one of a device's interfaces.
  mutating func learn(interfaceClass: UInt8, _ index: Int) {
    if interfaceClass == 0x02 || interfaceClass == 0x0a {
      become(.plain, index)
    } else if [0x01, 0x03, 0x06, 0x07, 0x08, 0x09, 0x0e].contains(interfaceClass) {
      become(.foreign, index)
    }
  }

  /// Learns the longest packet of an endpoint, if it is one from the device.
  mutating func learn(packetLength: Int, endpoint: UInt8, _ index: Int) {
    guard endpoint & 0x80 != 0 else { return }
    devices[index].packetLengths[Int(endpoint & 0x0f)] = packetLength & 0x7ff
  }

  private mutating func become(_ kind: Device.Kind, _ index: Int) {
    if devices[index].kind == .unknown { devices[index].kind = kind }
  }

  private mutating func learnDescriptor(_ index: Int, _ data: UnsafeRawBufferPointer) {
    let request = devices[index].request
    guard request.count < 2 || request[0] == 0x80 && request[1] == 0x06 else { return }
    let bytes = PacketBytes(bytes: data)
    if bytes.count >= 12, bytes[0] == 18, bytes[1] == 1 {
      learn(vendor: bytes.u16(8), index)
      return
    }
    guard bytes.count >= 9, bytes[1] == 2 else { return }
    var offset = 0
    while offset + 2 <= bytes.count, bytes[offset] >= 2 {
      switch bytes[offset + 1] {
      case 4: learn(interfaceClass: bytes[offset + 5], index)
      case 5: learn(packetLength: Int(bytes.u16(offset + 4)), endpoint: bytes[offset + 2], index)
      default: break
      }
      offset += Int(bytes[offset])
    }
  }
}
