import Testing

@testable import Sketches

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

  /// A ledger that follows reads, with these bytes 1 ms apart.
  private static func ledger(_ bytes: [UInt8]) -> Ledger {
    var ledger = Ledger(followsReads: true)
    for (index, byte) in bytes.enumerated() {
      ledger.arrived(byte, at: .zero + .milliseconds(Int64(index)))
    }
    return ledger
  }

  @Test func `A byte that the program's UART did not receive shifts no other`() {
    var ledger = Ledger(followsReads: true)
    ledger.arrived(1, at: .zero)
    ledger.lost(.booting, .portClosed)
    for byte in [2, 3] as [UInt8] {
      ledger.arrived(byte, at: .zero + .milliseconds(1))
      ledger.readUART()
      ledger.tookRead(at: .zero + .milliseconds(2))
    }
    #expect(ledger.entries.map(\.fate) == [.booting, .taken, .taken])
    #expect(ledger.entries.map(\.deafness) == [.portClosed, nil, nil])
  }

  @Test func `What the UART no longer holds was discarded, the oldest first`() {
    var ledger = Self.ledger([1, 2, 3])
    ledger.keepUnread(3)
    #expect(ledger.entries.allSatisfy { $0.fate == .waiting })
    ledger.keepUnread(1)
    #expect(ledger.entries.map(\.fate) == [.cleared, .cleared, .waiting])
    #expect(ledger.entries.map(\.deafness) == [.portClosed, .portClosed, nil])
    ledger.readUART()
    ledger.tookRead(at: .zero + .milliseconds(9))
    #expect(ledger.entries.map(\.fate) == [.cleared, .cleared, .taken])
  }

  @Test func `A program that empties its ring loses what it had read and not taken`() {
    var ledger = Self.ledger([1, 2, 3, 4])
    for _ in 1...3 { ledger.readUART() }
    ledger.tookRead(at: .zero + .milliseconds(5))
    ledger.clearReads()
    #expect(ledger.entries.map(\.fate) == [.taken, .cleared, .cleared, .waiting])
    ledger.readUART()
    ledger.tookRead(at: .zero + .milliseconds(6))
    #expect(ledger.entries.map(\.fate) == [.taken, .cleared, .cleared, .taken])
  }
}
