import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an XML text, in order, with their attributes.
private final class Elements: NSObject, XMLParserDelegate {
  var found: [(name: String, attributes: [String: String])] = []
  var text = ""

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    found.append((name, attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  /// Nil if the text is not well-formed.
  init?(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    // The parser accepts elements that are still open at the end, so the closing tags are counted.
    let ends = text.ranges(of: "</").count + text.ranges(of: "/>").count
    guard parser.parse(), !found.isEmpty, ends == found.count else { return nil }
  }

  func attributes(_ name: String) -> [[String: String]] {
    found.filter { $0.name == name }.map(\.attributes)
  }
}

@Suite("Reports for machines", .ownThread)
struct ReportTests {
  @Test(arguments: [
    "<a>", "<suite><case/>", "<suite><case></suite>", "<a b=\"<\"/>", "text", "<a>&nbsp;</a>",
  ])
  func `The XML reader refuses text that is not well-formed`(_ text: String) {
    #expect(Elements(text) == nil)
    #expect(Elements("<a/>") != nil)
  }

  static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    try bench.write(Sample.bad, "a<b>&\"c'.jsonl")
    try bench.write(
      Sample.bad.replacing(
        "[1.500000, \"rx\"", with: "[1.4, \"mark\", \"<&>\\u0001\"]\n[1.500000, \"rx\""),
      "mark.jsonl")
    try bench.write(Sample.broken, "broken.jsonl")
    return bench
  }

  private static func check(_ xml: Elements) throws {
    let suite = try #require(xml.attributes("testsuite").first)
    #expect(suite["tests"] == "4")
    #expect(suite["failures"] == "2")
    #expect(suite["errors"] == "1")
    #expect(
      xml.attributes("testcase").map { $0["name"] } == [
        "./a<b>&\"c'.jsonl", "./broken.jsonl", "./good.jsonl", "./mark.jsonl",
      ])
    #expect(xml.attributes("failure").count == 2)
    #expect(
      xml.attributes("failure").first?["message"]?.hasPrefix(
        "./a<b>&\"c'.jsonl:4: error: expected servo 46") == true)
    #expect(
      xml.attributes("error").first?["message"]?.hasPrefix("./broken.jsonl:3:1: error: ") == true)
    #expect(xml.text.contains("1 matched, 0 moved, 1 missing, 1 extra"))
  }

  @Test
  func `With --junit each trace is a test case in well-formed XML, whatever it contains`() throws {
    let bench = try Self.bench()
    #expect(try bench.run("verify", ".", "--junit", "r.xml").status == 65)
    try Self.check(#require(Elements(bench.read("r.xml"))))
  }

  @Test func `With --junit - standard output contains nothing else`() throws {
    let bench = try Self.bench()
    try Self.check(#require(Elements(try bench.run("verify", ".", "--junit", "-").output)))
    let diff = try bench.run("diff", "good.jsonl", "mark.jsonl", "--junit", "-")
    #expect(try #require(Elements(diff.output)).attributes("failure").count == 1)
  }

  @Test func `With --json each trace is an object with verdict, status and counts`() throws {
    let outcome = try Self.bench().run("verify", "--json", ".")
    #expect(outcome.status == 65)
    let objects = try outcome.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(
      objects.map { $0["verdict"] as? String } == ["disagrees", "error", "agrees", "disagrees"])
    #expect(objects.map { $0["status"] as? Int } == [1, 65, 0, 1])
    let bad = objects[0]
    #expect(["matched", "moved", "missing", "extra"].map { bad[$0] as? Int } == [1, 0, 1, 1])
    let divergence = try #require(bad["divergence"] as? [String: Any])
    #expect(divergence["line"] as? Int == 4)
    #expect(divergence["difference"] as? String == "value")
    let expected = try #require(divergence["expected"] as? [Any])
    #expect(expected.map { "\($0)" } == ["1.504224", "servo", "46", "1018"])
    #expect((objects[1]["message"] as? String)?.hasPrefix("./broken.jsonl:3:1: error: ") == true)
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: [
    ["TERM": "xterm-256color"], ["TERM": "xterm-256color", "NO_COLOR": "1"],
    ["CLICOLOR_FORCE": "0"],
  ])
  func `Output that is not a terminal contains no escape sequences`(_ environment: [String: String])
    throws
  {
    let bench = try Self.bench()
    for arguments in [
      ("verify", "."), ("explain", "good.jsonl"), ("replay", "good.jsonl"),
      ("verify", "--nonsense"), ("--help", "replay"),
    ] {
      let outcome = try bench.run(arguments.0, arguments.1, environment: environment)
      #expect(!outcome.output.isEmpty || !outcome.errors.isEmpty)
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
    }
  }
}
