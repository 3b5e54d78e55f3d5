import Testing

@testable import Turret

struct LedgerTests {
  @Test func `A byte that arrived before the ledger began has no entry and does no harm`() {
    var ledger = Ledger()
    ledger.took(.letter, at: .zero, endedScan: false)
    ledger.lost(.ringFull)
    #expect(ledger.entries.isEmpty)
    ledger.arrived(0x58, at: .zero + .milliseconds(1))
    ledger.took(.letter, at: .zero + .milliseconds(2), endedScan: false)
    #expect(ledger.entries.map(\.fate) == [.letter])
    #expect(ledger.commands == 1)
  }
}
