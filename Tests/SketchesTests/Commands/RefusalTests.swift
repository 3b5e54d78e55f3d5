import Sketches
import Testing

struct RefusalTests {
  @Test func `A refusal shows the first sixteen bytes and the number of all bytes`() {
    let bytes = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    let refusal = Refusal(bytes, why: .unknown)
    #expect(refusal.shown == Array("abcdefghijklmnop".utf8))
    #expect(refusal.count == 26)
    #expect(Refusal([1, 2], count: 7, why: .various).count == 7)
  }

  @Test func `A refusal's text has a character for every byte`() {
    #expect(Refusal([0x58, 0x00, 0x0A, 0x80, 0xFF], why: .notASCII).text == "X\u{0}\n\u{80}\u{FF}")
  }

  @Test func `Every reason has a word and a sentence of its own`() {
    let all = Refusal.Why.allCases
    #expect(Set(all.map(\.rawValue)).count == all.count)
    #expect(Set(all.map { Refusal([], why: $0).message }).count == all.count)
    #expect(all.allSatisfy { $0.rawValue.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A) ~= $0 } })
  }
}
