import Sessions
import Testing

struct ShardTests {
  @Test func `Each element is in exactly one part, and the parts keep the order`() {
    for length in [0, 1, 3, 4, 5, 17] {
      for count in 1...6 {
        let all = Array(0..<length)
        let parts = (1...count).map { Shard($0, of: count).part(of: all) }
        #expect(parts.flatMap { $0 }.sorted() == all)
        #expect(parts.allSatisfy { $0 == $0.sorted() })
        #expect(parts.allSatisfy { (length / count...length / count + 1).contains($0.count) })
      }
    }
  }

  @Test func `The second part of three begins with the second element`() {
    #expect(Shard(2, of: 3).part(of: ["a", "b", "c", "d", "e"]) == ["b", "e"])
  }
}
