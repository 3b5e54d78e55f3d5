import Testing

@testable import AVR

@Suite("USART0")
struct USARTTests {
  static func chip(ubrr: UInt16 = 207, isDouble: Bool = true, ucsrB: UInt8 = 0x18) -> Peripherals {
    var chip = Peripherals()
    chip.write(.UCSR0A, isDouble ? 2 : 0)
    chip.write(.UBRR0H, UInt8(ubrr >> 8))
    chip.write(.UBRR0L, UInt8(ubrr & 0xFF))
    chip.write(.UCSR0B, ucsrB)
    return chip
  }

  func transmitted(_ chip: Peripherals) -> [TimedChipEvent] {
    chip.events.filter { if case .transmit = $0.event { true } else { false } }
  }

  /// The bytes sent, each with the cycle of its start bit, without their frames.
  func sent(_ chip: Peripherals) -> [[UInt64]] {
    chip.events.compactMap {
      if case .transmit(let byte, _) = $0.event { [$0.cycle, UInt64(byte)] } else { nil }
    }
  }

  @Test(arguments: [
    // UBRR, U2X, UCSR0C, cycles in a frame, baud
    (UInt16(207), true, UInt8(0x06), UInt64(16_640), 9615), (103, false, 0x06, 16_640, 9615),
    (16, true, 0x06, 1360, 117_647), (8, false, 0x06, 1440, 111_111),
    (0, true, 0x06, 80, 2_000_000), (207, true, 0x0E, 18_304, 9615),
    (207, true, 0x26, 18_304, 9615), (207, true, 0x04, 14_976, 9615),
    (207, true, 0x36, 18_304, 9615), (207, true, 0x3E, 19_968, 9615),
    (207, true, 0x00, 11_648, 9615),
  ])
  func `The length of a frame follows from its settings`(
    ubrr: UInt16, isDouble: Bool, ucsrC: UInt8, frame: UInt64, baud: Int
  ) {
    var chip = Self.chip(ubrr: ubrr, isDouble: isDouble)
    chip.write(.UCSR0C, ucsrC)
    #expect(chip.usartBaud == baud)
    chip.write(.UDR0, 0x01, at: 1000)
    chip.write(.UDR0, 0x02, at: 1001)
    chip.advance(to: 1000 + 3 * frame)
    #expect(sent(chip) == [[1000, 1], [1000 + frame, 2]])
  }

  @Test(arguments: [
    // UCSR0C, UCSR0B: the levels of 0x41, which has two ones, and of 0x43.
    (UInt8(0x26), UInt8(0x08), "01000001001", "01100001011"),
    (0x36, 0x08, "01000001011", "01100001001"),
    (0x0E, 0x08, "01000001011", "01100001011"), (0x2E, 0x08, "010000010011", "011000010111"),
    (0x04, 0x08, "010000011", "011000011"), (0x00, 0x08, "0100001", "0110001"),
    (0x06, 0x0C, "01000001001", "01100001001"), (0x06, 0x0D, "01000001011", "01100001011"),
    (0x36, 0x0D, "010000010101", "011000010111"),
  ])
  func `The bits of a frame follow its format`(
    control: UInt8, ucsrB: UInt8, first: String, second: String
  ) {
    var chip = Self.chip(ucsrB: ucsrB)
    chip.write(.UCSR0C, control)
    chip.write(.UDR0, 0x41, at: 10)
    chip.write(.UDR0, 0x43, at: 11)
    chip.advance(to: 100_000)
    let frames = transmitted(chip).map { seen -> String in
      guard case .transmit(_, let frame?) = seen.event else { return "8N1" }
      return (0..<frame.bitCount).map { frame.levels >> UInt16($0) & 1 == 1 ? "1" : "0" }.joined()
    }
    #expect(frames == [first, second])
    #expect(sent(chip)[1][0] == 10 + UInt64(first.count) * 1_664)
  }

  @Test func `The ninth bit is the one at the time at which UDR0 was written`() {
    var chip = Self.chip(ucsrB: 0x0D)
    chip.write(.UDR0, 0, at: 10)
    chip.write(.UDR0, 0, at: 11)
    chip.write(.UCSR0B, 0x0C, at: 12)
    chip.advance(to: 100_000)
    let levels = transmitted(chip).map { seen -> UInt16 in
      if case .transmit(_, let frame?) = seen.event { frame.levels } else { 0 }
    }
    #expect(levels == [0b110_0000_0000, 0b110_0000_0000])
  }

  /// As measured on an Uno: see simavr's pull request 408.
  @Test func `A byte written while the transmitter is off is sent when it is on`() {
    var chip = Self.chip(ucsrB: 0)
    chip.write(.UDR0, 1, at: 10)
    #expect(chip.read(.UCSR0A, at: 11) == 0x22)
    chip.write(.UDR0, 2, at: 12)
    chip.advance(to: 50_000)
    #expect(sent(chip) == [])
    chip.write(.UCSR0B, 0x08, at: 60_000)
    #expect(chip.read(.UCSR0A, at: 60_001) == 0x22)
    chip.write(.UDR0, 3, at: 60_002)
    chip.advance(to: 100_000)
    #expect(sent(chip) == [[60_000, 2], [60_000 + 16_640, 3]])
    // It is sent only once.
    chip.write(.UCSR0B, 0, at: 100_001)
    chip.write(.UCSR0B, 0x08, at: 100_002)
    #expect(sent(chip).count == 2)
  }

