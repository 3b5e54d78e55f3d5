import Foundation
import Testing
import Traces
import Turret

@Suite("Lines and files")
struct FileShapeTests {
  static let line = #"[0.500000, "rx", "X45."]"#
  static let cutOff =
    "; the file ends in the middle of a line, as a recording does that was cut off: "
    + "without that line it can be used"

  @Test("a last line that was cut off anywhere is refused with a hint", arguments: 1..<line.count)
  func truncated(length: Int) {
    let error = #expect(throws: TraceError.self) {
      try ReadTrace("\(head)\n[0.1, \"mark\", \"\"]\n\(Self.line.prefix(length))")
    }
    #expect(error?.line == 3)
    #expect(error?.message.hasSuffix(Self.cutOff) == true)
  }

  @Test("the hint is not given for a bad line that has its end")
  func noHint() {
    let error = #expect(throws: TraceError.self) { try ReadTrace("\(head)\n[0.5, \"rx\"\n") }
    #expect(error?.message.contains("cut off") == false)
  }

  @Test(
    "a last line without a newline, CRLF, and space between items are accepted",
    arguments: [
      "\(head)\n\(line)", "\(head)\n\(line)\n", "\(head)\r\n\(line)\r\n",
      "  \(head)\t\n [\t0.5 ,\"rx\" , \"X45.\" ] \n",
    ])
  func accepted(_ text: String) throws {
    let expected = [Event(Instant(nanoseconds: 500_000_000), .receive(Array("X45.".utf8)))]
    #expect(try ReadTrace(text).events == expected)
  }

  @Test("events know their lines")
  func lines() throws {
    #expect(
      try ReadTrace("\(head)\n\(Self.line)\n\(Self.line)\n\(Self.line)").lines == [2, 3, 4])
  }

  @Test("an empty line at the end is refused")
  func emptyLine() {
    let error = #expect(throws: TraceError.self) { try ReadTrace("\(head)\n\(Self.line)\n\n") }
    #expect(error?.line == 3)
    #expect(error?.column == 1)
  }

  /// Reads a file with such a second line.
  private func read(secondLine: Int) throws -> Int {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: url) }
    let frame = "[1, \"x-a\", \"\"]".utf8.count
    let filler = String(repeating: "a", count: secondLine - frame)
    try Data("\(head)\n[1, \"x-a\", \"\(filler)\"]\n".utf8).write(to: url)
    do throws(TraceError) {
      var reader = try TraceReader(path: url.path)
      var count = 0
      while try reader.next() != nil { count += 1 }
      return count
    } catch {
      #expect(error.description.hasPrefix("\(url.path):2:16777216: error: expected the line's end"))
      #expect(error.message == "expected the line's end within 16 MiB")
      throw error
    }
  }

  @Test("a line over 16 MiB is refused and a long one under it is read")
  func longLine() throws {
    #expect(throws: TraceError.self) { try read(secondLine: (16 << 20) + 1) }
    #expect(try read(secondLine: 600_000) == 1)
  }

  @Test("a file that is not there and a folder are no input")
  func noInput() {
    for path in ["/nowhere/at/all.jsonl", FileManager.default.temporaryDirectory.path] {
      let error = #expect(throws: TraceError.self) { _ = try TraceReader(path: path) }
      #expect(error?.code == .noInput)
      #expect(error?.path == path)
    }
  }
}
