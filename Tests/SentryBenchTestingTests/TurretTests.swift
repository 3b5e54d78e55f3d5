import SentryBenchTesting
import Testing

/// A turret in a test of its own, as a sender's author uses it.
@Suite struct TurretTests {
  @Test func `A command that is sent moves the servo`() async throws {
    try await Turret.run(.guarded) { turret in
      try await turret.send("X110.")
      try await turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
      try await turret.never(.lost, .junk)
    }
  }
}
