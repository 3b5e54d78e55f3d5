import Sketches
import Testing
import Traces

@testable import Captures

@Suite struct LogicRoleTests {
  /// Returns two lines and a servo's pin with these names.
  private func wave(_ names: [String]) -> LogicWave {
    var wave = LogicWave(names, idle: [true, true, false], ms: 100)
    wave.send("X90.", at: 20_000_000)
    wave.send("ok", on: 1, at: 40_000_000)
    wave.pulse(1_472_000, at: 10_000_000)
    wave.pulse(1_472_000, at: 30_000_000)
    return wave
  }

  @Test(arguments: [
    ["RX", "TX", "SERVO"], ["rx", "tx", "servo"], ["D0", "D1", "D9"], ["d0", "d1", "pb1"],
    ["UART RXD", "UART TXD", "PWM"], ["RX", "TX", "CH2"], ["RX", "B", "C"], ["D0", "D1", "D2"],
  ])
  func `Roles come from names, or from what the only other channel does`(names: [String]) throws {
    let capture = try Capture([wave(names).vcd()])
    #expect(capture.summary.channels.map { $0.role } == ["rx", "tx", "servo"])
    let events = try capture.all
    #expect(events.received == Array("X90.".utf8))
    #expect(events.sent == Array("ok".utf8))
    #expect(events.pulses == [1_472, 1_472])
  }

  @Test func `Two lines without names are a doubt that names them`() throws {
    let file = wave(["A", "B", "C"]).vcd()
    let error = #expect(throws: CaptureError.self) { try Capture([file]) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("A (0) and B (1)") == true)
    var options = CaptureOptions()
    options.isListing = true
    let listed = try Capture([file], options).summary
    #expect(listed.notes.contains { $0.contains("A (0) and B (1)") })
    #expect(listed.channels.count == 3)
    options = CaptureOptions()
    options.rxChannel = "1"
    options.txChannel = "a"
    let events = try Capture([file], options).all
    #expect(events.received == Array("ok".utf8))
    #expect(events.sent == Array("X90.".utf8))
  }

  @Test func `A channel that does not exist is refused with those that do`() {
    var options = CaptureOptions()
    options.rxChannel = "RY"
    let error = #expect(throws: CaptureError.self) {
      try Capture([wave(["RX", "TX", "SERVO"]).vcd()], options)
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("RX (0), TX (1) or SERVO (2)") == true)
  }

  @Test func `A recording without bytes and pulses says why`() {
    let error = #expect(throws: CaptureError.self) {
      try Capture([LogicWave(["RX"], idle: [true], ms: 100).vcd()])
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("RX never changes") == true)
  }

  @Test func `Pulses that are sampled too coarsely are not expected`() throws {
    var wave = LogicWave(ms: 100)
    wave.send("X90.", at: 20_000_000)
    wave.pulse(1_472_000, at: 10_000_000)
    let capture = try Capture([wave.sr(rate: 500_000)])
    #expect(capture.header.expects == [])
    #expect(try capture.all.pulses == [1_472])
    #expect(capture.summary.notes.contains { $0.contains("too coarsely") })
  }
}
