import Foundation
import Testing

@Suite struct ReplayCommandTests {
  @Test(
    "--send sends those bytes at 1.5 s for 5 s or --for",
    arguments: [([String](), "5"), (["--for", "1600ms"], "1.6")])
  func send(_ options: [String], _ duration: String) {
    let folder = Tool.Folder()
    let output = folder.path + "/out.jsonl"
    let line = (["\"$TOOL\" replay --firmware classic --send X45. -o \(output)"] + options)
    #expect(Tool.shell(line.joined(separator: " ")).status == 0)
    let text = folder.read("out.jsonl") ?? ""
    #expect(text.contains("\"duration\": \(duration),"))
    #expect(text.contains("[1.500000, \"rx\", \"X45.\"]\n[1.504224, \"servo\", 45, 1008]\n"))
  }

  @Test(
    "what a replay prints verifies without any tolerance",
    arguments: ["classic", "buzzer", "guarded"])
  func exact(_ firmware: String) {
    let result = Tool.shell(
      """
      "$TOOL" replay --firmware \(firmware) --send 'X45.LTX999.zX100' --pulses | "$TOOL" verify - --tolerance 0us
      """)
    #expect(result.status == 0, "\(result)")
  }

  @Test("--summary is one JSON object with these keys")
  func summary() throws {
    let text = Tool.run("replay", "--firmware", "classic", "--send", "X45.", "--summary").output
    #expect(text == "{\"seconds\": 5, \"events\": 2, \"servo\": 2, \"angle\": 45, \"lost\": 0}\n")
  }

  @Test("pulses come on request, or when the trace has some")
  func pulses() {
    let folder = Tool.Folder()
    let plain = folder.write("plain.jsonl", Sample.good)
    let pulsed = folder.write("pulsed.jsonl", Sample.good + "[1.520362, \"pulse\", 1008]\n")
    #expect(!Tool.run("replay", plain).output.contains("pulse"))
    #expect(Tool.run("replay", plain, "--pulses").output.contains("[0.020150, \"pulse\", 1472]"))
    #expect(Tool.run("replay", pulsed).output.contains("[0.020150, \"pulse\", 1472]"))
  }

  @Test("--servo adds where the shaft's motion begins and ends")
  func servo() {
    let text = Tool.run("replay", "--firmware", "classic", "--send", "X0.", "--servo", "sg90")
      .output
    #expect(text.contains("\"x-shaft\", 90]") && text.contains("\"x-shaft\", 0]"))
    #expect(!text.contains("\"pulse\""))
  }

  @Test("standard input and a FIFO are traces like any other")
  func pipes() {
    let folder = Tool.Folder()
    let direct = Tool.run("replay", folder.write("good.jsonl", Sample.good)).output
    #expect(Tool.run("replay", "-", input: Sample.good).output == direct)
    let fifo = Tool.shell(
      "cd \(folder.path); mkfifo f; cat good.jsonl > f & \"$TOOL\" replay f")
    #expect(fifo.output == direct && fifo.status == 0)
  }

  @Test("a diff of a trace with itself is 0, with another 1")
  func diff() {
    let folder = Tool.Folder()
    let (good, bad) = (folder.write("a", Sample.good), folder.write("b", Sample.bad))
    #expect(Tool.run("diff", good, good).status == 0)
    let result = Tool.run("diff", good, bad)
    #expect(result.status == 1 && result.output.hasPrefix("\(good):4: error: expected servo 45"))
    #expect(Tool.run("diff", good, bad, "--json").output.hasPrefix("{\"file\""))
  }

  @Test("a plot is an SVG, from a file and from a pipe alike")
  func plot() {
    let folder = Tool.Folder()
    let good = folder.write("good.jsonl", Sample.good)
    #expect(Tool.run("plot", good, "-o", folder.path + "/p.svg").status == 0)
    let svg = folder.read("p.svg") ?? ""
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
    #expect(Tool.run("plot", "-", input: Sample.good).output == svg)
  }
}
