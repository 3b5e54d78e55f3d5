import SentryBenchTesting
import Testing

/// A turret whose time passes as a test says.
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
    try withKnownIssue {
      let turret = try VirtualTurret(.classic)
      try turret.send("X110.!", at: .seconds(2))
      try turret.never(.junk)
      try turret.run(until: .seconds(3))
      try turret.end()
    } matching: { issue in
      issue.comments.first?.rawValue.contains("never junk failed") == true
    }
  }

  @Test func `The end comes with the object`() throws {
    withKnownIssue {
      _ = try VirtualTurret(.classic).never(.lost)
    }
  }

  @Test func `After its end a turret takes nothing`() throws {
    let turret = try VirtualTurret()
    try turret.end()
    try turret.end()
    #expect(throws: TurretError.self) { try turret.send("L") }
  }

  @Test func `Time does not go back`() throws {
    let turret = try VirtualTurret().run(until: .seconds(1))
    #expect(throws: TurretError.self) { try turret.run(until: .milliseconds(500)) }
  }
}
