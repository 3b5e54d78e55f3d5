import SentryBenchTesting
import TestSupport
import Testing

/// A turret whose time advances under the control of a test.
@Suite struct VirtualTurretTests {
  @Test func `Bytes are sent at their times`() throws {
    let turret = try VirtualTurret(.classic)
    try turret.send("X90.", at: .milliseconds(1_500)).send("X110.", at: .seconds(2))
      .run(until: .seconds(3))
    #expect(try turret.expect(.servo(90), of: "X90.") == .microseconds(1_504_170))
    try turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
    try turret.never(.lost, .junk)
    #expect(try turret.state.servo == 110)
  }

  @Test func `Time passes until an expectation is decided`() throws {
    let turret = try VirtualTurret(.classic)
    try turret.send("X110.", at: .seconds(2))
    let time = try #require(try turret.expect(.servo(110)))
    #expect(time > .seconds(2) && time < .milliseconds(2_100))
    #expect(try turret.state.time < .seconds(3))
  }

  @Test(.timeLimit(.minutes(1)))
  func `What never comes is decided although the board has sent something, in few steps`() throws {
    let turret = try VirtualTurret(.guarded)
    // The sketch answers, and no program reads it.
    try turret.send("?", at: .seconds(2)).run(until: .seconds(3))
    #expect(try turret.trace().contains(#""tx""#))
    let found = try failures { try turret.expect(.servo(45), within: .seconds(1_000)) }
    #expect(found.count == 1)
    #expect(found.first?.text.contains("servo 45 within 1000 s failed") == true, "\(found)")
    #expect(try turret.state.time < .seconds(2_000))
  }

  @Test func `Faults disturb what is sent, and a mistake in one is refused`() throws {
    let turret = try VirtualTurret(.classic, faults: ["drop:100%"], seed: 3)
    try turret.send("X90.", at: .milliseconds(1_500)).run(until: .seconds(3))
    #expect(try turret.trace().contains(#""x-fault", "drop", "wire", "X90.", ""]"#))
    #expect(try turret.state.servo == 90)
    #expect(throws: TurretError.self) { try VirtualTurret(faults: ["reorder"]) }
  }

  @Test func `A profile says what the commands are`() throws {
    let files = try TestFolder()
    try files.write("commands: [\"A{angle:0..180}!\"]\nbaud: 19200\n", "turret.yaml")
    let trace = try VirtualTurret(profile: files.path("turret.yaml")).trace()
    #expect(trace.contains(#""baud": 19200"#))
    #expect(trace.contains(#""commands": ["A{angle:0..180}!"]"#))
    #expect(throws: TurretError.self) { try VirtualTurret(profile: files.path("missing.yaml")) }
  }

  @Test func `The line has the speed that the program on the chip sets`() throws {
    // ldi r16, 16; sts UBRR0L, r16; ldi r16, 2; sts UCSR0A, r16; ldi r16, 0x10; sts UCSR0B, r16;
    // rjmp .-2: 16 MHz / 8 / 17 is 117 647 baud, what an Uno has for 115 200.
    let words: [UInt16] = [
      0xE100, 0x9300, 0x00C4, 0xE002, 0x9300, 0x00C0, 0xE100, 0x9300, 0x00C1, 0xCFFF,
    ]
    let files = try TestFolder()
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    try files.write(HexBuilder.file([(address: 0, bytes: bytes)]), "fast.hex")
    let device = Device.chip(files.path("fast.hex"))
    #expect(try VirtualTurret(device: device).trace().contains(#""baud": 115200"#))
    let stated = try VirtualTurret(device: device, baud: 57_600).trace()
    #expect(stated.contains(#""baud": 57600"#))
  }

