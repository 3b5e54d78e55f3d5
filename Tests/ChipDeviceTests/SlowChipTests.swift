import ChipDevice
import Devices
import Engine
import Judging
import Sketches
import Synchronization
import TestSupport
import Testing
import Traces

/// Programs that are emulated more slowly than they run on a board, because they change all their
/// pins with every few instructions.
@Suite struct SlowChipTests {
  /// Toggles all pins, and sends back what it receives at 9600 baud.
  private static let toggling: [UInt16] = [
    0xE607, 0x9300, 0x00C4,  // LDI R16, 103; STS UBRR0L
    0xE108, 0x9300, 0x00C1,  // LDI R16, RXEN | TXEN; STS UCSR0B
    0xEF0F, 0xB904, 0xB907, 0xB90A,  // LDI R16, 0xFF; OUT DDRB, DDRC, DDRD
    0xB903, 0xB906, 0xB909,  // OUT PINB, PINC, PIND
    0x9110, 0x00C0, 0xFF17, 0xCFF9,  // LDS R17, UCSR0A; SBRS R17, RXC; RJMP to OUT PINB
    0x9110, 0x00C6, 0x9310, 0x00C6, 0xCFF4,  // LDS R17, UDR0; STS UDR0; RJMP to OUT PINB
  ]
  private static let kinds: Set<Output.Kind> = [.transmit, .pin, .tone, .servo, .lost]
  private static let header = Header(firmware: .guarded, duration: nil, title: nil)

  /// Made once, because searching the program for what it stores takes long.
  private static let programs = [true, false].map { hasTable in
    Result { try ChipSketch(words: toggling, tableSize: hasTable ? 36 : nil).program }
  }

  /// With a table of servos outputs are never late, and without one the pins show all.
  private static func device(hasTable: Bool) throws -> AVRDevice {
    var device = AVRSource(try programs[hasTable ? 0 : 1].get()).makeDevice(
      for: header, firmware: .guarded, showsPulses: false)
    device.watch(.some([BoardPin(arduino: 13)!]))
    return device
  }

  /// A clock that is later by up to 2 ms each time it is read.
  private struct Clock {
    var generator: SeededGenerator
    var spent = Interval.zero

    mutating func read() -> Interval {
      spent = spent + .microseconds(.random(in: 0...2_000, using: &generator))
      return spent
    }
  }

  /// The events of a session of random inputs at random instants, in slices if `clock` is not nil.
  private static func events(
    _ device: AVRDevice, seed: UInt64, _ clock: SeededGenerator?
  ) -> [Event] {
    var session = LiveBoard(device, baud: 9_600, kinds: kinds)
    var generator = SeededGenerator(seed: seed)
    var clock = clock.map { Clock(generator: $0) }
    var events: [Event] = []
    var now = Instant.zero
    for _ in 0..<10 {
      now += .microseconds(.random(in: 0...1_500, using: &generator))
      let limit = Interval.microseconds(.random(in: 0...20_000, using: &generator))
      if clock == nil {
        session.pass(to: now) { events.append($0) }
      } else {
        repeat {
          clock?.spent = .zero
          session.pass(to: now, within: (limit, { clock?.read() ?? .zero })) {
            events.append($0)
          }
        } while session.isBehind
      }
      if Bool.random(using: &generator) {
        session.take(.event(.receive([.random(in: 0...255, using: &generator)])), at: now) {
          events.append($0)
        }
      }
    }
    session.finish(at: now + .milliseconds(3)) { events.append($0) }
    return events
  }

