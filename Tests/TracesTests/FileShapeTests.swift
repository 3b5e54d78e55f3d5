import Sketches
import Testing
import Traces

@Suite("Lines of a trace")
struct FileShapeTests {
  static let line = #"[0.500000, "rx", "X45."]"#
  static let cutOff =
    "; the file ends in the middle of a line, like a recording that was cut off: "
    + "without that line it can be used"

  @Test(arguments: 1..<line.count)
  func `A truncated last line is refused with a hint`(length: Int) {
    let error = #expect(throws: TraceError.self) {
      try ReadTrace("\(head)\n[0.1, \"mark\", \"\"]\n\(Self.line.prefix(length))")
    }
    #expect(error?.line == 3)
    #expect(error?.message.hasSuffix(Self.cutOff) == true)
  }

  @Test
  func `A bad line that ends with a newline gets no hint`() {
    let error = #expect(throws: TraceError.self) { try ReadTrace("\(head)\n[0.5, \"rx\"\n") }
    #expect(error?.message.contains("cut off") == false)
  }

  @Test(arguments: [
    "\(head)\n\(line)", "\(head)\n\(line)\n", "\(head)\r\n\(line)\r\n",
    "  \(head)\t\n [\t0.5 ,\"rx\" , \"X45.\" ] \n",
  ])
  func `A missing final newline, CRLF and spaces between items are accepted`(_ text: String) throws
  {
    let expected = [Event(Instant(nanoseconds: 500_000_000), .receive(Array("X45.".utf8)))]
    #expect(try ReadTrace(text).events == expected)
  }

  @Test
  func `Each event has its line number`() throws {
    #expect(
      try ReadTrace("\(head)\n\(Self.line)\n\(Self.line)\n\(Self.line)").lines == [2, 3, 4])
  }

  @Test
  func `An empty line at the end is refused`() {
    let error = #expect(throws: TraceError.self) { try ReadTrace("\(head)\n\(Self.line)\n\n") }
    #expect(error?.line == 3)
    #expect(error?.column == 1)
  }

  @Test func `The end of a line is found at any offset`() {
    // Bytes that a search of several bytes at a time could mistake for a line feed.
    let near: [UInt8] = [0x0B, 0x8A, 0x09, 0x00, 0xFF, 0x80, 0x01]
    let bytes = (0..<20).map { near[$0 % near.count] } + [0x0A, 0x0B, 0x0A]
    bytes.withUnsafeBytes { bytes in
      for start in 0...20 {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        #expect(rest.offset(of: 0x0A, from: 0) == 20 - start)
        #expect(rest.offset(of: 0x0A, from: 21 - start) == 22 - start)
        #expect(rest.offset(of: 0x0C, from: 0) == nil)
        #expect(rest.offset(of: 0x0A, from: rest.count) == nil)
      }
    }
  }
}
