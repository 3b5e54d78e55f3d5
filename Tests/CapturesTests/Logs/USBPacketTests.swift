import Captures
import Sketches
import Testing
import Traces

/// USB recordings in pcap and pcapng, with the headers of Linux and of Windows.
@Suite struct USBPacketTests {
  /// Numbers in either byte order.
  struct Writer {
    var isBigEndian = false
    var bytes: [UInt8] = []

    mutating func put(_ value: UInt64, _ length: Int) {
      let little = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
      bytes += isBigEndian ? little.reversed() : little
    }
  }

  /// One step of a transfer: `S` or `C`, an endpoint, and its data.
  struct Step: Sendable {
    var step: Character
    var endpoint: UInt8
    var data: [UInt8]
    var microseconds: UInt64
    var kind: UInt8 = 3
    var setup: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
  }

  static let steps = [
    Step(step: "S", endpoint: 0x02, data: Array("X90.".utf8), microseconds: 0),
    Step(step: "C", endpoint: 0x02, data: [], microseconds: 1_000),
    Step(step: "S", endpoint: 0x81, data: [], microseconds: 1_500),
    Step(step: "C", endpoint: 0x81, data: Array("ok".utf8), microseconds: 100_000),
  ]
  static let lines = ["0 rx X90.", "0.097916668 tx o", "0.098958334 tx k"]

  static func packet(_ step: Step, _ linkType: UInt32, isBigEndian: Bool) -> [UInt8] {
    var writer = Writer(isBigEndian: isBigEndian)
    if linkType == 249 {
      writer.isBigEndian = false
      let isControl = step.kind == 2
      writer.put(isControl ? 28 : 27, 2)
      writer.put(7, 8)
      writer.put(0, 4)
      writer.put(9, 2)
      writer.put(step.step == "S" ? 0 : 1, 1)
      writer.put(1, 2)
      writer.put(4, 2)
      writer.put(UInt64(step.endpoint), 1)
      writer.put(UInt64(step.kind), 1)
      let setup = isControl && step.step == "S" ? step.setup : []
      writer.put(UInt64(step.data.count + setup.count), 4)
      if isControl { writer.put(step.step == "S" ? 0 : 1, 1) }
      return writer.bytes + setup + step.data
    }
    writer.put(7, 8)
    writer.bytes += [step.step == "S" ? 0x53 : 0x43, step.kind, step.endpoint, 4]
    writer.put(1, 2)
    writer.bytes += [step.kind == 2 && step.step == "S" ? 0 : 0x2d, step.data.isEmpty ? 0x3c : 0]
    writer.put(0, 8)
    writer.put(0, 4)
    writer.put(0, 4)
    writer.put(UInt64(step.data.count), 4)
    writer.put(UInt64(step.data.count), 4)
    writer.bytes += step.setup
    if linkType == 220 { writer.put(0, 16) }
    return writer.bytes + step.data
  }

  static func pcap(
    _ linkType: UInt32, of steps: [Step] = steps, isBigEndian: Bool = false, isNano: Bool = false
  ) -> [UInt8] {
    var writer = Writer(isBigEndian: isBigEndian)
    writer.put(isNano ? 0xa1b2_3c4d : 0xa1b2_c3d4, 4)
    writer.put(2, 2)
    writer.put(4, 2)
    writer.put(0, 8)
    writer.put(65_535, 4)
    writer.put(UInt64(linkType), 4)
    for step in steps {
      let packet = packet(step, linkType, isBigEndian: isBigEndian)
      writer.put(1_795_318_384, 4)
      writer.put(step.microseconds * (isNano ? 1_000 : 1), 4)
      writer.put(UInt64(packet.count), 4)
      writer.put(UInt64(packet.count), 4)
      writer.bytes += packet
    }
    return writer.bytes
  }

  static func pcapng(_ linkType: UInt32, isBigEndian: Bool, ticks: UInt8?) -> [UInt8] {
    var writer = Writer(isBigEndian: isBigEndian)
    func put(block type: UInt64, _ body: [UInt8]) {
      let padding = (4 - body.count % 4) % 4
      writer.put(type, 4)
      writer.put(UInt64(body.count + padding + 12), 4)
      writer.bytes += body + Array(repeating: 0, count: padding)
      writer.put(UInt64(body.count + padding + 12), 4)
    }
    var section = Writer(isBigEndian: isBigEndian)
    section.put(0x1a2b_3c4d, 4)
    section.put(1, 2)
    section.put(0, 2)
    section.put(.max, 8)
    put(block: 0x0a0d_0d0a, section.bytes)
    var interface = Writer(isBigEndian: isBigEndian)
    interface.put(UInt64(linkType), 2)
    interface.put(0, 2)
    interface.put(0, 4)
    if let ticks {
      interface.put(9, 2)
      interface.put(1, 2)
      interface.bytes += [ticks, 0, 0, 0]
    }
    interface.put(0, 4)
    put(block: 1, interface.bytes)
    put(block: 5, [0, 0, 0, 0])
    for step in steps {
      let packet = packet(step, linkType, isBigEndian: isBigEndian)
      var body = Writer(isBigEndian: isBigEndian)
      let time = 1_795_318_384_000_000 + step.microseconds
      let count = ticks == 9 ? time * 1_000 : time
      body.put(0, 4)
      body.put(count >> 32, 4)
      body.put(count & 0xffff_ffff, 4)
      body.put(UInt64(packet.count), 4)
      body.put(UInt64(packet.count), 4)
      put(block: 6, body.bytes + packet)
    }
    return writer.bytes
  }