  @Test func `The data register's interrupt asks for bytes while the transmitter is off`() {
    var chip = Self.chip(ucsrB: 0x20)
    chip.write(.UDR0, 1, at: 10)
    #expect(chip.pendingVector() == 19)
  }

  @Test func `UDRE and TXC follow the buffer and the shift register`() {
    var chip = Self.chip()
    #expect(chip.read(.UCSR0A, at: 0) == 0x22)
    chip.write(.UDR0, 1, at: 100)
    #expect(chip.read(.UCSR0A, at: 101) == 0x22, "moved to the shift register at once")
    chip.write(.UDR0, 2, at: 102)
    #expect(chip.read(.UCSR0A, at: 103) == 0x02)
    chip.write(.UDR0, 3, at: 104)
    #expect(chip.read(.UCSR0A, at: 100 + 16_639) == 0x02)
    #expect(chip.read(.UCSR0A, at: 100 + 16_640) == 0x22)
    #expect(chip.read(.UCSR0A, at: 100 + 33_279) == 0x22)
    #expect(chip.read(.UCSR0A, at: 100 + 33_280) == 0x62)
    #expect(transmitted(chip).count == 2, "the third found UDRE 0")
    chip.write(.UCSR0A, 0x42, at: 40_000)
    #expect(chip.read(.UCSR0A, at: 40_001) == 0x22)
  }

  @Test func `UDRE interrupts as long as there is room, and TXC only once`() {
    var chip = Self.chip(ucsrB: 0x68)
    #expect(chip.pendingVector() == 19)
    chip.acknowledge(19, at: 1)
    #expect(chip.pendingVector() == 19)
    chip.write(.UDR0, 1, at: 2)
    chip.write(.UDR0, 2, at: 3)
    #expect(chip.pendingVector() == nil)
    chip.write(.UCSR0B, 0x48, at: 4)
    #expect(chip.interrupt(after: 4, by: 100_000) == Interrupt(cycle: 2 + 33_280, vector: 20))
    chip.acknowledge(20, at: 33_290)
    #expect(chip.pendingVector() == nil)
    #expect(chip.read(.UCSR0A, at: 33_300) == 0x22)
  }

