import ChipDevice
import Devices
import Engine
import Sketches
import TestSupport
import Testing
import Traces

@Suite struct ChipInputTests {
  /// Sends what PIND reads, again and again.
  private static let echo: [UInt16] = [
    0xE008, 0x9300, 0x00C1,  // LDI R16, 8; STS UCSR0B
    0xB109,  // IN R16, PIND
    0x9300, 0x00C6,  // STS UDR0
    0xCFFC,  // RJMP to IN
  ]

  /// A chip with that program. It is made once for many sessions, because searching a new program
  /// for what it stores takes longer than a session.
  private static func device() throws -> AVRDevice {
    try ChipSketch(words: echo).device()
  }

  private static func replay(_ events: [Event], on device: AVRDevice) throws -> [Event] {
    var replay = Replay(device, until: .zero + .milliseconds(20), kinds: [.transmit])
    var result: [Event] = []
    for event in events { replay.take(event) { result.append($0) } }
    replay.finish(after: .zero) { result.append($0) }
    return result
  }

  @Test func `A program reads the levels that events set`() throws {
    let two = BoardPin(arduino: 2)!
    let seven = BoardPin(arduino: 7)!
    let inputs = [
      Event(.zero + .milliseconds(5), .input(.level(two, true))),
      Event(.zero + .milliseconds(10), .input(.voltage(seven, microvolts: 4_000_000))),
      Event(.zero + .milliseconds(15), .input(.level(two, false))),
    ]
    let events = try Self.replay(inputs, on: Self.device())
    #expect(events.filter { $0.isInput } == inputs)
    for event in events {
      guard case .transmit(let byte) = event.output else { continue }
      // The two waiting bytes were read earlier; RXD and TXD, PD0 and PD1, are high.
      let read = Int(event.time.nanoseconds / 1_000_000)
      switch read {
      case 3...4: #expect(byte & ~2 == 0x01)
      case 8...9: #expect(byte & ~2 == 0x05)
      case 13...14: #expect(byte & ~2 == 0x85)
      case 18...: #expect(byte & ~2 == 0x81)
      default: break
      }
    }
    #expect(events.count > 15)
  }

  /// The sender's speed, and what it sends: at the board's speed or at another.
  @Test(arguments: [9_600, 4_800])
  func `A program that reads port D sees the sender's bits on RXD`(baud: Int) throws {
    var line = SerialLine(baud: 9_600)
    line.sender.baud = baud
    let begin = Instant.zero + .milliseconds(5)
    line.send([0x55, 0x00, 0xF0], at: begin)
    let changes = line.changes(from: .zero, through: .zero + .milliseconds(20))
    let inputs = [
      Event(.zero + .milliseconds(1), .baud(baud)), Event(begin, .receive([0x55, 0x00, 0xF0])),
    ]
    var low = 0
    for output in try Self.replay(inputs, on: Self.device()) {
      guard case .transmit(let byte)? = output.output else { continue }
      // Two bytes of 160 cycles each wait between the reading and the start bit.
      let latest = output.time - .microseconds(10)
      let earliest = output.time - .microseconds(34)
      let known = changes.filter { $0.instant > earliest && $0.instant <= latest }
      guard known.isEmpty else { continue }
      let isHigh = changes.last { $0.instant <= earliest }?.isHigh ?? true
      #expect((byte & 1 == 1) == isHigh, "read before \(output.time)")
      if !isHigh { low += 1 }
    }
    #expect(low > 40)
  }

  @Test func `A byte's start bit sets the pin change flag of RXD`() throws {
    // Sends PCIFR again and again, with PCINT16 selected.
    let flag: [UInt16] = [
      0xE008, 0x9300, 0x00C1,  // LDI R16, 8; STS UCSR0B
      0xE001, 0x9300, 0x006D,  // LDI R16, 1; STS PCMSK2
      0xB30B,  // IN R16, PCIFR
      0x9300, 0x00C6,  // STS UDR0
      0xCFFC,  // RJMP to IN
    ]
    let sent = Event(.zero + .milliseconds(5), .receive([0xFF]))
    let events = try Self.replay([sent], on: ChipSketch(words: flag).device())
    for output in events {
      guard case .transmit(let byte)? = output.output else { continue }
      let isSure = (output.time - .zero - .milliseconds(5)).magnitude > .microseconds(40)
      if isSure { #expect((byte != 0) == (output.time > .zero + .milliseconds(5))) }
    }
    #expect(events.count > 100)
  }

  @Test func `Random inputs in a live session replay to the same events`() throws {
    let device = try Self.device()
    for seed in UInt64(1)...12 {
      var generator = SeededGenerator(seed: seed)
      var session = LiveBoard(device, baud: 9_600, kinds: [.transmit])
      var events: [Event] = []
      var now = Instant.zero
      for _ in 0..<20 {
        now += .microseconds(Int64.random(in: 0...700, using: &generator))
        let pin = BoardPin(arduino: Int.random(in: 2...7, using: &generator))!
        switch Int.random(in: 0...2, using: &generator) {
        case 0: session.pass(to: now) { events.append($0) }
        case 1:
          let isHigh = Bool.random(using: &generator)
          session.take(.event(.input(.level(pin, isHigh))), at: now) { events.append($0) }
        default:
          let microvolts = Int32.random(in: BoardInput.voltages, using: &generator)
          session.take(.event(.input(.voltage(pin, microvolts: microvolts))), at: now) {
            events.append($0)
          }
        }
      }
      session.finish(at: .zero + .milliseconds(20)) { events.append($0) }
      #expect(try Self.replay(events, on: device) == events, "seed \(seed)")
    }
  }

  @Test func `A device without pins refuses an input, with what to do`() throws {
    let model = Model(
      .guarded, for: Header(firmware: .guarded, duration: nil, title: nil), showsPulses: false)
    var simulation = Simulation(model)
    while simulation.step(to: .zero + .milliseconds(1_500)) {}
    simulation.feed(
      Event(.zero + .milliseconds(1_500), .input(.level(BoardPin(arduino: 2)!, true))))
    let fault = try #require(simulation.fault)
    #expect(
      fault.description
        == "error: the session's input at 1.5 s is refused: D2 can be set only on the emulated chip: "
        + "use --device avr:FILE")
  }
}
