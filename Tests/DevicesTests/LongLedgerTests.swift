import Devices
import Sketches
import TestSupport
import Testing
import Traces

/// Ledgers of sessions with more bytes than are listed.
@Suite struct LongLedgerTests {
  private static func ledger(
    _ bytes: [UInt8], _ firmware: Firmware, _ ledger: Ledger
  ) -> Ledger {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    var simulation = Simulation(
      Model(firmware, for: header, showsPulses: false), ledger: ledger)
    var now = Instant.zero
    for chunk in stride(from: 0, to: bytes.count, by: 500) {
      now += .milliseconds(500)
      while simulation.step(to: now) {}
      let part = Array(bytes[chunk..<min(chunk + 500, bytes.count)])
      simulation.feed(Event(now, .receive(part)))
    }
    while simulation.step(to: now + .seconds(20)) {}
    return simulation.finishLedger()
  }

  /// Commands, and single numbers that are longer than what is kept.
  private static func bytes(_ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let words = ["X45.", "L", "T", "X1", "?", "V\n", "20.", "OC"]
    var bytes: [UInt8] = []
    while bytes.count < 12_000 {
      bytes += Array(words.randomElement(using: &generator)!.utf8)
      if bytes.count / 3_000 != (bytes.count + 7) / 3_000 {
        bytes += Array("X".utf8) + Array(repeating: UInt8(ascii: "7"), count: 6_000)
      }
    }
    return bytes
  }

  @Test(arguments: Firmware.allCases, UInt64(1)...3)
  func `The first bytes are listed as without a limit, and all are counted`(
    _ firmware: Firmware, _ seed: UInt64
  ) throws {
    let bytes = Self.bytes(seed)
    let whole = Self.ledger(bytes, firmware, Ledger())
    let long = Self.ledger(bytes, firmware, Ledger(listing: 100))
    #expect(whole.listEnd == nil && whole.unlisted.isEmpty)
    #expect(!long.entries.isEmpty && long.entries.count <= 100)
    #expect(long.entries == Array(whole.entries.prefix(long.entries.count)))
    #expect(long.listEnd == whole.entries[long.entries.count].arrived)
    #expect(long.fateCounts.filter { $0.value != 0 } == whole.fateCounts)
    #expect(long.arrivals == bytes.count)
  }

  @Test func `A list that begins later has the bytes from then on`() throws {
    let bytes = Self.bytes(4)
    let whole = Self.ledger(bytes, .guarded, Ledger())
    let from = whole.entries[10_000].arrived
    let long = Self.ledger(bytes, .guarded, Ledger(listing: 100, from: from))
    let listed = long.entries.filter { $0.arrived >= from }
    #expect(!listed.isEmpty)
    #expect(listed == Array(whole.entries[10_000...].prefix(listed.count)))
  }

  @Test func `A session that is not much longer than the list is listed as a whole`() {
    let bytes = Array(Self.bytes(5).prefix(500))
    let whole = Self.ledger(bytes, .guarded, Ledger())
    let long = Self.ledger(bytes, .guarded, Ledger(listing: 100))
    #expect(long.entries == whole.entries && long.listEnd == nil)
  }

  @Test func `Losses after the list are counted`() {
    var ledger = Ledger(listing: 10)
    for index in 0..<20_000 {
      ledger.arrived(0x41, at: .zero + .milliseconds(Int64(index)))
    }
    ledger.dropUnlisted()
    #expect(ledger.entries.count == 9)
    ledger.markLost([
      (.zero + .milliseconds(5), 0x41, .ringFull), (.zero + .seconds(9), 0x41, .ringFull),
    ])
    #expect(ledger.fateCounts[.ringFull] == 2)
    #expect(ledger.fateCounts.values.reduce(0, +) == 20_000)
  }
}
