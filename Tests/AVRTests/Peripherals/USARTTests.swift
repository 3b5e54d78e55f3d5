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

  @Test(arguments: [
    // UBRR, U2X, UCSR0C, cycles in a frame, baud
    (UInt16(207), true, UInt8(0x06), UInt64(16_640), 9615), (103, false, 0x06, 16_640, 9615),
    (16, true, 0x06, 1360, 117_647), (8, false, 0x06, 1440, 111_111),
    (0, true, 0x06, 80, 2_000_000), (207, true, 0x0E, 18_304, 9615),
    (207, true, 0x26, 18_304, 9615), (207, true, 0x04, 14_976, 9615),
  ])
  func `The length of a frame follows from its settings`(
    ubrr: UInt16, isDouble: Bool, ucsrC: UInt8, frame: UInt64, baud: Int
  ) {
    var chip = Self.chip(ubrr: ubrr, isDouble: isDouble)
    chip.write(.UCSR0C, ucsrC)
    #expect(chip.usartBaud == baud)
    chip.write(.UDR0, 0x41, at: 1000)
    chip.write(.UDR0, 0x42, at: 1001)
    chip.advance(to: 1000 + 3 * frame)
    #expect(
      transmitted(chip) == [
        TimedChipEvent(cycle: 1000, event: .transmit(0x41)),
        TimedChipEvent(cycle: 1000 + frame, event: .transmit(0x42)),
      ])
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

  @Test func `A disabled receiver ignores bytes, including one that began while it was off`() {
    var chip = Self.chip(ucsrB: 0x08)
    #expect(!chip.isReceiving)
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
    chip.write(.UCSR0B, 0x1C)
    chip.write(.UCSR0A, 1)
    chip.write(.UCSR0A, 1)
    #expect(chip.notices == ["UMSEL0", "UCSZ02", "MPCM0"])
  }
}
