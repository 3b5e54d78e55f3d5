import Foundation
import Testing

@Suite struct ExitStatusTests {
  @Test(
    "each way to end has its status",
    arguments: [
      (["good.jsonl"], 0), (["bad.jsonl"], 1), (["malformed.jsonl"], 65), (["none.jsonl"], 66),
      (["empty"], 66), (["inputs.jsonl"], 1), (["empty.jsonl"], 65),
      // It goes on after a bad file, and the worst wins.
      (["bad.jsonl", "malformed.jsonl", "good.jsonl"], 65),
      (["none.jsonl", "malformed.jsonl", "bad.jsonl"], 66),
    ] as [([String], Int32)])
  func verify(_ names: [String], _ status: Int32) throws {
    let folder = Tool.Folder()
    folder.write("good.jsonl", Sample.good)
    folder.write("bad.jsonl", Sample.bad)
    folder.write("malformed.jsonl", Sample.malformed)
    folder.write("inputs.jsonl", Sample.inputsOnly)
    folder.write("empty.jsonl", "")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/empty", withIntermediateDirectories: true)
    let paths = names.map { "\(folder.path)/\($0)" }.joined(separator: " ")
    let result = Tool.shell("\"$TOOL\" verify \(paths)")
    #expect(result.status == status, "\(result.output)\(result.errors)")
    #expect(!(result.output + result.errors).isEmpty)
    if names.contains("good.jsonl") { #expect(result.output.contains("agree")) }
  }

  @Test(
    "wrong usage is status 64 and says what is wrong",
    arguments: [
      "verify", "verify --jobs 0 x", "verify --shard 3/2 x", "verify --tolerance 200 x",
      "verify --tolerance 1e-3s x", "replay", "replay x --send L", "replay x --for 3s",
      "replay --firmware other x", "replay --servo sg9 x", "plot", "diff x", "nonsense",
      "verify --junit - --json x", "verify -v -q x",
    ])
  func usage(_ arguments: String) {
    let result = Tool.shell("\"$TOOL\" \(arguments)")
    #expect(result.status == 64)
    #expect(result.errors.contains("rror") && result.output.isEmpty)
  }

  @Test("a device that is not there is status 69")
  func device() {
    let result = Tool.run("replay", "--device", "serial:/dev/none", "--send", "L")
    #expect(result.status == 69 && result.errors.contains("serial:/dev/none"))
  }

  @Test(
    "what cannot be written is status 74 with the reason",
    arguments: [
      "replay --send L > /dev/full", "replay --send L -o /dev/full", "explain - < good > /dev/full",
    ])
  func fullDisk(_ line: String) {
    let folder = Tool.Folder()
    folder.write("good", Sample.good)
    let result = Tool.shell("cd \(folder.path); \"$TOOL\" \(line)")
    #expect(result.status == 74 && result.errors.contains("No space left"), "\(result.errors)")
  }

  @Test("a reader that has gone is status 141, in silence")
  func closedPipe() {
    let result = Tool.shell(
      "\"$TOOL\" replay --firmware classic --send L --for 900s | head -n 1; echo ${PIPESTATUS[0]}")
    #expect(result.output.hasSuffix("}\n141\n") && result.errors.isEmpty, "\(result)")
  }

  @Test(
    "a signal ends it with its status and leaves the old file whole",
    arguments: [("INT", 130), ("TERM", 143)])
  func signals(_ signal: String, _ status: Int32) {
    let folder = Tool.Folder()
    folder.write("out.jsonl", "old")
    // The writer of the FIFO never ends, so neither does the replay.
    let result = Tool.shell(
      """
      cd \(folder.path); mkfifo fifo
      ( printf '%s\\n' '\(Sample.header().dropLast())' '[0.5, "rx", "L"]'; exec sleep 20 ) > fifo 2>/dev/null & writer=$!
      "$TOOL" replay fifo -o out.jsonl & tool=$!
      for i in $(seq 100); do ls | grep -q part && break; sleep 0.05; done
      ls | grep -q part || echo "no unfinished file"
      kill -\(signal) $tool; wait $tool; status=$?
      kill -9 $writer
      exit $status
      """)
    #expect(result.status == status, "\(result)")
    #expect(result.output.isEmpty)
    #expect(folder.read("out.jsonl") == "old")
    #expect(folder.names == ["fifo", "out.jsonl"])
  }

  @Test("nothing but text comes out where no terminal is")
  func noEscapes() {
    let folder = Tool.Folder()
    let bad = folder.write("bad.jsonl", Sample.bad)
    let result = Tool.run("verify", bad)
    #expect(!(result.output + result.errors).contains("\u{1B}"))
  }
}
