import SentryBenchModels
import Testing

/// A turret in virtual time, by the library that needs no ports and no files.
@Suite struct ModelTurretTests {
  @Test(arguments: Firmware.allCases) func `Every sketch aims`(_ firmware: Firmware) throws {
    let turret = try VirtualTurret(firmware)
    try turret.send("X110.", at: .seconds(2))
    try turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
    try turret.never(.lost, .junk)
    try turret.run(until: .seconds(4))
    #expect(try turret.shaft == 110)
    #expect(try turret.trace().contains(#""source": "sentrybench, model""#))
    #expect(try turret.plot().hasPrefix("<svg"))
    #expect(try turret.explain().contains(".     terminator   1"))
    try turret.end()
    #expect(throws: TurretError.self) { try turret.send("L") }
  }

  @Test func `A session can be shrunk without a file`() throws {
    let turret = try VirtualTurret(.classic)
    try turret.send("X110.", at: .seconds(2)).send("Q", at: .seconds(3)).run(until: .seconds(4))
    let smallest = try turret.shrink(.never(.junk))
    #expect(smallest.contains(#""title": "never junk failed""#), "\(smallest)")
    #expect(smallest.matches(of: /"rx", "."]/).count == 1 && !smallest.contains("X110"))
    #expect(throws: TurretError.self) { try turret.shrink(.never(.lost)) }
  }

  @Test func `What is not possible is refused`() throws {
    #expect(throws: TurretError.self) { try VirtualTurret(baud: 0) }
    #expect(throws: TurretError.self) { try VirtualTurret(faults: ["reorder"]) }
    #expect(throws: TurretError.self) { try VirtualTurret(patience: .seconds(-1)) }
    let turret = try VirtualTurret()
    #expect(throws: TurretError.self) { try turret.set("D7", true) }
    #expect(throws: TurretError.self) { try turret.run(until: .seconds(100_000)) }
  }
}
