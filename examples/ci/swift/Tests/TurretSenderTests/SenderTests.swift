import SentryBenchTesting
import Testing
import TurretSender

@Suite(.recordsTurret(in: ".build/turrets")) struct SenderTests {
  @Test(arguments: [Firmware.classic, .guarded]) func `The turret aims within 50 ms`(
    _ firmware: Firmware
  ) async throws {
    try await Turret.run(firmware) { turret in
      try await turret.never(.lost, .junk)
      let sender = try Sender(port: turret.port)
      try sender.aim(at: 110)
      try await turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
      try await turret.expect(.shaft(110, ±2), within: .milliseconds(500))
    }
  }

  @Test func `No angle is beyond what the mount allows`() async throws {
    try await Turret.run { turret in
      try await turret.expect(.angles(Sender.angles))
      let sender = try Sender(port: turret.port)
      try sender.aim(at: 180)
      try await turret.expect(.servo(150), of: "X*.")
      try sender.aim(at: -20)
      try await turret.expect(.servo(30), of: "X*.")
    }
  }

  @Test func `An angle is sent once`() async throws {
    try await Turret.run { turret in
      try await turret.expect(.commands(2))
      let sender = try Sender(port: turret.port)
      for _ in 1...3 { try sender.aim(at: 45) }
      try sender.aim(at: 135)
      try await turret.expect(exactly: .servo(45), .servo(135))
    }
  }

  @Test func `A sweep ends when the turret is aimed`() async throws {
    try await Turret.run { turret in
      let sender = try Sender(port: turret.port)
      try sender.sweep()
      try sender.aim(at: 60)
      try await turret.expect(.servo(60), of: "X60.")
      try await turret.expect(.ends(servo: 60, sweeping: false))
    }
  }

  /// Tests the sketch, not the sender: in virtual time, so that the result is always the same.
  @Test func `A command without its full stop has no effect`() throws {
    let turret = try VirtualTurret(.classic)
    try turret.send("X110", at: .seconds(2)).run(until: .seconds(10))
    #expect(try turret.state.servo == 90)
    try turret.send(".")
    try turret.expect(.servo(110), within: .milliseconds(50))
  }
}
