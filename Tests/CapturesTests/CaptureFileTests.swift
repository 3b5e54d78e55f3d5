import Testing

@testable import Captures

@Suite struct CaptureFileTests {
  @Test(arguments: [(0, 3, "abc"), (4, 9, "efg"), (7, 1, ""), (-1, 2, "")])
  func `bytes come from any place, fewer at the end`(
    offset: Int64, count: Int, expected: String
  ) throws {
    let file = CaptureFile(name: "a", bytes: Array("abcdefg".utf8))
    #expect(try file.bytes(at: offset, count: count) == Array(expected.utf8))
  }
}
