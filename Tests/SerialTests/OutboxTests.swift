import Sketches
import Testing

@testable import Serial

@Suite struct OutboxTests {
  private static func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Carries out all steps at once. Returns them in words.
  private static func work(off outbox: inout Outbox, by count: Int = 4_096) -> [String] {
    var deeds: [String] = []
    while true {
      switch outbox.step {
      case .nothing: return deeds
      case .write(let bytes):
        let written = bytes.prefix(count)
        deeds.append(String(decoding: written, as: UTF8.self))
        outbox.wrote(written.count, at: .zero)
      case .setSpeed(let speed):
        deeds.append("\(speed)")
        outbox.didSetSpeed()
      }
    }
  }

  enum Input: Sendable {
    case bytes(String)
    case baud(Int)
  }

  static let table: [(inputs: [Input], deeds: [String])] = [
    ([], []),
    ([.bytes("X4"), .bytes("5.")], ["X45."]),
    ([.baud(19_200)], ["19200"]),
    ([.baud(9_600)], []),
    ([.bytes("a"), .baud(19_200), .bytes("b")], ["a", "19200", "b"]),
    // A speed at which nothing is sent is not set.
    ([.baud(300), .baud(19_200), .bytes("b")], ["19200", "b"]),
    ([.bytes("a"), .baud(300), .baud(9_600), .bytes("b")], ["ab"]),
    ([.bytes("a"), .baud(300), .baud(50), .bytes("b"), .baud(9_600)], ["a", "50", "b", "9600"]),
    ([.baud(300), .baud(9_600), .bytes("a")], ["a"]),
  ]

  @Test(arguments: table)
  func `Bytes and speeds are sent in the order of their arrival`(
    _ row: (inputs: [Input], deeds: [String])
  ) {
    var outbox = Outbox(baud: 9_600)
    for input in row.inputs {
      switch input {
      case .bytes(let text): outbox.put(Array(text.utf8))
      case .baud(let baud): outbox.baud = baud
      }
    }
    #expect(Self.work(off: &outbox) == row.deeds)
    #expect(outbox.step == .nothing)
  }

  @Test func `Bytes that do not fit are written later, before the next speed is set`() {
    var outbox = Outbox(baud: 9_600)
    outbox.put(Array("abcde".utf8))
    outbox.baud = 300
    outbox.put(Array("f".utf8))
    #expect(Self.work(off: &outbox, by: 2) == ["ab", "cd", "e", "300", "f"])
  }

  @Test func `A byte takes ten bit times at its own speed`() {
    var outbox = Outbox(baud: 10_000)
    outbox.put([1, 2, 3])
    #expect(outbox.free(at: Self.time(5)) == Self.time(8))
    outbox.baud = 1_000
    outbox.put([4, 5])
    #expect(outbox.free(at: Self.time(5)) == Self.time(28))
    #expect(outbox.count(at: .zero) == 5)
    outbox.wrote(3, at: Self.time(5))
    #expect(outbox.portFree == Self.time(8))
    #expect(outbox.count(at: Self.time(6)) == 4)
    outbox.didSetSpeed()
    outbox.wrote(2, at: Self.time(10))
    #expect(outbox.portFree == Self.time(30))
    #expect(outbox.count(at: Self.time(10)) == 2)
    #expect(outbox.count(at: Self.time(21)) == 1)
    #expect(outbox.count(at: Self.time(30)) == 0)
  }

  @Test func `Bytes that the board does not accept stay pending, however long it takes`() {
    var outbox = Outbox(baud: 9_600)
    outbox.put([UInt8](repeating: 0x4C, count: 5_000))
    outbox.wrote(3_000, at: .zero)
    #expect(outbox.count(at: .zero) == 5_000)
    #expect(outbox.count(at: Self.time(1_000_000)) == 2_000)
  }
}
