import AVR
import ChipDevice
import Devices
import Sketches
import Testing
import Traces

/// What is wired to the emulated board.
struct PartEventTests {
  private static let sonar = BoardPart("hc-sr04@D7:D8")!
  // The addresses of DDRD and PORTD, and the bit of D7.
  private static let (DDRD, PORTD, seven): (UInt16, UInt16, UInt8) = (0x2A, 0x2B, 0x80)

  /// D7 is high for 100 ms, and then low.
  private static func sketch() -> ChipSketch {
    var sketch = ChipSketch().write(seven, to: DDRD).pause(1).write(seven, to: PORTD).pause(100)
      .write(0, to: PORTD)
    sketch.wiring.pins = .some([BoardPin(arduino: 8)!])
    _ = sketch.wiring.attach(sonar)
    return sketch
  }

  private static func outputs(_ device: AVRDevice, _ inputs: [Event]) -> (
    [(milliseconds: Int64, isHigh: Bool)], DeviceError?
  ) {
    var simulation = Simulation(device)
    var found: [(Int64, Bool)] = []
    func run(to end: Instant) {
      while simulation.step(to: end) {
        for seen in simulation.outputs {
          guard case .pin(_, let isHigh) = seen.output else { continue }
          found.append(((seen.time - Instant.zero).nanoseconds / 100_000, isHigh))
        }
      }
    }
    for event in inputs {
      run(to: event.time)
      simulation.feed(event)
    }
    run(to: .zero + .milliseconds(200))
    return (found, simulation.fault)
  }

  @Test func `The echo of a distance that a session tells is the level of its pin`() throws {
    let told = Event(.zero + .milliseconds(5), .input(.part(Self.sonar, millionths: 1_000_000)))
    let (levels, fault) = Self.outputs(try Self.sketch().device(), [told])
    #expect(fault == nil)
    #expect(levels.map(\.isHigh) == [true, false])
    #expect(levels.last!.milliseconds - levels.first!.milliseconds == 58, "5.8 ms for a metre")
  }

  @Test func `Two sensors at once measure each its own distance`() throws {
    let other = BoardPart("hc-sr04@D7:D12")!
    var sketch = Self.sketch()
    sketch.wiring.pins = .some([BoardPin(arduino: 8)!, BoardPin(arduino: 12)!])
    _ = sketch.wiring.attach(other)
    let (levels, _) = Self.outputs(
      try sketch.device(),
      [
        Event(.zero + .milliseconds(5), .input(.part(Self.sonar, millionths: 1_000_000))),
        Event(.zero + .milliseconds(5), .input(.part(other, millionths: 2_000_000))),
      ])
    let begin = try #require(levels.first?.milliseconds)
    #expect(levels.map { $0.milliseconds - begin } == [0, 0, 58, 116])
    #expect(levels.map(\.isHigh) == [true, true, false, false])
  }

  @Test(arguments: [
    (
      BoardInput.part(BoardPart("hc-sr04@D4:D5")!, millionths: 1_000_000),
      "no hc-sr04@D4:D5 is "
        + "attached: use --attach hc-sr04@D4:D5"
    ),
    (.part(sonar, millionths: 19_999), "expected a distance from 0.02 to 10 m for hc-sr04@D7:D8"),
  ])
  func `What no part takes is refused, with what to do`(_ input: BoardInput, _ why: String) throws {
    let told = Event(.zero + .milliseconds(5), .input(input))
    let (_, fault) = Self.outputs(try Self.sketch().device(), [told])
    #expect(fault?.description == "error: the session's input at 0.005 s is refused: " + why)
  }

  @Test func `A state continues only with the same parts`() throws {
    let sketch = Self.sketch()
    let state = try sketch.device().state
    #expect(state.mismatch(with: try sketch.program) == nil)
    var bare = sketch
    bare.wiring = ChipWiring()
    #expect(
      state.mismatch(with: try bare.program)
        == "expected the state of a board with --pin D9 --chip atmega328p --clock 16 MHz, found one "
        + "with --pin D9 --chip atmega328p --clock 16 MHz --attach hc-sr04@D7:D8")
  }

  @Test func `A board has at most 64 parts`() {
    var wiring = ChipWiring()
    let attached = (0..<65).map { number in
      wiring.attach(BoardPart("hc-sr04@D\(number % 10):\(10 + number / 10)")!)
    }
    #expect(attached == Array(repeating: true, count: 64) + [false])
  }

  @Test(arguments: ["hc-sr04@D7:D8", "pca9685@0x3f", "hc-sr04@D7", "none@D7"])
  func `A part is attached once, and only where it can be`(_ name: String) {
    var wiring = ChipWiring()
    let part = BoardPart(name)!
    let attached = [wiring.attach(part), wiring.attach(part)]
    #expect(attached == [name == "hc-sr04@D7:D8", false])
  }
}
