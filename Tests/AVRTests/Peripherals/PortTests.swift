import Foundation
import Testing

@testable import AVR

@Suite("Ports")
struct PortTests {
  @Test func `A saved port remembers which pins have been outputs`() throws {
    var port = AVR.Port()
    port.write(DDR: 0x80, at: 1)
    port.write(DDR: 0x01, at: 2)
    let data = try JSONEncoder().encode(port)
    let read = try JSONDecoder().decode(AVR.Port.self, from: data)
    #expect(read == port && read.wereOutputs == 0x81)
    // A state from before that was saved.
    let old = String(decoding: try JSONEncoder().encode(AVR.Port()), as: UTF8.self)
    #expect(!old.contains("earlierOutputs"))
  }

  @Test func `A pin that stops driving high is released before it counts as low`() {
    var chip = Peripherals()
    chip.write(.DDRB, 6, at: 1)
    chip.write(.PORTB, 2, at: 2)
    chip.write(.PORTB, 4, at: 3)
    chip.write(.DDRB, 0, at: 4)
    let pins = chip.events.map { $0.event }
    #expect(
      pins == [
        .pin(Pin(.B, 1), isHigh: true), .pin(Pin(.B, 1), isHigh: false),
        .pin(Pin(.B, 2), isHigh: true), .released(Pin(.B, 2)), .pin(Pin(.B, 2), isHigh: false),
      ])
  }

  @Test func `A driven level reads back one cycle after the write`() {
    var chip = Peripherals()
    chip.write(.DDRB, 0xFF)
    chip.write(.PORTB, 0x0F, at: 10)
    #expect(chip.read(.PINB, at: 10) == 0)
    #expect(chip.read(.PINB, at: 11) == 0x0F)
    // Two writes in a row: each is visible after its own delay.
    chip.write(.PORTB, 0x01, at: 20)
    chip.write(.PORTB, 0x02, at: 21)
    #expect(chip.read(.PINB, at: 21) == 0x01)
    #expect(chip.read(.PINB, at: 22) == 0x02)
    #expect(chip.nextEvent == .max)
  }

  @Test func `Writing a one to PIN toggles PORT, and SBI toggles one bit`() {
    var chip = Peripherals()
    chip.write(.PORTC, 0b0101)
    chip.write(.PINC, 0b0011, at: 1)
    #expect(chip.read(.PORTC, at: 2) == 0b0110)
    chip.drive(Pin(.C, 3), true, at: 3)
    chip.set(.PINC, bit: 0, at: 4)
    #expect(chip.read(.PORTC, at: 5) == 0b0111)
    chip.set(.PORTC, bit: 1, false, at: 6)
    #expect(chip.read(.PORTC, at: 7) == 0b0101)
  }

  @Test func `An input reads what drives it, or its pull-up unless PUD is set`() {
    var chip = Peripherals()
    let pin = Pin(.D, 2)
    #expect(!chip.level(of: pin))
    chip.write(.PORTD, 4)
    #expect(chip.level(of: pin))
    chip.drive(pin, false, at: 10)
    #expect(chip.read(.PIND, at: 12) == 0)
    chip.drive(pin, nil, at: 20)
    #expect(chip.read(.PIND, at: 22) == 4)
    chip.write(.MCUCR, 0x10, at: 30)
    #expect(chip.read(.PIND, at: 40) == 0)
    #expect(chip.events.isEmpty, "nothing was driven by the chip")
  }

  @Test func `A pin reports each change of its output and is low once it stops driving`() {
    var chip = Peripherals()
    chip.write(.PORTB, 0x20, at: 1)
    chip.write(.DDRB, 0x20, at: 2)
    chip.write(.PORTB, 0x00, at: 3)
    chip.set(.PORTB, bit: 5, at: 4)
    chip.write(.DDRB, 0x00, at: 5)
    #expect(
      chip.edges(of: Pin(.B, 5), until: 10)
        == [Edge(2, true), Edge(3, false), Edge(4, true), Edge(5, false)])
  }

  @Test func `An open-drain output shows the level of its wire`() {
    // Whether something from outside holds the line, and the levels that are then reported.
    for (outside, expected) in [
      (Bool?.none, [Edge(1, true), Edge(2, false), Edge(4, true)]),
      (true, [Edge(2, false), Edge(3, true)]),
      (false, []),
    ] {
      var chip = Peripherals()
      chip.set(PinWatch(wires: [Pin(.D, 7)]), at: 0)
      chip.drive(Pin(.D, 7), outside, at: 0)
      chip.write(.PORTD, 0x80, at: 1)
      // PORT is 0 while the pin is an output.
      chip.write(.PORTD, 0x00, at: 2)
      chip.write(.DDRD, 0x80, at: 2)
      chip.write(.DDRD, 0x00, at: 3)
      chip.write(.PORTD, 0x80, at: 4)
      #expect(chip.levels(of: Pin(.D, 7), until: 9) == expected)
    }
  }

  @Test func `A level from outside counts for the next change`() {
    var chip = Peripherals()
    let pin = Pin(.B, 0)
    chip.set(PinWatch(wires: [pin]), at: 0)
    chip.write(.PORTB, 1, at: 1)
    chip.drive(pin, false, at: 2)
    // It is low already.
    chip.write(.PORTB, 0, at: 3)
    chip.write(.DDRB, 1, at: 3)
    chip.drive(pin, true, at: 4)
    chip.write(.DDRB, 0, at: 5)
    #expect(chip.levels(of: pin, until: 9) == [Edge(1, true), Edge(5, true)])
  }

  @Test func `Of all pins, only those that have been outputs are reported`() {
    var chip = Peripherals()
    let pins = [Pin(.C, 0), Pin(.C, 1)]
    chip.set(PinWatch(wires: [], driven: Set(pins)), at: 0)
    chip.write(.PORTC, 3, at: 1)
    chip.write(.DDRC, 1, at: 2)
    chip.write(.DDRC, 0, at: 3)
    chip.write(.PORTC, 0, at: 4)
    #expect(chip.levels(of: pins[0], until: 9) == [Edge(2, true), Edge(4, false)])
    #expect(chip.levels(of: pins[1], until: 9).isEmpty)
  }

  @Test func `A timer drives its pin only if DDR makes it an output`() {
    var chip = Peripherals()
    chip.write(.TCCR0A, 0x42)
    chip.write(.OCR0A, 9)
    chip.write(.TCCR0B, 1)
    chip.write(.DDRD, 0x40, at: 25)
    chip.write(.TCCR0A, 0x02, at: 55)
    #expect(
      chip.edges(of: Pin(.D, 6), until: 100)
        == [Edge(30, true), Edge(40, false), Edge(50, true), Edge(55, false)])
  }

  @Test func `EICRA selects which edges and levels trigger INT0 and INT1`() {
    // EICRA for INT0, and whether falling and rising set the flag.
    for (sense, falling, rising) in [
      (UInt8(1), true, true), (2, true, false), (3, false, true),
    ] {
      var chip = Peripherals()
      chip.drive(Pin(.D, 2), true, at: 0)
      chip.write(.EICRA, sense)
      chip.write(.EIMSK, 1)
      chip.drive(Pin(.D, 2), false, at: 10)
      #expect(chip.pendingVector() == (falling ? 1 : nil))
      #expect(chip.read(.EIFR, at: 11) == (falling ? 1 : 0))
      chip.acknowledge(1, at: 12)
      chip.drive(Pin(.D, 2), true, at: 20)
      #expect(chip.pendingVector() == (rising ? 1 : nil))
      chip.write(.EIFR, 1, at: 21)
      #expect(chip.pendingVector() == nil)
    }
    var chip = Peripherals()
    chip.drive(Pin(.D, 3), true, at: 0)
    chip.write(.EIMSK, 2)
    chip.drive(Pin(.D, 3), false, at: 10)
    chip.acknowledge(2, at: 11)
    #expect(chip.pendingVector() == 2, "as long as it is low")
    #expect(chip.read(.EIFR, at: 12) == 0)
    chip.drive(Pin(.D, 3), true, at: 13)
    #expect(chip.pendingVector() == nil)
  }

  @Test func `Changes of input and output pins trigger their port's interrupt`() {
    var chip = Peripherals()
    chip.write(.PCICR, 0b111)
    chip.write(.PCMSK2, 0x80)
    chip.write(.PCMSK0, 0x01)
    chip.drive(Pin(.D, 6), true, at: 1)
    #expect(chip.pendingVector() == nil)
    chip.drive(Pin(.D, 7), true, at: 2)
    #expect(chip.pendingVector() == 5)
    chip.write(.DDRB, 1, at: 3)
    chip.write(.PORTB, 1, at: 4)
    #expect(chip.pendingVector() == 3)
    #expect(chip.read(.PCIFR, at: 5) == 0b101)
    chip.acknowledge(3, at: 6)
    chip.set(.PCIFR, bit: 2, at: 7)
    #expect(chip.pendingVector() == nil)
  }
}
