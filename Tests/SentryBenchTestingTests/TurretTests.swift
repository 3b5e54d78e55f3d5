import Platform
import SentryBenchTesting
import SystemPackage
import TestSupport
import Testing

/// A turret in a test, as a sender's author uses it.
@Suite(.ownThread) struct TurretTests {
  @Test(arguments: Firmware.allCases) func `A command through the serial port moves the servo`(
    _ firmware: Firmware
  ) async throws {
    try await Turret.run(firmware) { turret in
      let port = try FileDescriptor.open(turret.port, .readWrite)
      defer { try? port.close() }
      _ = try port.writeAll("X110.".utf8)
      let time = try await turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
      #expect(time != nil)
      try await turret.never(.lost, .junk)
    }
  }

  @Test func `A command through bare TCP moves the servo`() async throws {
    try await Turret.run { turret in
      let socket = try TestSocket(turret.tcp)
      try socket.write("X45.")
      try await turret.expect(.servo(45))
      try await turret.expect(.commands(1))
    }
  }

  @Test func `A WebSocket is accepted at its address`() async throws {
    try await Turret.run { turret in
      let address = turret.webSocketURL.dropFirst("ws://".count).dropLast()
      let socket = try TestSocket(String(address))
      try socket.write(
        "GET / HTTP/1.1\r\nHost: \(address)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
      #expect(try socket.read().hasPrefix("HTTP/1.1 101"))
      // A text frame with a mask of zeros.
      try socket.write([0x81, 0x84, 0, 0, 0, 0] + Array("X60.".utf8))
      try await turret.expect(.servo(60))
    }
  }

  @Test func `A sender's environment has the addresses`() async throws {
    try await Turret.run { turret in
      #expect(turret.environment["SENTRY_PORT"] == turret.port)
      #expect(turret.environment["SENTRY_WEBSOCKET"] == turret.webSocketURL)
      #expect(turret.environment["SENTRY_TCP"] == turret.tcp)
    }
  }

  @Test func `Expectations are met in the order in which they are stated`() async throws {
    try await Turret.run { turret in
      try await turret.send("X45.X135.X45.")
      let first = try #require(try await turret.expect(.servo(45)))
      let second = try #require(try await turret.expect(.servo(135)))
      let third = try #require(try await turret.expect(.servo(45)))
      #expect(first < second && second < third)
    }
  }

  @Test func `Every kind of output can be expected`() async throws {
    try await Turret.run(.buzzer, pulses: true) { turret in
      try await turret.send("X110.")
      try await turret.expect(.servo(108...112), of: "X*.")
      try await turret.expect(.pulse(1_678), within: .milliseconds(100))
      try await turret.expect(.shaft(110, ±2), within: .seconds(1))
      try await turret.send("T")
      try await turret.expect(.tone(800))
    }
  }

  @Test func `A board's answer can be expected`() async throws {
    try await Turret.run(.guarded) { turret in
      try await turret.send("?")
      try await turret.expect(.transmit("*"))
    }
  }

  @Test func `The rules of the session as a whole hold`() async throws {
    try await Turret.run { turret in
      try await turret.expect(.angles(30...150))
      try await turret.expect(.rate(30, per: .seconds(1)))
      try await turret.expect(.gap(.milliseconds(1)))
      try await turret.expect(.commands(1...2))
      try await turret.expect(.ends(servo: 135, sweeping: false))
      try await turret.expect(.quiet(.milliseconds(10)))
      try await turret.expect(.never(.reset, .wrongSpeed))
      try await turret.send("X45.X135.")
      try await turret.expect(exactly: .servo(45), .servo(135))
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func `The state is that of the model`() async throws {
    try await Turret.run { turret in
      try await turret.send("X110.")
      try await turret.expect(.servo(110))
      try await turret.expect(.shaft(110, ±1))
      let state = try await turret.state
      #expect(state.servo == 110)
      #expect(abs(state.shaft - 110) <= 1)
      #expect(state.isReady && !state.isSweeping)
      let shaft = try await turret.shaft
      #expect(abs(shaft - 110) <= 1)
    }
  }

  @Test func `A session explains itself`() async throws {
    try await Turret.run { turret in
      try await turret.send("X110.")
      try await turret.expect(.servo(110))
      let (explanation, picture) = (try await turret.explain(), try await turret.plot())
      let trace = try await turret.trace()
      #expect(explanation.contains("X"))
      #expect(picture.hasPrefix("<svg"))
      #expect(trace.contains(#""rx", "X110.""#))
    }
  }

  @Test func `The chip's inputs have what the test applies to them`() async throws {
    let files = try TestFolder()
    try files.write(HexBuilder.follower, "follower.hex")
    try await Turret.run(device: .chip(files.path("follower.hex"), pins: ["D7"])) { turret in
      try await turret.set("D2", true)
      try await turret.expect(.pin("D7", 1))
      try await turret.analog("D2", volts: 0.5)
      try await turret.expect(.pin("D7", 0))
      try await turret.never(.pinPulse("D7", atLeast: .seconds(600)))
      await #expect(throws: TurretError.self) { try await turret.never(.servo(90)) }
      await #expect(throws: TurretError.self) { try await turret.set("A6", true) }
      await #expect(throws: TurretError.self) { try await turret.analog("D2", volts: -1) }
    }
  }

  @Test func `A session becomes the smallest one that breaks a rule`() async throws {
    try await Turret.run(.classic) { turret in
      try await turret.send("X110.!X45.")
      try await turret.expect(.servo(45))
      let trace = try await turret.shrink(.never(.junk))
      #expect(trace.contains(#""rx""#) && !trace.contains("X110"), "\(trace)")
      await #expect(throws: TurretError.self) { try await turret.shrink(.angles(0...180)) }
    }
  }

  @Test func `Bytes can be sent later`() async throws {
    try await Turret.run { turret in
      // On a busy machine, the time can have passed before the request.
      var delay = Duration.milliseconds(500)
      var due: Duration?
      while due == nil {
        let time = try await turret.state.time + delay
        do {
          try await turret.send("X110.", at: time)
          due = time
        } catch {
          guard delay < .seconds(60) else { throw error }
          delay *= 4
        }
      }
      let time = try await turret.expect(.servo(110))
      #expect(try #require(time) >= #require(due))
    }
  }

  @Test func `A start-up that is not awaited can be watched`() async throws {
    try await Turret.run(.classic, ready: false) { turret in
      let state = try await turret.state
      // The sketch listens a second after its start. On a busy machine, that second can be over.
      if state.time < .seconds(1) { #expect(!state.isReady) }
      if state.time > .milliseconds(1_100) { #expect(state.isReady) }
    }
  }

  @Test func `A start-up that is awaited is over when the body begins`() async throws {
    try await Turret.run(.classic) { turret in
      let state = try await turret.state
      #expect(state.isReady && state.time > .seconds(1))
    }
  }

  @Test func `What the body returns is returned`() async throws {
    let seven = try await Turret.run { _ in 7 }
    #expect(seven == 7)
  }

  @Test func `Many turrets run at once`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for degrees in 30..<60 {
        group.addTask {
          try await Turret.run { turret in
            try await turret.send("X\(degrees).")
            try await turret.expect(.servo(degrees))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
