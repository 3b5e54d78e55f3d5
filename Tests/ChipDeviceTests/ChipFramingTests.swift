import AVR
import ChipDevice
import Devices
import Sketches
import Testing
import Traces

/// Formats, breaks and errors on the line of the emulated chip's USART.
@Suite struct ChipFramingTests {
  /// At 9600 baud, sends back for each byte the flags FE, DOR and UPE, and the byte.
  private static func sketch(_ control: UInt8) -> ChipSketch {
    var sketch = ChipSketch().write(control, to: Address.ucsr0c).write(0x02, to: Address.ucsr0a)
      .write(207, to: Address.ubrr0l).write(0x18, to: Address.ucsr0b)
    sketch.words += [
      0x9100, 0x00C0,  // LDS R16, UCSR0A
      0xFF07, 0xCFFC,  // SBRS R16, RXC0; RJMP to LDS
      0x9110, 0x00C6,  // LDS R17, UDR0
      0x710C,  // ANDI R16, 0x1C
      0x9120, 0x00C0, 0xFF25, 0xCFFC,  // LDS R18, UCSR0A; SBRS R18, UDRE0; RJMP to LDS
      0x9300, 0x00C6,  // STS UDR0, R16
      0x9120, 0x00C0, 0xFF25, 0xCFFC,
      0x9310, 0x00C6,  // STS UDR0, R17
      0xCFEC,  // RJMP to the first LDS
    ]
    return sketch
  }

  /// The flags and bytes that it sends, as `F-00`.
  private static func answer(_ control: UInt8 = 0x06, to events: [Event]) throws -> String {
    var replay = Replay(
      try sketch(control).device(), until: .zero + .seconds(1), kinds: [.transmit])
    var sent: [UInt8] = []
    func take(_ event: Event) {
      if case .transmit(let byte)? = event.output { sent.append(byte) }
    }
    for event in events { replay.take(event) { take($0) } }
    replay.finish(after: .zero + .seconds(1)) { take($0) }
    return stride(from: 0, to: sent.count - 1, by: 2).map { index in
      let flags = sent[index]
      let digits = String(sent[index + 1], radix: 16, uppercase: true)
      return (flags & 0x10 != 0 ? "F" : "-") + (flags & 0x04 != 0 ? "P" : "-")
        + (digits.count < 2 ? "0" : "") + digits
    }.joined(separator: " ")
  }

  private static func at(_ milliseconds: Int64, _ kind: Event.Kind) -> Event {
    Event(.zero + .milliseconds(milliseconds), kind)
  }

  private static let even = LineFormat(dataSize: 8, parity: .even)

  /// A break that another tool recorded: its byte, the error of its stop bit, and its end.
  private static let captured = [
    at(1, .receive([0x55])), Event(.zero + .microseconds(4_042), .receive([0])),
    Event(.zero + .nanoseconds(4_979_500), .framingError(on: .rx, 0)),
    Event(.zero + .microseconds(24_042), .lineBreak(lasting: .milliseconds(20))),
    Event(.zero + .microseconds(26_042), .receive([0x55])),
  ]

  @Test(
    arguments: [
      ("a captured break", 0x06, captured, "--55 F-00 --55"),
      (
        "a break", 0x06,
        [at(1, .senderBreak(.milliseconds(20))), at(1, .receive([0x55]))], "F-00 --55"
      ),
      ("1200 baud", 0x06, [at(100, .baud(1_200)), at(200, .receive([0]))], "F-00"),
      (
        "8N1 to 8E1", 0x26, [at(500, .receive([0x41])), at(600, .receive([0x43]))], "-P41 --43"
      ),
      (
        "8E1 to 8E1", 0x26, [at(1, .format(even)), at(2, .receive([0x41, 0x43]))], "--41 --43"
      ),
      (
        "8E1 to 8N1", 0x06, [at(1, .format(even)), at(2, .receive([0x43, 0x41]))], "--43 F-41"
      ),
      (
        "7E1 to 7E2", 0x2C,
        [at(1, .format(LineFormat(dataSize: 7, parity: .even))), at(2, .receive([0xC1, 0x43]))],
        "--41 --43"
      ),
      (
        "one of two equal bytes without a stop bit", 0x06,
        [
          at(1, .receive([0x41, 0x41])),
          Event(.zero + .nanoseconds(2_979_167), .framingError(on: .rx, 0x41)),
        ], "--41 F-41"
      ),
    ] as [(String, UInt8, [Event], String)])
  func `A program sees the flags that the wire gives`(
    _ name: String, _ control: UInt8, _ events: [Event], _ answer: String
  ) throws {
    #expect(try Self.answer(control, to: events) == answer, "\(name)")
  }

