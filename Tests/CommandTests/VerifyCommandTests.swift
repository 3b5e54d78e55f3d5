import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct VerifyCommandTests {
  @Test("a divergence reads like a compiler's message, with what was around it")
  func message() {
    let folder = Tool.Folder()
    let bad = folder.write("bad.jsonl", Sample.bad)
    let lines = Tool.run("verify", bad).output.split(separator: "\n").map(String.init)
    #expect(
      lines[0]
        == "\(bad):4: error: expected servo 46 (1018 us) at 1.504224 s, "
        + "found servo 45 (1008 us) at 1.504224 s")
    #expect(lines[1].hasPrefix("\(bad):4: note: at 1.504224 s the sketch was idle"))
    #expect(lines.contains { $0.hasPrefix("    > 4  [1.504224, \"servo\", 46, 1018]") })
    #expect(lines.contains("    1 matched, 0 moved, 1 missing, 1 extra"))
    #expect(lines.last?.hasPrefix("0 of 1 trace agree, 1 disagrees") == true)
  }

  @Test("a malformed line is named with line and column, on standard error")
  func malformed() {
    let folder = Tool.Folder()
    let path = folder.write("malformed.jsonl", Sample.malformed)
    let result = Tool.run("verify", path)
    #expect(
      result.errors == "\(path):3:11: error: expected ',' and the kind of event, found '\"'\n")
  }

  @Test(
    "the tolerance is inclusive and its unit is what it says",
    arguments: [("9us", 1), ("10us", 0), ("0.01ms", 0), ("1s", 0)])
  func tolerance(_ tolerance: String, _ status: Int32) {
    let folder = Tool.Folder()
    let path = folder.write("late.jsonl", Sample.good.replacing("1.504224", with: "1.504214"))
    #expect(Tool.run("verify", path, "--tolerance", tolerance).status == status)
  }

  @Test("a folder is every *.jsonl below it in byte order, and shards part it")
  func folders() {
    let folder = Tool.Folder()
    let names = ["B.jsonl", "a/z.jsonl", "a.jsonl", "a/b/c.jsonl", "é.jsonl"]
    for name in names { folder.write(name, Sample.good) }
    folder.write("note.txt", "no trace")
    func verified(_ options: String) -> [String] {
      let result = Tool.shell("cd \(folder.path); \"$TOOL\" verify . --json \(options)")
      return result.output.split(separator: "\n").compactMap { line in
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return object?["file"] as? String
      }
    }
    let all = ["./B.jsonl", "./a.jsonl", "./a/b/c.jsonl", "./a/z.jsonl", "./é.jsonl"]
    #expect(verified("") == all)
    #expect(verified("--jobs 4") == all)
    #expect(verified("--shard 1/2") == [all[0], all[2], all[4]])
    #expect(verified("--shard 2/2") == [all[1], all[3]])
  }

  @Test("--json is one object a trace")
  func json() throws {
    let folder = Tool.Folder()
    let bad = folder.write("bad.jsonl", Sample.bad)
    let text = Tool.run("verify", bad, "--json").output
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["verdict"] as? String == "disagrees")
    #expect(object["missing"] as? Int == 1 && object["extra"] as? Int == 1)
    let divergence = try #require(object["divergence"] as? [String: Any])
    #expect(divergence["line"] as? Int == 4)
    #expect((divergence["expected"] as? [Any])?[2] as? Int == 46)
    #expect((divergence["found"] as? [Any])?[2] as? Int == 45)
  }

  @Test("--junit is XML with a failure and an error where there is one")
  func junit() {
    let folder = Tool.Folder()
    folder.write("a<&\">.jsonl", Sample.bad)
    folder.write("b.jsonl", Sample.malformed)
    folder.write("c.jsonl", Sample.good)
    let result = Tool.run("verify", folder.path, "--junit", folder.path + "/report.xml")
    #expect(result.status == 65)
    final class Counter: NSObject, XMLParserDelegate {
      var elements: [String: Int] = [:]
      func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
      ) { elements[name, default: 0] += 1 }
    }
    let counter = Counter()
    let parser = XMLParser(data: Data((folder.read("report.xml") ?? "").utf8))
    parser.delegate = counter
    #expect(parser.parse())
    #expect(counter.elements["testcase"] == 3)
    #expect(counter.elements["failure"] == 1 && counter.elements["error"] == 1)
  }

  @Test("--update rewrites what disagrees, says so, and leaves the rest alone")
  func update() throws {
    let folder = Tool.Folder()
    let bad = folder.write(
      "bad.jsonl",
      Sample.bad + "[1.600000, \"mark\", \"a note\"]\n[1.700000, \"x-mine\", {\"a\": [1]}]\n")
    folder.write("good.jsonl", Sample.good)
    folder.write("inputs.jsonl", Sample.inputsOnly)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: bad)
    let result = Tool.run("verify", folder.path, "--update")
    #expect(result.status == 0)
    #expect(result.output.contains("bad.jsonl: updated: 1 kept, 0 moved, 1 removed, 1 added"))
    #expect(folder.read("good.jsonl") == Sample.good)
    #expect(folder.read("bad.jsonl")?.contains("[1.600000, \"mark\", \"a note\"]") == true)
    #expect(folder.read("bad.jsonl")?.contains("[1.700000, \"x-mine\", {\"a\": [1]}]") == true)
    #expect(folder.read("inputs.jsonl") == Sample.good)
    let mode = try FileManager.default.attributesOfItem(atPath: bad)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(Tool.run("verify", folder.path, "--tolerance", "0us").status == 0)
  }
}