  @Test func `Three bytes can wait, and the start bit of a fourth drops the third`() {
    var chip = Self.chip(ucsrB: 0x90)
    for (index, byte) in [UInt8(1), 2, 3, 4].enumerated() {
      chip.startBit(at: UInt64(index) * 16_640)
      chip.receive(byte, framingError: false, at: UInt64(index + 1) * 16_640)
    }
    #expect(
      chip.events.filter { if case .overrun = $0.event { true } else { false } }
        == [TimedChipEvent(cycle: 3 * 16_640, event: .overrun(3))])
    var read: [UInt8] = []
    var status: [UInt8] = []
    while chip.pendingVector() == 18 {
      status.append(chip.read(.UCSR0A, at: 70_000))
      read.append(chip.read(.UDR0, at: 70_000))
    }
    #expect(read == [1, 2, 4])
    #expect(status == [0xA2, 0xA2, 0xAA], "DOR is set for the byte after the gap")
    #expect(chip.read(.UCSR0A, at: 70_001) == 0x22)
  }

  @Test func `Reading a byte in time makes room for the next one`() {
    var chip = Self.chip(ucsrB: 0x10)
    for index in 0..<3 {
      chip.startBit(at: UInt64(index) * 16_640)
      chip.receive(UInt8(index + 1), framingError: false, at: UInt64(index + 1) * 16_640)
    }
    #expect(chip.read(.UDR0, at: 3 * 16_640) == 1)
    chip.startBit(at: 3 * 16_640)
    chip.receive(4, framingError: false, at: 4 * 16_640)
    #expect((0..<4).map { _ in chip.read(.UDR0, at: 80_000) } == [2, 3, 4, 0])
    #expect(
      chip.events.filter { if case .overrun = $0.event { true } else { false } }.isEmpty)
    #expect(
      chip.events.filter { if case .received = $0.event { true } else { false } }.map(\.event)
        == [1, 2, 3, 4].map { .received($0, readAt: 0x200) })
  }

  @Test func `A framing error is reported with its byte`() {
    var chip = Self.chip(ucsrB: 0x10)
    chip.receive(1, framingError: false, at: 20_000)
    chip.receive(2, framingError: true, at: 40_000)
    #expect(chip.read(.UCSR0A, at: 50_000) == 0xA2)
    _ = chip.read(.UDR0, at: 50_001)
    #expect(chip.read(.UCSR0A, at: 50_002) == 0xB2)
    #expect(chip.read(.UDR0, at: 50_003) == 2)
  }

  @Test func `Flags and the ninth bit belong to the byte that UDR0 reads next`() {
    var chip = Self.chip(ucsrB: 0x14)
    chip.write(.UCSR0C, 0x26)
    let frames = [
      ReceivedFrame(1, hasParityError: true), ReceivedFrame(2, ninthBit: true),
      ReceivedFrame(3, hasFramingError: true, hasParityError: true, ninthBit: true),
    ]
    for (index, frame) in frames.enumerated() {
      chip.receive(frame, at: UInt64(index + 1) * 20_000)
    }
    var seen: [[UInt8]] = []
    for _ in 0..<4 {
      let status = chip.read(.UCSR0A, at: 70_000)
      let control = chip.read(.UCSR0B, at: 70_001)
      seen.append([status, control, chip.read(.UDR0, at: 70_002)])
    }
    #expect(seen == [[0xA6, 0x14, 1], [0xA2, 0x16, 2], [0xB6, 0x16, 3], [0x22, 0x14, 0]])
  }

  @Test func `Without parity there is no parity error, and with 8 bits no ninth`() {
    var chip = Self.chip(ucsrB: 0x10)
    chip.receive(ReceivedFrame(0xFF, hasParityError: true, ninthBit: true), at: 20_000)
    #expect(chip.read(.UCSR0A, at: 20_001) == 0xA2)
    #expect(chip.read(.UCSR0B, at: 20_002) == 0x10)
    chip.write(.UCSR0C, 0x02)
    chip.receive(ReceivedFrame(0xFF), at: 40_000)
    #expect((0..<2).map { _ in chip.read(.UDR0, at: 50_000) } == [0xFF, 0x3F])
  }

  @Test func `In multi-processor mode only addresses are received`() {
    for (ucsrB, isAddress) in [(UInt8(0x14), ReceivedFrame(7, ninthBit: true)), (0x10, .init(7))] {
      var chip = Self.chip(ucsrB: ucsrB)
      chip.write(.UCSR0A, 0x03)
      chip.receive(ReceivedFrame(5, hasFramingError: ucsrB == 0x10), at: 20_000)
      #expect(chip.read(.UCSR0A, at: 20_001) == 0x23)
      chip.receive(isAddress, at: 40_000)
      chip.write(.UCSR0A, 0x02)
      chip.receive(ReceivedFrame(9), at: 60_000)
      #expect((0..<3).map { _ in chip.read(.UDR0, at: 70_000) } == [7, 9, 0])
    }
  }

  @Test func `A disabled receiver ignores bytes, including one that began while it was off`() {
    var chip = Self.chip(ucsrB: 0x08)
    #expect(!chip.usart.isReceiverOn)
    chip.receive(1, framingError: false, at: 20_000)
    chip.startBit(at: 30_000)
    chip.write(.UCSR0B, 0x18, at: 35_000)
    chip.receive(2, framingError: false, at: 46_640)
    #expect(chip.read(.UCSR0A, at: 50_000) == 0x22)
    chip.startBit(at: 60_000)
    chip.receive(3, framingError: false, at: 76_640)
    #expect(chip.read(.UCSR0A, at: 80_000) == 0xA2)
    // A disabled receiver forgets its bytes.
    chip.write(.UCSR0B, 0x08, at: 80_001)
    chip.write(.UCSR0B, 0x18, at: 80_002)
    #expect(chip.read(.UCSR0A, at: 80_003) == 0x22)
  }

  @Test func `The transmitter holds its pin high until all bytes are sent`() {
    var chip = Self.chip(ucsrB: 0x08)
    chip.write(.UDR0, 1, at: 10)
    chip.write(.UDR0, 2, at: 11)
    chip.write(.UCSR0B, 0, at: 12)
    #expect(transmitted(chip).count == 1)
    #expect(
      chip.edges(of: Pin(.D, 1), until: 100_000) == [Edge(0, true), Edge(10 + 33_280, false)])
    #expect(transmitted(chip).count == 2)
    #expect(chip.usartBaud == nil)
  }

  @Test func `The receiver overrides the port on PD0`() {
    var chip = Peripherals()
    chip.write(.DDRD, 1)
    chip.write(.PORTD, 1)
    chip.write(.UCSR0B, 0x10, at: 50)
    #expect(chip.edges(of: Pin(.D, 0), until: 60) == [Edge(0, true), Edge(50, false)])
    #expect(chip.level(of: Pin(.D, 0)), "its pull-up")
  }

  @Test func `Selecting a mode that is not emulated is reported once`() {
    var chip = Self.chip()
    chip.write(.UCSR0C, 0xC6)
    chip.write(.UCSR0C, 0xC6)
    chip.write(.UCSR0B, 0x1C)
    chip.write(.UCSR0A, 1)
    #expect(chip.notices == ["UMSEL0"])
  }
}
