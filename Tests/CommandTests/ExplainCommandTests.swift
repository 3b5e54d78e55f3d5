import Foundation
import Testing

@Suite struct ExplainCommandTests {
  private func fates(_ header: String, _ events: String) -> [String] {
    let result = Tool.run("explain", "-", "--json", input: header + events)
    return result.output.split(separator: "\n").compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["fate"] as? String
    }
  }

  @Test("a byte's object has these keys in this order")
  func json() {
    let result = Tool.run("explain", "-", "--json", input: Sample.good)
    #expect(
      result.output.hasPrefix(
        """
        {"byte": 88, "arrived": 1.501042, "taken": 1.501045, "fate": "letter", "ended_scan": false, "command": 1}

        """))
  }

  @Test("every fate there is")
  func all() {
    let classic = Sample.header()
    let guarded = classic.replacing("classic", with: "guarded")
    #expect(
      fates(classic, "[1.5, \"rx\", \"X4\\u00ff5.\"]\n")
        == ["letter", "digit", "skipped", "digit", "terminator"])
    #expect(
      fates(classic, "[1.5, \"rx\", \"X4X5\"]\n") == ["letter", "digit", "swallowed", "junk"])
    #expect(fates(classic, "[0.5, \"rx\", \"zX5.\"]\n") == ["junk", "purged", "purged", "purged"])
    let flood = fates(classic, "[0.1, \"rx\", \"\(String(repeating: "L", count: 70))\"]\n")
    #expect(flood.count == 70 && flood.count { $0 == "ring-full" } == 7)
    #expect(
      fates(classic, "[0.5, \"rx\", \"L\"]\n[0.6, \"reset\", 1]\n[0.7, \"rx\", \"L\"]\n")
        == ["cleared", "booting"])
    #expect(fates(classic, "[1.999, \"rx\", \"LL\"]\n") == ["waiting", "waiting"])
    #expect(
      fates(guarded, "[0.5, \"rx\", \"X999.\"]\n")
        == ["letter", "abandoned", "abandoned", "abandoned", "abandoned"])
  }

  @Test("it says what the sender probably meant and did not get")
  func meaning() {
    let trace = Sample.header() + "[1.5, \"rx\", \"X100\"]\n[1.7, \"rx\", \"X45.\"]\n"
    let text = Tool.run("explain", "-", input: trace).output
    #expect(
      text.contains(
        "`X100` had no end; the `X` of the next command ended it, 196 ms late and was lost"))
    #expect(text.contains("`X45.` was not understood"))
    #expect(text.contains("8 bytes: 1 letter, 3 digit, 1 swallowed, 3 junk"))
  }
}
