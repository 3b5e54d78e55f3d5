import AVR
import ChipDevice
import Devices
import Sketches
import States
import TestSupport
import Testing
import Traces

/// An emulated chip that was saved and restored continues as if nothing had happened.
@Suite struct ChipStateTests {
  @Test(arguments: [Firmware.classic, .guarded], [false, true])
  func `A replay split at a saved state equals an uninterrupted one`(
    _ firmware: Firmware, _ showsPulses: Bool
  ) throws {
    let source = try PrebuiltSketches.source(firmware)
    for seed in UInt64(1)...2 {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: showsPulses, on: source, &generator)
      let whole = try session.whole
      for instant in session.instants(of: whole, &generator).prefix(3) {
        let (first, state) = try session.events(until: instant)
        let rest = try session.events(from: state)
        guard first + rest != whole else { continue }
        let pair = zip(first + rest, whole).first { $0 != $1 }
        Issue.record("\(firmware), seed \(seed), \(instant): \(String(describing: pair))")
        return
      }
    }
  }

  /// Sends `X45.L` at 1.5 s and `?` in the middle of the sweep. `text` is a part that the state
  /// must contain.
  @Test(arguments: [
    (Firmware.classic, 500_000, #""hasStarted", false"#), (.classic, 1_502_500, #""sent", 2"#),
    (.classic, 1_503_000, #""hasStarted", true"#), (.guarded, 1_400_003, #""isAsleep", true"#),
    (.guarded, 1_503_001, #""hasStarted", true"#), (.guarded, 2_500_000, #""isDriven", true"#),
    (.guarded, 2_002_200, #""deadline", 3"#),
  ])
  func `A state can be saved in sleep, in a delay, or during a pulse, byte or answer`(
    _ firmware: Firmware, _ microseconds: Int64, _ text: String
  ) throws {
    let inputs = [Event](script: "1500 X45.L | 2000 ?")
    let end = Instant.zero + .milliseconds(2_700)
    let session = StateSession(
      firmware, inputs, end: end, showsPulses: true, on: try PrebuiltSketches.source(firmware))
    let whole = try session.whole
    // Also in the middle of a pulse.
    let pulses = whole.filter { $0.output?.kind == .pulse }
    let instants = [
      Instant.zero + .microseconds(microseconds),
      try #require(pulses.first { $0.time > .zero + .seconds(1) }).time + .microseconds(300),
    ]
    for (number, instant) in instants.enumerated() {
      let (first, state) = try session.events(until: instant)
      if number == 0 {
        #expect(String(decoding: state, as: UTF8.self).contains(text))
      }
      #expect(try first + session.events(from: state) == whole, "\(instant)")
    }
  }

  @Test(arguments: [Firmware.classic, .guarded])
  func `Saving a restored device gives the same text`(_ firmware: Firmware) throws {
    let source = try PrebuiltSketches.source(firmware)
    var generator = SeededGenerator(seed: 7)
    let session = StateSession(firmware, showsPulses: false, on: source, &generator)
    for instant in session.instants(of: try session.whole, &generator) {
      let text = try session.events(until: instant).state
      let file = try StateFile(text: text, path: "state")
      let device = try source.restore(file, showsPulses: false)
      #expect(try StateFile(device, firmware, baud: file.baud, at: file.time).text == text)
    }
  }

  @Test func `The state of another program or pin is refused with the reason`() throws {
    let session = StateSession(
      .guarded, [], end: .zero + .seconds(1), on: try PrebuiltSketches.source(.guarded))
    let state = try session.events(until: .zero + .milliseconds(300)).state
    let file = try StateFile(text: state, path: "state")
    #expect {
      _ = try PrebuiltSketches.source(.classic).restore(file, showsPulses: false)
    } throws: {
      "\($0)" == "state: error: expected the state of classic.hex, found that of another program "
        + "or bootloader"
    }
    var wiring = ChipWiring()
    wiring.servo = BoardPin(name: "D10")!
    #expect {
      _ = try PrebuiltSketches.source(.guarded, wiring: wiring).restore(file, showsPulses: false)
    } throws: { "\($0)".contains("a board with --pin D10 --chip atmega328p --clock 16 MHz, found") }
  }

  @Test func `A state has the pin of --rx-pin, which must be the same`() throws {
    var wiring = ChipWiring()
    wiring.receivePin = BoardPin(name: "D10")
    let source = try PrebuiltSketches.source(.guarded, wiring: wiring)
    let inputs = [Event](script: "400 X45.")
    // In the middle of a byte.
    let instant = Instant.zero + .microseconds(400_700)
    let session = StateSession(.guarded, inputs, end: .zero + .seconds(1), on: source)
    let (first, state) = try session.events(until: instant)
    #expect(try first + session.events(from: state) == session.whole)
    let file = try StateFile(text: state, path: "state")
    #expect {
      _ = try PrebuiltSketches.source(.guarded).restore(file, showsPulses: false)
    } throws: {
      "\($0)".hasSuffix("--clock 16 MHz --rx-pin D10")
    }
  }

  @Test func `A state can be saved at time 0, and while a board is held for long`() throws {
    let source = try PrebuiltSketches.source(.guarded)
    let inputs = [
      Event(.zero + .milliseconds(500), .reset(.seconds(999_999_000))),
      Event(.zero + .milliseconds(900), .receive(Array("X45.".utf8))),
    ]
    let session = StateSession(.guarded, inputs, end: .zero + .seconds(1), on: source)
    for instant in [.zero, .zero + .milliseconds(600)] as [Instant] {
      let (first, state) = try session.events(until: instant)
      #expect(try first + session.events(from: state) == session.whole, "\(instant)")
    }
  }

  /// What the table says then is what the program's start-up clears.
  @Test func `A board with a servo table can be saved while it is held in reset`() throws {
    // LDI R16; STS. The table's first entry: the width of 1 500 us, then D9 as active.
    let stores: [(value: UInt16, address: UInt16)] = [
      (0, 0x100), (0, 0x101), (0, 0x102), (0xB4, 0x101), (0x0B, 0x102), (0x49, 0x100),
    ]
    var words: [UInt16] = []
    for (value, address) in stores {
      words += [0xE000 | (value & 0xF0) << 4 | value & 0x0F, 0x9300, address]
    }
    // RJMP to itself.
    words.append(0xCFFF)
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let builder = ELFBuilder(
      segments: [.init(address: 0, bytes: bytes)],
      symbols: [.init(name: "_ZL6servos", value: 0x80_0100, size: 36, type: 1, section: 2)],
      codeSize: UInt32(bytes.count))
    let image = try ProgramImage(contents: builder.bytes, name: "a.elf")
    let inputs = [Event(.zero + .milliseconds(500), .reset(.milliseconds(300)))]
    let session = StateSession(
      .guarded, inputs, end: .zero + .seconds(1), on: AVRSource(AVRProgram(image, name: "a.elf")))
    let whole = try session.whole
    #expect(whole.count { $0.output?.kind == .attached } == 2)
    #expect(whole.count { $0.output?.kind == .detached } == 1)
    for milliseconds in [400, 600, 900] as [Int64] {
      let (first, state) = try session.events(until: .zero + .milliseconds(milliseconds))
      #expect(try first + session.events(from: state) == whole, "\(milliseconds) ms")
    }
  }

  @Test func `A state has the chip and its clock, which must be the same`() throws {
    var wiring = ChipWiring()
    wiring.rate = ClockRate(hertz: 8_000_000) ?? .uno
    wiring.part = .atmega328
    wiring.noise = ADCNoise(thousandths: 500, seed: 1)
    let source = try PrebuiltSketches.source(.guarded, wiring: wiring)
    let session = StateSession(
      .guarded, [Event](script: "400 X45."), end: .zero + .milliseconds(900), on: source)
    let (first, state) = try session.events(until: .zero + .milliseconds(500))
    #expect(try first + session.events(from: state) == session.whole)
    let file = try StateFile(text: state, path: "state")
    for (change, message) in [
      ({ $0.rate = .uno }, "--clock 16 MHz --adc-noise 0.5, found"),
      ({ $0.part = nil }, "--chip atmega328p --clock 8 MHz --adc-noise 0.5, found"),
      ({ $0.noise = nil }, "--clock 8 MHz, found one with"),
    ] as [((inout ChipWiring) -> Void, String)] {
      var other = wiring
      change(&other)
      #expect {
        _ = try PrebuiltSketches.source(.guarded, wiring: other).restore(file, showsPulses: false)
      } throws: {
        "\($0)".contains(message)
      }
    }
  }

  /// Somebody has rewritten them, and their checksums.
  @Test(arguments: [Firmware.classic, .guarded], [false, true])
  func `A state with other numbers is refused or runs`(
    _ firmware: Firmware, _ hasParts: Bool
  ) throws {
    var wiring = ChipWiring()
    if hasParts {
      wiring.noise = ADCNoise(thousandths: 500, seed: 1)
      wiring.receivePin = BoardPin(name: "D10")
      for name in ["hc-sr04@D7:D8", "pca9685@0x40"] {
        let isAttached = wiring.attach(try #require(BoardPart(name)))
        #expect(isAttached)
      }
    }
    let source = try PrebuiltSketches.source(firmware, wiring: wiring)
    let inputs = [Event](script: "1100 X45.L?V | 1600 X7")
    let session = StateSession(firmware, inputs, end: .zero + .seconds(2), on: source)
    // In the first, a byte is on the line, and others wait.
    let lists = try [1_103_300, 1_650_007].map { microseconds in
      try RewrittenState.list(of: session.events(until: .zero + .microseconds(microseconds)).state)
    }
    var (refused, ran) = (0, 0)
    for seed in Seeds.first(4) {
      var generator = SeededGenerator(seed: seed)
      for list in lists {
        for _ in 0..<50 {
          let text = RewrittenState.text(of: list, &generator)
          if runs(text, on: source, pause: .milliseconds(2)) { ran += 1 } else { refused += 1 }
        }
      }
    }
    #expect(refused > 50 && ran > 20, "\(refused) refused, \(ran) ran")
  }

  /// Returns false if the state is refused. In whatever state a device is, it must handle any input.
  private func runs(_ state: [UInt8], on source: AVRSource, pause: Interval) -> Bool {
    var device: AVRDevice
    var now: Instant
    do throws(TraceError) {
      let file = try StateFile(text: state, path: "state")
      device = try source.restore(file, showsPulses: true)
      now = file.time
    } catch {
      return false
    }
    var recorder = Recorder()
    for text in ["X45.", "L?V", "X1"] {
      device.send(Array(text.utf8), at: now)
      now += pause
      device.advance(to: now, into: &recorder)
    }
    device.reset(at: now, deadTime: .milliseconds(10), into: &recorder)
    device.advance(to: now + .milliseconds(50), into: &recorder)
    return true
  }
}