  @Test func `an adapter that is plugged in late in the file is found`() throws {
    let disk = (0..<300).map { index in
      Step(
        step: "S", endpoint: 0x02, data: [UInt8](repeating: 0x41, count: 60_000),
        microseconds: UInt64(index))
    }
    let modem = Step(
      step: "S", endpoint: 0x00, data: [], microseconds: 1_000, kind: 2,
      setup: [0x21, 0x22, 3, 0, 0, 0, 0, 0])
    var file = Self.pcap(220, of: disk + [modem] + Self.steps)
    // The disk is another device.
    for index in disk.indices { file[24 + index * (16 + 64 + 60_000) + 16 + 11] = 9 }
    let converted = try Converted(file)
    #expect(converted.capture.summary.channels.map(\.name).contains("1:4, to the board"))
    #expect(converted.lines.first?.hasSuffix("rx X90.") == true)
  }

  @Test(arguments: [189, 220, 249], [(false, false), (true, false), (false, true), (true, true)])
  func `pcap of each header, byte order and unit is the same session`(
    linkType: UInt32, form: (isBigEndian: Bool, isNano: Bool)
  ) throws {
    let file = Self.pcap(linkType, isBigEndian: form.isBigEndian, isNano: form.isNano)
    let converted = try Converted(file)
    #expect(converted.lines == Self.lines)
    #expect(converted.capture.header.resolution == .nanoseconds(form.isNano ? 1 : 1_000))
  }

  @Test(arguments: [189, 220, 249], [(false, nil), (true, nil), (false, 9), (true, 6)])
  func `pcapng of each header, byte order and unit is the same session`(
    linkType: UInt32, form: (isBigEndian: Bool, ticks: UInt8?)
  ) throws {
    let file = Self.pcapng(linkType, isBigEndian: form.isBigEndian, ticks: form.ticks)
    #expect(try Converted(file).lines == Self.lines)
  }

  /// The units of a stamp: ticks a second as a power of ten or, from 128 on, of two.
  @Test(arguments: [0, 6, 9, 128] as [UInt8])
  func `a stamp that is no time is refused, whatever its unit`(ticks: UInt8) {
    var file = Self.pcapng(220, isBigEndian: false, ticks: ticks)
    // The upper half of the first packet's stamp, after three blocks of 28, 32 and 16 bytes.
    file.replaceSubrange(88..<92, with: [0xff, 0xff, 0xff, 0xff])
    let error = #expect(throws: CaptureError.self) { try Converted(file) }
    #expect(error?.message == "expected a time between 1970 and 2096")
    #expect(error?.place == .byte(76))
  }

  @Test(arguments: [64, 512])
  func `an FTDI's status bytes are taken out of each packet`(length: Int) throws {
    let payload = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    var data: [UInt8] = []
    var rest = payload[...]
    while !rest.isEmpty {
      data += [length == 512 ? 0x32 : 0x31, 0x60] + rest.prefix(length - 2)
      rest = rest.dropFirst(length - 2)
    }
    let request = Step(
      step: "S", endpoint: 0, data: [], microseconds: 0, kind: 2,
      setup: [0x40, 0x09, 16, 0, 0, 0, 0, 0])
    let steps = [
      request, Self.steps[0],
      Step(step: "C", endpoint: 0x81, data: [0x31, 0x60], microseconds: 10),
      Step(step: "C", endpoint: 0x81, data: data, microseconds: 900_000),
    ]
    let events = try Converted(Self.pcap(220, of: steps)).lines
    #expect(events.count == 1_001)
  }

  @Test func `a file that ends within a packet keeps the whole ones`() throws {
    let converted = try Converted(Array(Self.pcap(220).dropLast(1)))
    #expect(converted.lines == ["0 rx X90."])
    #expect(converted.capture.summary.notes.contains { $0.contains("left out") })
  }

  @Test func `packets of a network are refused`() throws {
    var file = Self.pcap(1, of: [])
    file += [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    let error = #expect(throws: CaptureError.self) { try Converted(file) }
    #expect(error?.message.contains("link type 1") == true)
  }

  @Test func `a packet that is too long is refused at its byte`() throws {
    var file = Self.pcap(220, of: [])
    file += [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]
    let error = #expect(throws: CaptureError.self) { try Converted(file) }
    #expect(error?.place == .byte(24))
  }
}
