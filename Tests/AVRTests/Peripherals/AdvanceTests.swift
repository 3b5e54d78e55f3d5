import TestSupport
import Testing

@testable import AVR

@Suite("Advancing the peripherals")
struct AdvanceTests {
  /// Random actions are applied to two copies of the chip. One copy also stops at random instants
  /// in between.
  @Test(arguments: 0..<150)
  func `Advancing in steps gives the same result as advancing at once`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var whole = Peripherals()
    var parts = Peripherals()
    var cycle: UInt64 = 0

    func both(_ body: (inout Peripherals) -> Void) {
      body(&whole)
      body(&parts)
    }

    for _ in 0..<80 {
      let longest: UInt64 = 1 << UInt64.random(in: 1...16, using: &random)
      let span = UInt64.random(in: 0...longest, using: &random)
      for _ in 0..<3 {
        parts.advance(to: cycle + UInt64.random(in: 0...span / 3, using: &random))
        if parts.nextEvent <= cycle + span { parts.advance(to: parts.nextEvent) }
      }
      cycle += span
      let address = UInt16.random(in: 0x20...0xC6, using: &random)
      let value = UInt8.random(in: 0...255, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        let frame = ReceivedFrame(
          value, hasFramingError: value & 1 != 0, hasParityError: value & 2 != 0,
          ninthBit: value & 4 != 0)
        both { $0.receive(frame, at: cycle) }
      case 1: both { $0.startBit(at: cycle) }
      case 2: both { $0.drive(Pin(.D, value & 7), value & 8 != 0, at: cycle) }
      case 5:
        let microvolts = Int32(value) * 19_600
        both { $0.apply(microvolts: microvolts, to: Pin(.C, value & 7), at: cycle) }
      case 3: both { _ = $0.read(address, at: cycle, pc: 0) }
      case 4:
        both {
          $0.advance(to: cycle)
          if let vector = $0.pendingVector() { $0.acknowledge(vector, at: cycle) }
        }
      default: both { $0.write(value, to: address, at: cycle, pc: 0) }
      }
      whole.advance(to: cycle)
      parts.advance(to: cycle)
      #expect(whole.nextEvent > cycle)
    }
    #expect(whole.events == parts.events)
    #expect(whole == parts)
    let times = whole.events.map(\.cycle)
    #expect(times == times.sorted())
  }

  /// Between events no value that a program can read changes, except those that drift.
  @Test(arguments: 0..<60)
  func `A register reads the same until the next event`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var chip = Peripherals()
    for _ in 0..<60 {
      let address = UInt16.random(in: 0x20...0xC6, using: &random)
      chip.write(UInt8.random(in: 0...255, using: &random), to: address, at: 0, pc: 0)
    }
    var cycle: UInt64 = 10
    chip.advance(to: cycle)
    for _ in 0..<40 {
      var later = chip
      let end = min(chip.nextEvent, cycle + 100_000) - 1
      for address in UInt16(0x20)...0xC6 where Peripherals.drift(of: address) == .none {
        let register = Register(rawValue: address)
        if register == nil || register == .UDR0 || register == .TCNT1H || register == .ICR1H {
          continue
        }
        #expect(
          chip.read(address, at: cycle, pc: 0) == later.read(address, at: end, pc: 0),
          "\(address) from \(cycle) to \(end)")
      }
      #expect(chip.isInterruptPending == later.isInterruptPending)
      guard chip.nextEvent != .max else { break }
      cycle = chip.nextEvent
      chip.advance(to: cycle)
    }
  }
}