  @Test(arguments: zip([true, false], UInt64(1)...2))
  func `A session in slices of any size gives the same events`(
    _ hasTable: Bool, _ seed: UInt64
  ) throws {
    let device = try Self.device(hasTable: hasTable)
    let whole = Self.events(device, seed: seed, nil)
    #expect(whole.count { $0.output?.kind == .pin } > 1_000)
    #expect(whole.contains { $0.isInput })
    for clock in UInt64(1)...2 {
      #expect(
        Self.events(device, seed: seed, SeededGenerator(seed: clock)) == whole, "clock \(clock)")
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `A session that ends while its device is behind replays to the same events`(
    _ hasTable: Bool, _ hasLateInput: Bool
  ) throws {
    let device = try Self.device(hasTable: hasTable)
    var session = LiveBoard(device, baud: 9_600, kinds: Self.kinds)
    var events: [Event] = []
    let asked = Instant.zero + .seconds(60)
    session.take(.event(.receive(Array("X45.".utf8))), at: .zero) { events.append($0) }
    var spent = Interval.zero
    let spend = {
      spent = spent + .milliseconds(7)
      return spent
    }
    session.pass(to: asked, within: (.milliseconds(20), spend)) { events.append($0) }
    #expect(session.isBehind && session.isSlow)
    #expect(session.now < .zero + .seconds(1))
    if hasLateInput {
      session.take(.event(.receive([0x41])), at: session.now) { events.append($0) }
    }
    let now = session.now
    session.finish(at: asked) { events.append($0) }
    let end = try #require(events.last?.time)
    #expect(end <= now + .microseconds(1) && end == session.now)

    var replay = Replay(device, until: nil, kinds: Self.kinds)
    var again: [Event] = []
    for event in events { replay.take(event) { again.append($0) } }
    replay.finish(after: end) { again.append($0) }
    #expect(again == events)
    if hasTable { #expect(events.contains { $0.output?.kind == .pin }) }
  }

  @Test func `A run that can end early asks before each of its short steps, and then stays there`()
    throws
  {
    let turns = Mutex(0)
    var simulation = Simulation(try Self.device(hasTable: true))
    simulation.isOver = {
      turns.withLock { turns in
        turns += 1
        return turns > 4
      }
    }
    let asked = Instant.zero + .seconds(86_400)
    var count = 0
    while simulation.step(to: asked) { count += simulation.outputs.count }
    #expect(simulation.cut == .zero + .milliseconds(20) && simulation.now == asked)
    #expect(count > 1_000)
    // Neither an input nor a restart makes it continue.
    simulation.feed(Event(asked, .receive([0x41])))
    simulation.feed(Event(asked, .reset(.zero)))
    let goesOn = simulation.step(to: asked + .seconds(1))
    #expect(!goesOn)
    #expect(simulation.outputs.isEmpty && simulation.cut == .zero + .milliseconds(20))
    #expect(turns.withLock { $0 } == 5)
  }

  @Test func `A session that was ended early is no session, and the next one is run as a whole`()
    throws
  {
    let isOver = Mutex(false)
    func trial() throws -> DifferenceTrial<AVRDevice, AVRDevice> {
      let device = try Self.device(hasTable: true)
      return DifferenceTrial(device, device, kinds: Self.kinds, tolerance: .zero)
    }
    var runs = SnapshotRuns(try trial())
    runs.isOver = { isOver.withLock { $0 } }
    let events = (0..<40).map { Event(.zero + .milliseconds(1 + $0), .receive([0x41])) }
    var session = SessionInputs(
      firmware: .guarded, events: events, end: .zero + .milliseconds(50))
    for isEnding in [false, true, false] {
      isOver.withLock { $0 = isEnding }
      #expect(runs.run(session) == nil && runs.wasCut == isEnding)
      session.end += .milliseconds(1)
    }
  }

  @Test func `A sketch that changes its pins very often is not tried as one of the bench's`() throws
  {
    let source = AVRSource(try ChipSketch(words: Self.toggling).program)
    #expect(source.isRestless)
    #expect(Calibration.firmware(of: source) == nil)
  }

  @Test func `The search for the next output ends after the time that it is given`() throws {
    let program = try ChipSketch(words: [0x0000]).program
    let device = AVRSource(program).makeDevice(
      for: Self.header, firmware: .guarded, showsPulses: false)
    let session = LiveBoard(device, baud: 9_600, kinds: Self.kinds)
    let whole = try #require(session.nextDeadline)
    let patient = try #require(session.nextDeadline(within: .milliseconds(5)) { .zero })
    let hasty = try #require(session.nextDeadline(within: .milliseconds(5)) { .seconds(1) })
    #expect(patient == whole)
    #expect(hasty > session.now && hasty < whole)
  }

  @Test func `The search at start-up ends early if a sketch changes its pins very often`() throws {
    // What it stores is searched too. The port that it has opened by then is known.
    #expect(AVRSource(try ChipSketch(words: Self.toggling).program).findSpeed() == 9_600)
  }
}
