import Sketches
import Testing
import Traces

/// Error messages stay readable however long the invalid text is.
struct MessageLengthTests {
  private static let fills = [
    "x", "9", "\\u001b", "\u{9B}", "\u{202E}", "\\udb40\\udc41", "[", "{\"a\": ", "é",
  ]
  /// `@` is replaced by thousands of characters.
  private static let shapes = [
    "@", "[@", "{\"@\"", "{\"@\": 1, \"@\": 2}", "{\"format\": \"@\", \"version\": \"@\"}",
    "{\"format\": @, \"version\": @}", "\(head.dropLast()), \"firmware\": \"@\"}",
    "\(head.dropLast()), \"baud\": @}", "\(head.dropLast()), \"duration\": @}",
    "\(head.dropLast()), \"title\": @}", "\(head.dropLast()), \"expects\": [\"@\"]}",
    "\(head.dropLast()), \"@\": @}", "\(head)\n[@", "\(head)\n[1.5, \"@\", 1]",
    "\(head)\n[1.5, \"@\"", "\(head)\n[1.5, \"lost\", \"a\", \"@\"]",
    "\(head)\n[1.5, \"lost\", \"@\", \"baud\"]", "\(head)\n[1.5, \"baud\", @]",
    "\(head)\n[1.5, \"pulse\", @]", "\(head)\n[1.5, \"pulse\", 9@]", "\(head)\n[1.5, \"rx\", \"@",
    "\(head)\n[1.5, \"x-a\", {\"@\": 1, \"@\": 2}]", "\(head)\n[1.5, \"reset\", @]",
  ]

  @Test(arguments: shapes)
  func `A message about a trace has at most 1 000 characters and no control characters`(
    shape: String
  ) {
    var refused = 0
    for fill in Self.fills {
      let text = shape.replacing("@", with: String(repeating: fill, count: 9_000))
      do throws(TraceError) {
        _ = try ReadTrace(text)
      } catch {
        refused += 1
        #expect(error.description.unicodeScalars.count <= 1_000, "\(error)")
        #expect(PlainText.escaped(error.description) == error.description, "\(error)")
      }
    }
    #expect(refused > 0)
  }

  @Test func `A file's name is escaped in a message`() {
    let error = TraceError(.malformed, path: "a\nb\u{1B}]0;c\u{7}", line: 3, "expected more")
    #expect(error.description == "a\\nb\\u001b]0;c\\u0007:3: error: expected more")
  }
}
