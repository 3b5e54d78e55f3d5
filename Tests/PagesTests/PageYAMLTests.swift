import Foundation
import Judging
import Platform
import Testing

@testable import Pages

@Suite struct PageYAMLTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The profiles of the tests, and each example of one in the guide.
  private static func profiles() throws -> [String] {
    let folder = root.appendingPathComponent("Tests/program/sketches/profiles")
    var found = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).map { $0.appendingPathComponent("profile.yaml") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    let guide = try String(
      contentsOf: root.appendingPathComponent("docs/guide/profiles.md"), encoding: .utf8)
    found += guide.components(separatedBy: "```yaml\n").dropFirst().map {
      String($0.components(separatedBy: "```")[0])
    }
    return found
  }

  @Test func `every profile is read as libyaml reads it, with its places`() throws {
    let profiles = try Self.profiles()
    #expect(profiles.count > 15)
    for text in profiles {
      let bytes = Array(text.utf8)
      #expect(try PageYAML.documents(in: bytes) == YAMLText.documents(in: bytes), "\(text)")
    }
  }

  @Test(arguments: [
    "a: b", "a:   b  # why\n", "# only\n", "", "---\na: b\n", "a: b\n---\nc: d\n",
    "\u{FEFF}a: b\n", "a: b\r\nc: d\r\n", "a:\n  - b\n  - 'c'\n", "a:\n- b\n- c\nd: e",
    "a:\n  b: c\n  d:\n    - e\nf: g", "- a\n- b: c\n  d: e\n- - f\n  - g\n",
    "a: [b, \"c d\", 'e''f', [g], {h: i}]", "a: [\n  b, # one\n  c,\n]\nd: e",
    "{a: b, \"c\":d, e: [f]}", "a: \"\\n\\r\\t\\\\\\\"\\x41\\u00e9\\0\\e\\a\\b\\v\\f\\/\"",
    "a: 'x: y # z'", "a: x#y", "a: http://b", "a: -1", "a: -90..90", "'a b': c", "ä: öü",
    "a: P{pan:0..180},{tilt:0..180}", "a: {b: 1.5, c: D9}", "a: é # ü\nb: c",
  ])
  func `what it reads, it reads as libyaml does`(_ text: String) throws {
    let bytes = Array(text.utf8)
    #expect(try PageYAML.documents(in: bytes) == YAMLText.documents(in: bytes))
  }

  @Test(arguments: [
    ("a: &b c", "1:4", "anchors are not supported"), ("a: *b", "1:4", "aliases"),
    ("a: !b c", "1:4", "tags"), ("a: |\n  b", "1:4", "several lines"),
    ("a: b\n\tc: d", "2:1", "a tab cannot indent a line"), ("a: [b", "1:6", "expected ',' or ']'"),
    ("a: {b: c", "1:9", "expected ',' or '}'"), ("a: {b}", "1:6", "expected ':' after the key"),
    ("a: \"b\nc\"", "1:4", "the quoted text has no end"), ("a: 'b", "1:4", "has no end"),
    ("a: \"\\q\"", "1:6", "there is no such escape"), ("a: \"\\x4\"", "1:7", "hexadecimal"),
    ("a: b: c", "1:5", "':' is not allowed here"), ("a: b\n  c: d", "2:3", "expected a key"),
    ("a: b\nc", "2:2", "expected ':' after the key"), ("a: b\na: c", "2:1", "each key once"),
    ("a: [b] c", "1:8", "expected the end of the line"), ("a: @b", "1:4", "put the text in quotes"),
    ("- a\n  - b", "2:3", "indented like"), ("[a, b]: c", "1:1", "expected a word as the key"),
  ])
  func `anything else is an error with its place`(
    _ text: String, _ place: String, _ message: String
  ) throws {
    do throws(NotationError) {
      let found = try PageYAML.documents(in: Array(text.utf8))
      Issue.record("\(text) is read as \(found)")
    } catch {
      #expect("\(error.place.line):\(error.place.column)" == place, "\(text): \(error.message)")
      #expect(error.message.contains(message), "\(text): \(error.message)")
    }
  }

  @Test func `no text traps, however deep`() {
    let deep = String(repeating: "[", count: 100_000)
    let nested = (0..<200).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    for text in [deep, nested, String(repeating: "{a: ", count: 5_000)] {
      #expect(throws: NotationError.self) { try PageYAML.documents(in: Array(text.utf8)) }
    }
    #expect(throws: NotationError.self) {
      try PageYAML.documents(in: [UInt8](repeating: 0x20, count: 300_000))
    }
  }
}
