import Sketches
import Testing

@testable import Engine

struct ReplyLinesTests {
  private static let start = Instant.zero

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(arguments: [
    ([""], [], ""), (["ab"], [], "ab"), (["ab\n"], ["ab\n"], ""), (["a", "b", "\n"], ["ab\n"], ""),
    (["a\nb\r\nc"], ["a\n", "b\r\n"], "c"), (["\n\n"], ["\n", "\n"], ""),
    (["a\n", "b\n"], ["a\n", "b\n"], ""),
  ])
  func `The board's output arrives in lines, however it is divided`(
    pieces: [String], lines: [String], rest: String
  ) {
    var replies = ReplyLines()
    var found: [String] = []
    for piece in pieces { found += replies.take(Array(piece.utf8), at: Self.start).map(Self.text) }
    #expect(found == lines)
    #expect(replies.deadline == (rest.isEmpty ? nil : Self.start + .milliseconds(50)))
    let overdue = replies.takeOverdue(at: Self.start + .milliseconds(50)).map(Self.text)
    #expect(overdue == (rest.isEmpty ? nil : rest))
  }

  @Test(arguments: [
    (255, false, [], 255), (255, true, [256], 0), (256, false, [256], 0), (256, true, [256, 1], 0),
    (600, false, [256, 256], 88), (600, true, [256, 256, 89], 0),
  ])
  func `A line of more than 256 bytes arrives in pieces`(
    count: Int, hasEnd: Bool, pieces: [Int], rest: Int
  ) {
    let bytes = Array(repeating: UInt8(ascii: "x"), count: count) + (hasEnd ? [10] : [])
    var whole = ReplyLines()
    #expect(whole.take(bytes, at: Self.start).map(\.count) == pieces)
    #expect(whole.takeOverdue(at: Self.start + .seconds(1))?.count ?? 0 == rest)
    // And byte by byte.
    var single = ReplyLines()
    #expect(bytes.flatMap { single.take([$0], at: Self.start) }.map(\.count) == pieces)
  }

  @Test func `An unfinished line is delivered once, 50 ms after its last byte`() {
    var replies = ReplyLines()
    var time = Self.start
    // Each byte postpones the deadline.
    for byte in "abc".utf8 {
      #expect(replies.take([byte], at: time) == [])
      #expect(replies.deadline == time + .milliseconds(50))
      #expect(replies.takeOverdue(at: time + .microseconds(49_999)) == nil)
      time = time + .milliseconds(40)
    }
    #expect(replies.takeOverdue(at: time + .milliseconds(10)).map(Self.text) == "abc")
    #expect(replies.deadline == nil)
    #expect(replies.takeOverdue(at: time + .seconds(1)) == nil)
    // The bytes that follow are a new line.
    #expect(replies.take(Array("d\n".utf8), at: time).map(Self.text) == ["d\n"])
  }
}