  @Test func `A rule about how the program runs is judged from the start`() throws {
    // sei; cli; ldi r17, 0; dec r17; brne .-4; sei; rjmp .-2: off for 48 us.
    let words: [UInt16] = [0x9478, 0x94F8, 0xE010, 0x951A, 0xF7F1, 0x9478, 0xCFFF]
    let files = try TestFolder()
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    try files.write(HexBuilder.file([(address: 0, bytes: bytes)]), "off.hex")
    let turret = try VirtualTurret(device: .chip(files.path("off.hex")))
    #expect(throws: TurretError.self) { try turret.expect(.loop(atMost: .milliseconds(20))) }
    try turret.expect(.interruptsOff(below: .microseconds(100)))
    let found = try failures {
      try turret.expect(.interruptsOff(below: .microseconds(40)))
      try turret.run(until: .milliseconds(100))
      try turret.end()
    }
    #expect(found.count == 1)
    #expect(found.first?.text.contains("kept interrupts off for 48 us") == true, "\(found)")
    let late = try VirtualTurret(device: .chip(files.path("off.hex")))
    try late.run(until: .milliseconds(100))
    #expect(throws: TurretError.self) {
      try late.expect(.interruptsOff(below: .microseconds(100)))
    }
  }

  @Test func `A rule can be about a pin of the chip`() throws {
    let files = try TestFolder()
    try files.write(HexBuilder.pulser, "pulser.hex")
    try files.write("commands: [F]\npins: {fire: D7}\n", "turret.yaml")
    let turret = try VirtualTurret(
      device: .chip(files.path("pulser.hex"), pins: ["D8"]), profile: files.path("turret.yaml"))
    try turret.send("F", at: .seconds(1)).send("F", at: .seconds(2)).run(until: .seconds(3))
    let time = try turret.expect(.pin("fire", 1), within: .milliseconds(5), of: "F")
    #expect(time == .microseconds(1_001_043))
    let pulse = Output.pinPulse("D7", atLeast: .milliseconds(3), atMost: .milliseconds(5))
    #expect(try turret.expect(pulse, within: .milliseconds(5), of: "F") == .microseconds(2_001_043))
    try turret.never(.pin("D8", 1))
    try turret.expect(.count(pulse, 3))
    try turret.expect(.ends(pins: ["fire": 0]))
    let pulses = try failures { try turret.never(.pinPulse("fire", atLeast: .milliseconds(4))) }
    #expect(
      pulses.map { $0.text.contains("fire (D7) had a pulse of 4 ms at 1.001043 s") } == [true])
    try turret.send("F").run(until: .seconds(4))
    // What it did before is not known.
    let early = try failures {
      try turret.expect(.pin("D13", 1), within: .milliseconds(5), of: "F")
    }
    #expect(early.map { $0.text.contains("D13 is watched only since 4") } == [true])
    #expect(throws: TurretError.self) { try turret.expect(.pin("D7", 2)) }
    #expect(throws: TurretError.self) { try turret.never(.servo(90)) }
    #expect(throws: TurretError.self) { try turret.expect(.count(.pin("D7", 1), 1)) }
    #expect(throws: TurretError.self) { try turret.expect(exactly: .pinPulse("D7")) }
    #expect(throws: TurretError.self) { try turret.expect(.ends(pins: ["D7": 3])) }
    #expect(throws: TurretError.self) {
      try VirtualTurret(device: .chip(files.path("pulser.hex"), pins: ["D99"]))
    }
  }

  @Test func `The chip's inputs have what the test applies to them`() throws {
    let files = try TestFolder()
    try files.write(HexBuilder.follower, "follower.hex")
    let turret = try VirtualTurret(device: .chip(files.path("follower.hex"), pins: ["D7"]))
    try turret.set("D2", true, at: .seconds(1)).set("D2", false, at: .milliseconds(1_500))
      .analog("D2", volts: 4, at: .seconds(2)).analog("D2", volts: 0.5, at: .milliseconds(2_250))
      .set("D2", true, at: .seconds(3)).run(until: .seconds(4))
    let times = try [1, 0, 1, 0, 1].map { try turret.expect(.pin("D7", $0)) }
    for (time, applied) in zip(times, [1_000, 1_500, 2_000, 2_250, 3_000]) {
      let delay = try #require(time) - .milliseconds(applied)
      #expect(delay >= .zero && delay < .microseconds(2), "\(applied)")
    }
    let again = try VirtualTurret(device: .chip(files.path("follower.hex"), pins: ["D7"]))
    try again.set("D2", true, at: .seconds(1)).set("D2", false, at: .milliseconds(1_250))
      .set("D2", true, at: .seconds(2)).run(until: .seconds(3))
    try again.expect(.duty("D7", 24.9...25.1))
    #expect(throws: TurretError.self) { try turret.set("D99", true) }
    #expect(throws: TurretError.self) { try turret.analog("A0", volts: 6) }
    #expect(throws: TurretError.self) { try turret.expect(.duty("D7", 50...101)) }
  }

  @Test func `The pulses of a servo that never begin or stop are missed`() throws {
    let files = try TestFolder()
    try files.write(HexBuilder.follower, "follower.hex")
    let found = try failures {
      let turret = try VirtualTurret(
        device: .chip(files.path("follower.hex")), patience: .seconds(1))
      try turret.expect(.attached("D9"))
      try turret.expect(.detached("D9"))
    }
    #expect(found.count == 2)
    for (failure, rule) in zip(found, ["attached D9 failed", "detached D9 failed"]) {
      #expect(failure.text.contains(rule), "\(failure)")
    }
  }

  @Test func `A fault excuses a mishap, and has to be recovered from`() throws {
    let failures = try failures {
      let turret = try VirtualTurret(.classic, faults: ["drop:50%"], seed: 3)
      try turret.expect(.neverUnlessFault(.lost))
      try turret.never(.lost)
      try turret.expect(.recovers(within: .milliseconds(1)))
      for index in 0..<10 { try turret.send("X110.", at: .milliseconds(1_500 + 100 * index)) }
      try turret.run(until: .seconds(4)).end()
    }
    #expect(failures.count == 2, "\(failures)")
    for (failure, rule) in zip(failures, ["never lost failed", "recovers within 1 ms"]) {
      #expect(failure.text.contains(rule), "\(failure)")
    }
    let turret = try VirtualTurret(.classic)
    #expect(throws: TurretError.self) { try turret.expect(.neverUnlessFault()) }
    #expect(throws: TurretError.self) { try turret.expect(.recovers(within: .zero)) }
  }

  @Test func `The shaft follows the commanded angle`() throws {
    let turret = try VirtualTurret(.classic)
    try turret.send("X110.", at: .milliseconds(1_500)).run(until: .seconds(3))
    #expect(abs(try turret.shaft - 110) < 1)
  }

  @Test func `Each run has the same result`() throws {
    func trace() throws -> String {
      let turret = try VirtualTurret(.guarded, pulses: true)
      try turret.send("X45.", at: .seconds(1)).send("L", at: .seconds(2)).run(until: .seconds(5))
      return try turret.trace()
    }
    let first = try trace()
    #expect(try trace() == first)
  }

  @Test func `A rule that breaks is recorded at the end`() throws {
    let failures = try failures {
      let turret = try VirtualTurret(.classic)
      try turret.send("X110.!", at: .seconds(2))
      try turret.never(.junk)
      try turret.run(until: .seconds(3))
      try turret.end()
    }
    #expect(failures.map { $0.text.contains("never junk failed") } == [true])
  }

  @Test func `The end comes with the object`() throws {
    let failures = try failures { _ = try VirtualTurret(.classic).never(.lost) }
    #expect(failures.map { $0.text.contains("never lost failed") } == [true])
  }

  @Test func `After its end a turret takes nothing`() throws {
    let turret = try VirtualTurret()
    try turret.end()
    try turret.end()
    #expect(throws: TurretError.self) { try turret.send("L") }
  }

  /// The seed is the case, so a failure names it.
  @Test(arguments: 1...20) func `Nothing that a test sends or expects traps`(_ seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let firmware = try #require(Firmware.allCases.randomElement(using: &random))
    // Whether a rule holds does not matter.
    let failures = try failures {
      let turret = try VirtualTurret(firmware, patience: .milliseconds(100))
      for _ in 0..<20 {
        let bytes = (0..<Int.random(in: 1...8, using: &random)).map { _ in
          Bool.random(using: &random)
            ? UInt8.random(in: 0...255, using: &random) : Array("XL0159.".utf8)[Int(seed % 7)]
        }
        let number = Int.random(in: -10...200, using: &random)
        let time = Duration.milliseconds(Int64.random(in: -10...3_000, using: &random))
        let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        do {
          switch Int.random(in: 0..<8, using: &random) {
          case 0: try turret.send(bytes)
          case 1: try turret.send(text, at: time)
          case 2: try turret.run(until: time)
          case 3: try turret.expect(.servo(number), within: time, of: text)
          case 4: try turret.expect(.shaft(Double(number), ±Double(number)), before: time)
          case 5: try turret.expect(exactly: .tone(Double(number)), .transmit(text))
          case 6: try turret.expect(.commands(min(number, 3)...max(number, 3)))
          default: try turret.never(.lost, .abandoned)
          }
        } catch is TurretError {
          continue
        }
      }
      try turret.end()
    }
    #expect(failures.allSatisfy { $0.text.contains(" failed") })
  }

  @Test func `Time does not go back`() throws {
    let turret = try VirtualTurret().run(until: .seconds(1))
    #expect(throws: TurretError.self) { try turret.run(until: .milliseconds(500)) }
  }

  @Test func `A session becomes the smallest one that breaks a rule`() throws {
    let turret = try VirtualTurret(.classic)
    for index in 0..<40 {
      let time = Duration.milliseconds(1_500 + 200 * index)
      try turret.send(index == 20 ? "X100" : "X\(index).", at: time)
    }
    try turret.run(until: .seconds(12))
    let trace = try turret.shrink(.never(.swallowed))
    #expect(trace.contains(#"[1.500000, "rx", "X100X."]"#))
    #expect(trace.split(separator: "\n").count == 4)
    #expect(try turret.shrink().contains(#""rx""#))
    #expect(throws: TurretError.self) { try turret.shrink(.angles(0...180)) }
  }
}
