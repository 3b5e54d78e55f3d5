import Judging
import Platform
import TestSupport
import Testing

/// YAML, as far as scenario files need it.
@Suite("YAML") struct YAMLTextTests {
  /// Returns a document in a short form: texts in quotes, with places if `places` is true.
  private static func text(_ notation: Notation, places: Bool = false) -> String {
    let place = places ? "@\(notation.place.line):\(notation.place.column)" : ""
    switch notation {
    case .text(let text, _): return "'\(text)'" + place
    case .list(let items, _):
      return "[" + items.map { Self.text($0, places: places) }.joined(separator: ", ") + "]" + place
    case .mapping(let members, _):
      let parts = members.map { member in
        let key = places ? "@\(member.keyPlace.line):\(member.keyPlace.column)" : ""
        return "\(member.key)\(key): \(Self.text(member.value, places: places))"
      }
      return "{" + parts.joined(separator: ", ") + "}" + place
    }
  }

  private static func read(_ yaml: String, places: Bool = false) throws(NotationError) -> [String] {
    try YAMLText.documents(in: Array(yaml.utf8)).map { text($0, places: places) }
  }

  @Test(arguments: [
    ("a: no", ["{a: 'no'}"]),
    ("range: 3..5", ["{range: '3..5'}"]),
    (
      "[50ms, 1.50, 0x10, ~, null, yes, 1e3]",
      ["['50ms', '1.50', '0x10', '~', 'null', 'yes', '1e3']"]
    ),
    ("shaft: 110 ± 2", ["{shaft: '110 ± 2'}"]),
    ("a: \"X110.\\n\\xff\"", ["{a: 'X110.\n\u{FF}'}"]),
    ("a: 'it''s'", ["{a: 'it's'}"]),
    ("a: |\n  one\n  two\n", ["{a: 'one\ntwo\n'}"]),
    ("- {servo: 45, within: 50ms}\n- b", ["[{servo: '45', within: '50ms'}, 'b']"]),
    ("a:\nb: []", ["{a: '', b: []}"]),
    ("a: 1\n---\nb: 2\n---\n", ["{a: '1'}", "{b: '2'}"]),
    ("", []), ("# only a comment\n", []), ("---\n---\n", []),
    ("\u{FEFF}a: 1", ["{a: '1'}"]),
    ("\u{FEFF}a: 1\nb: 2", ["{a: '1', b: '2'}"]),
    ("%YAML 1.2\n---\na: 1", ["{a: '1'}"]),
    ("a: 1\r\nb: 2\r\n", ["{a: '1', b: '2'}"]),
  ])
  func `A scalar keeps the text that is written`(yaml: String, expected: [String]) throws {
    #expect(try Self.read(yaml) == expected)
  }

  @Test func `Places are in lines and characters from 1`() throws {
    let yaml = """
      name: ° aims
      expect:
        - {"°": 110, within: 50ms}
        - never: [lost, junk]
      """
    #expect(
      try Self.read(yaml, places: true) == [
        "{name@1:1: '° aims'@1:7, expect@2:1: [{°@3:6: '110'@3:11, within@3:16: '50ms'@3:24}@3:5, "
          + "{never@4:5: ['lost'@4:13, 'junk'@4:19]@4:12}@4:5]@3:3}@1:1"
      ])
  }

  @Test(arguments: [
    ("a: &x 1", "1:4", "anchors are not supported; put a text with '&' in quotes"),
    ("a: *x", "1:4", "aliases are not supported; put a text with '*' in quotes"),
    ("a: !!str 1", "1:4", "tags are not supported; put a text with '!' in quotes"),
    ("a: !x!y 1", "1:4", "tags are not supported; put a text with '!' in quotes"),
    ("a: 1\nb: 2\na: 3", "3:1", "expected each key once; \"a\" is there twice"),
    ("[a]: 1", "1:1", "expected a word as the key, not a list or a mapping"),
    ("a: b: c", "1:5", "':' is not allowed here; a text that contains \": \" requires quotes"),
    ("a: \"x\nb: 1\n", "1:4", "the quoted text has no end"),
    ("a: [1, 2\nb: 1", "2:2", "expected ',' or ']'"),
    ("a: {b: 1", "2:1", "expected ',' or '}'"),
    ("a: 1\nb\nc: 2", "2:1", "expected ':' after the key"),
    ("a:\n  b: 1\n c: 2", "3:2", "expected a key, indented like those before it"),
    ("a:\n\tb: 1", "2:1", "a tab cannot indent a line; use spaces"),
    ("°:\n\n  \tb: 1", "3:3", "a tab cannot indent a line; use spaces"),
    ("a: @b", "1:4", "no text can begin with this character; put the text in quotes"),
    ("a: \"\\q\"", "1:5", "there is no such escape after '\\'; in single quotes it is text"),
    (
      "°°: \u{7}", "1:5",
      "control characters are not allowed; write an escape in double quotes, such as \"\\x07\""
    ),
  ])
  func `A mistake is reported with its place`(yaml: String, place: String, message: String) {
    let error = #expect(throws: NotationError.self) { _ = try Self.read(yaml) }
    #expect(error.map { "\($0.place.line):\($0.place.column)" } == place)
    #expect(error?.message == message)
  }

  @Test func `Bytes that are not UTF-8 are reported with their place`() {
    for bad: [UInt8] in [[0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80]] {
      let error = #expect(throws: NotationError.self) {
        _ = try YAMLText.documents(in: Array("a: 1\n°: ".utf8) + bad)
      }
      #expect(error?.message == "expected UTF-8")
      #expect(error?.place.line == 2)
      // The error is noticed at the byte after the beginning of a character, if there is one.
      #expect(error.map { (4...5).contains($0.place.column) } == true)
    }
  }

  @Test func `More than 64 levels or 1 MiB are refused`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try Self.read(nested(64)).count == 1)
    for depth in [65, 5_000] {
      let error = #expect(throws: NotationError.self) { _ = try Self.read(nested(depth)) }
      #expect(error?.message == "expected at most 64 levels of lists and mappings")
      #expect(error?.place == .init(line: 1, column: 65))
    }
    let long = String(repeating: "a", count: (1 << 20) - 3)
    #expect(try Self.read("k: " + long).count == 1)
    let error = #expect(throws: NotationError.self) { _ = try Self.read("k: a" + long) }
    #expect(error?.message == "expected a file of at most 1 MiB")
  }
}