  @Test(arguments: [("8N1 to 8N1", 0x06, []), ("8N1 to 8E1", 0x26, [Output.lost(0x03, .parity)])])
  func `A byte that a program's own interrupt drops is lost only for its parity`(
    _ name: String, _ control: UInt8, _ lost: [Output]
  ) throws {
    // The vector of USART_RX is word 36: LDS R16, UDR0; RETI.
    var words: [UInt16] = [0xC000 + 38] + Array(repeating: 0, count: 35)
    words += [0x9100, 0x00C6, 0x9518]
    let main = ChipSketch().write(control, to: Address.ucsr0c).write(103, to: Address.ubrr0l)
      .write(0x90, to: Address.ucsr0b)
    words += main.words + [0x9478]  // SEI
    var simulation = Simulation(
      try ChipSketch(words: words).device(), ledger: Ledger(followsReads: true))
    while simulation.step(to: .zero + .milliseconds(5)) {}
    simulation.feed(Event(.zero + .milliseconds(5), .receive([0x03])))
    var seen: [Output] = []
    while simulation.step(to: .zero + .milliseconds(50)) {
      seen += simulation.outputs.map { $0.output }
    }
    #expect(seen == lost, "\(name)")
    let fates = simulation.finishLedger().entries.map { $0.fate }
    #expect(fates == [lost.isEmpty ? .taken : .parity], "\(name)")
  }

  @Test func `A byte that the chip sends shows its parity bit on the wire`() throws {
    // 8E1, and 0x03 has an even number of ones.
    let sketch = ChipSketch().write(0x26, to: Address.ucsr0c).write(0x02, to: Address.ucsr0a)
      .write(207, to: Address.ubrr0l).write(0x08, to: Address.ucsr0b).write(3, to: Address.udr0)
    var simulation = Simulation(try sketch.device(), watchesWires: true)
    while simulation.step(to: .zero + .milliseconds(5)) {
      // The transmitter that is switched on makes the wire high.
      let changes = simulation.wireChanges.filter { $0.wire == .tx }.suffix(11)
      guard !changes.isEmpty else { continue }
      #expect(changes.map { $0.isHigh ? "1" : "0" }.joined() == "01100000001")
      let first = try #require(changes.first).time
      let bit = try #require(changes.last).time - first
      // Ten bits of 1664 cycles.
      #expect(bit == .nanoseconds(1_040_000))
      return
    }
    Issue.record("nothing was sent")
  }

  @Test func `A break holds the pin low that software samples, until it is ended`() throws {
    var sketch = ChipSketch()
    sketch.wiring.receivePin = BoardPin(arduino: 10)
    var simulation = Simulation(try sketch.device())
    func level(at milliseconds: Int64) -> Bool {
      while simulation.step(to: .zero + .milliseconds(milliseconds)) {}
      return simulation.device.chip.level(of: Pin(arduino: 10)!)
    }
    func feed(_ kind: Event.Kind) { simulation.feed(Event(simulation.now, kind)) }
    #expect(level(at: 5))
    feed(.senderBreak(.seconds(3_600)))
    #expect(!level(at: 6))
    #expect(!level(at: 60))
    feed(.senderBreak(.zero))
    #expect(level(at: 61))
    // The stop bit of a byte begins 9 bits, 0.94 ms, after its start, and ends 0.1 ms later.
    feed(.receive([0xFF]))
    #expect(level(at: 62))
    feed(.framingError(on: .rx, 0xFF))
    #expect(!simulation.device.chip.level(of: Pin(arduino: 10)!))
    #expect(level(at: 63))
  }

  @Test func `In multi-processor mode a byte that is no address was never waiting`() throws {
    // 8 data bits; the stop bit marks an address, so a byte that lacks it is ignored.
    for (mode, hasStop, fate, deafness) in [
      (0x03, true, .waiting, nil), (0x03, false, .booting, .notAddressed),
      (0x02, false, .waiting, nil),
    ] as [(UInt8, Bool, Fate, Ledger.Deafness?)] {
      let sketch = ChipSketch().write(mode, to: Address.ucsr0a).write(207, to: Address.ubrr0l)
        .write(0x10, to: Address.ucsr0b)
      var simulation = Simulation(try sketch.device(), ledger: Ledger(followsReads: true))
      while simulation.step(to: .zero + .milliseconds(5)) {}
      simulation.feed(Event(simulation.now, .receive([0x41])))
      if !hasStop { simulation.feed(Event(simulation.now, .framingError(on: .rx, 0x41))) }
      while simulation.step(to: .zero + .milliseconds(10)) {}
      let entry = simulation.finishLedger().entries.first
      #expect(entry?.fate == fate)
      #expect(entry?.deafness == deafness)
    }
  }

  @Test func `A byte written before the transmitter is on is sent`() throws {
    let sketch = ChipSketch().write(0x61, to: Address.udr0).write(103, to: Address.ubrr0l)
      .write(0x08, to: Address.ucsr0b).write(0x63, to: Address.udr0)
    var simulation = Simulation(try sketch.device())
    var sent: [UInt8] = []
    // Outputs wait until it is clear that the edges of PD1 are no servo's.
    while simulation.step(to: .zero + .milliseconds(200)) {
      for case .transmit(let byte) in simulation.outputs.map(\.output) { sent.append(byte) }
    }
    #expect(sent == [0x61, 0x63])
  }
}
