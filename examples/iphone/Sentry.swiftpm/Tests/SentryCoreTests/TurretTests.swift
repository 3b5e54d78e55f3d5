import Aim
import SentryBenchModels
import SentryCore
import Testing

/// What the app sends, judged by a turret in virtual time.
@Suite struct TurretTests {
  /// Sends what the phone has sent, at the same times.
  private func receive(_ phone: Phone, on turret: VirtualTurret) throws {
    for command in phone.sent { try turret.send(command.bytes, at: .seconds(command.time)) }
  }

  private func face(at x: Double) -> Observation {
    Observation(.face, box: Box(x - 0.1, 0.4, 0.2, 0.2))
  }

  @Test(arguments: Firmware.allCases)
  func `Each sketch follows a visitor, and no byte is lost`(_ firmware: Firmware) throws {
    var phone = Phone()
    // From left to right in four seconds, at 15 pictures a second.
    for index in 0...60 {
      phone.see([face(at: 0.2 + 0.01 * Double(index))], at: 2 + Double(index) / 15)
    }
    let turret = try VirtualTurret(firmware)
    try receive(phone, on: turret)
    try turret.never(.lost, .junk, .swallowed, .abandoned)
    try turret.expect(.servo(90), within: .milliseconds(50), of: "X90.")
    try turret.run(until: .seconds(8))
    let last = try #require(phone.log.last)
    #expect("X\(try turret.state.servo ?? -1)." == last)
    #expect(try abs(turret.shaft - Double(turret.state.servo ?? 0)) < 1)
  }

  @Test func `The turret sweeps while the phone is locked`() throws {
    var phone = Phone()
    phone.see([face(at: 0.3)], at: 2)
    phone.enter(.background, at: 3)
    let turret = try VirtualTurret(.guarded)
    try receive(phone, on: turret)
    try turret.run(until: .seconds(4))
    #expect(try turret.state.isSweeping)
  }
}
