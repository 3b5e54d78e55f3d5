import SentryBenchTesting
import Testing

/// What each figure of swift_testing.py runs, one test after the other.
@Suite(.serialized) struct EmptyTests {
  @Test(arguments: 20..<70) func empty(_ degrees: Int) async throws {
    #expect(degrees > 0)
  }
}

@Suite(.serialized) struct TurretTests {
  @Test(arguments: 20..<70) func turret(_ degrees: Int) async throws {
    try await Turret.run { turret in
      #expect(!turret.port.isEmpty)
    }
  }
}

@Suite(.serialized) struct AimTests {
  @Test(arguments: 20..<70) func aim(_ degrees: Int) async throws {
    try await Turret.run { turret in
      try await turret.never(.lost, .junk)
      try await turret.send("X\(degrees).")
      try await turret.expect(.servo(degrees), within: .milliseconds(50), of: "X\(degrees).")
    }
  }
}

@Suite(.serialized) struct VirtualTests {
  @Test(arguments: 20..<70) func virtual(_ degrees: Int) throws {
    let turret = try VirtualTurret()
    try turret.never(.lost, .junk)
    try turret.send("X\(degrees).")
    try turret.expect(.servo(degrees), within: .milliseconds(50), of: "X\(degrees).")
  }
}
