import Foundation
import TestSupport
import Testing

@Suite("explore", .ownThread)
struct ExploreTests {
  private static let rules = """
    - never: [swallowed]
    - {servo: 90, within: 5ms, of: "X90."}

    """

  private static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(rules, "rules.yaml")
    try bench.write("hello\n", "bad.txt")
    return bench
  }

  @Test(arguments: [
    ("--firmware classic --rules rules.yaml --sessions 500", 1),
    ("--firmware classic --against guarded --sessions 500", 1),
    ("--firmware classic --against classic --sessions 500", 0),
    ("--firmware classic --rules rules.yaml --sessions 500 --fault drop:1% --fault flip:1e-4", 1),
    ("--against guarded --budget 200ms", 0),
    ("", 64), ("--strict --against guarded", 64), ("--strict --tolerance 1ms", 64),
    ("--strict --sessions 0", 64), ("--strict --jobs 0", 64), ("--strict --memory 0", 64),
    ("--strict --fault nonsense", 64), ("--strict --fault reorder", 64),
    ("--strict --seed x", 64), ("--strict --junit rules.yaml --rules rules.yaml", 64),
    ("--strict --device serial:/dev/null", 69), ("--rules bad.txt", 65),
    ("--rules none.yaml", 66), ("--strict --from none.jsonl", 66),
    ("--strict --from bad.txt", 65), ("--against guarded --sessions 9 --junit /dev/full", 74),
    ("--firmware classic --rules rules.yaml -o bad.txt", 74), ("--strict --corpus bad.txt", 74),
  ])
  func `It ends with a status`(_ line: String, _ status: Int32) throws {
    let bench = try Self.bench()
    let before = bench.names
    let outcome = try bench.script("\"$BENCH\" explore \(line)")
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.output.isEmpty == (status != 1), "\(outcome)")
    #expect(bench.names == before)
  }

  @Test func `The first result ends the search if that is wanted`() throws {
    let bench = try Self.bench()
    func traces(_ options: String) throws -> Int {
      let outcome = try bench.script(
        "\"$BENCH\" explore --firmware classic --rules rules.yaml --sessions 2000 \(options)")
      #expect(outcome.status == 1, "\(outcome)")
      return outcome.lines.count { $0.hasPrefix("rules.yaml:") }
    }
    #expect(try traces("--first") == 1)
    #expect(try traces("") > 1)
  }

  @Test func `Nothing that the search itself sent is held against guarded`() throws {
    let bench = try Self.bench()
    let outcome = try bench.run("explore", "--strict", "--sessions", "3000")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.contains("(booting), which is not held against the sketch"))
  }

  @Test func `Two devices are wired alike`() throws {
    let bench = try Self.bench()
    let chip = ChipProgram.sketch("classic")
    let outcome = try bench.script(
      """
      "$BENCH" explore --device avr:\(chip) --against avr:\(chip) --servo-range 1000..2000us \
        --pins D12 --sessions 10
      """)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `The faults are listed as elsewhere`() throws {
    let bench = try Self.bench()
    let outcome = try bench.run("explore", "--strict", "--fault", "list")
    #expect(outcome.status == 0)
    #expect(outcome == (try bench.run("replay", "--fault", "list")))
  }

  @Test func `The limits are stated, and faults that never struck`() throws {
    let bench = try Self.bench()
    let outcome = try bench.run(
      "explore", "--against", "guarded", "--sessions", "20", "--memory", "9", "--fault",
      "stall:1s,every=3600s")
    #expect(
      outcome.errors.contains("at most 60 s, 20 sessions, 9 MB for kept sessions"), "\(outcome)")
    #expect(outcome.errors.contains("stall:1s,every=3600s never struck"), "\(outcome)")
  }

  @Test func `What is found has a trace, its rule, a picture and an explanation`() throws {
    let bench = try Self.bench()
    let outcome = try bench.run(
      "explore", "--firmware", "classic", "--rules", "rules.yaml", "--sessions", "3000",
      "--output", "found")
    #expect(outcome.status == 1, "\(outcome)")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: bench.folder.appending(path: "found").path())
    let traces = names.filter { $0.hasSuffix(".jsonl") }
    #expect(traces.count >= 2)
    #expect(names.count == 4 * traces.count)
    for trace in traces {
      let name = String(trace.dropLast(6))
      for ending in ["jsonl", "yaml", "svg", "txt"] {
        #expect(outcome.output.contains("found/\(name).\(ending)"), "\(outcome)")
      }
      #expect(try bench.run("verify", "found/\(trace)").status == 0)
      let judged = try bench.run(
        "verify", "found/\(trace)", "--rules", "found/\(name).yaml")
      #expect(judged.status == 1, "\(judged)")
      #expect(judged.errors.contains("1 of 1 rule fails") || judged.output.contains("1 of 1 rule"))
      let explained = try bench.run("explain", "found/\(trace)")
      #expect(try bench.script("cat found/\(name).txt").output == explained.output)
    }
    // What was found before stays as it is.
    let again = try bench.run(
      "explore", "--firmware", "classic", "--rules", "rules.yaml", "--sessions", "3000",
      "--output", "found")
    #expect(again.output.contains("already"), "\(again)")
    #expect(!again.output.contains("written to"), "\(again)")
  }

  @Test(arguments: ["", "--fault drop:2%"])
  func `The number of processors changes nothing`(fault: String) throws {
    let bench = try Self.bench()
    func found(_ jobs: Int) throws -> (output: String, files: String) {
      let outcome = try bench.script(
        """
        "$BENCH" explore --firmware classic --rules rules.yaml --sessions 3000 --seed 7 \
          --jobs \(jobs) --corpus c\(jobs) \(fault)
        """)
      return (outcome.output, try bench.script("cd c\(jobs) && sha256sum *").output)
    }
    let (one, three) = (try found(1), try found(3))
    #expect(!one.output.isEmpty && !one.files.isEmpty)
    #expect(one == three)
  }

  // MARK: The corpus

  private static let search = "explore --against guarded --seed 3 --sessions"

  @Test func `A later search continues from what an earlier one kept`() throws {
    let bench = try Self.bench()
    let first = try bench.script("\"$BENCH\" \(Self.search) 2000 --corpus corpus")
    #expect(first.status == 0, "\(first)")
    let files = try bench.script("ls corpus | wc -l").output
    let second = try bench.script("\"$BENCH\" \(Self.search) 4000 --corpus corpus")
    #expect(second.status == 0, "\(second)")
    #expect(try bench.script("ls corpus | wc -l").output != files)
    // All are traces on which the device does what they state.
    #expect(try bench.script("\"$BENCH\" verify corpus").status == 0)
  }

  @Test func `Files that it did not write stay, even if smaller sessions cover them`() throws {
    let bench = try Self.bench()
    let header = #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 9}"#
    let own = "\(header)\n[1.5, \"rx\", \"X45.X45.X45.X45.\"]\n"
    _ = try bench.script("mkdir corpus")
    try bench.write(own, "corpus/mine.jsonl")
    try bench.write(own, "elsewhere.jsonl")
    try bench.write("junk", "corpus/notes.md")
    _ = try bench.script("ln -s ../elsewhere.jsonl corpus/link.jsonl")
    _ = try bench.script("\"$BENCH\" \(Self.search) 3000 --corpus corpus")
    // A file of its own that was changed since, and one with another name.
    _ = try bench.script(
      """
      cd corpus
      a=$(ls ????????????????.jsonl | head -1); b=$(ls ????????????????.jsonl | tail -1)
      sed -i 's/showed something new/my favourite/' $a; cp $b copy.jsonl; ls >../before
      sha256sum mine.jsonl notes.md $a copy.jsonl ../elsewhere.jsonl >../sums
      """)
    _ = try bench.script("\"$BENCH\" \(Self.search) 6000 --seed 4 --corpus corpus")
    let after = try bench.script("cd corpus && sha256sum -c ../sums && readlink link.jsonl")
    #expect(after.status == 0, "\(after)")
  }

  @Test func `Its own files go when smaller sessions show the same`() throws {
    let bench = try Self.bench()
    func count() throws -> Int {
      Int(try bench.script("ls corpus | wc -l").output.filter { $0.isNumber }) ?? 0
    }
    _ = try bench.script("\"$BENCH\" \(Self.search) 4000 --corpus corpus")
    let whole = try count()
    var removedCount = 0
    for seed in 5..<10 {
      let more = try bench.script(
        "\"$BENCH\" explore --against guarded --seed \(seed) --sessions 4000 --corpus corpus")
      let words = more.errors.split(separator: " ")
      let index = try #require(words.lastIndex { $0.hasPrefix("removed") })
      removedCount += Int(words[index - 1]) ?? 0
    }
    #expect(whole > 0)
    #expect(removedCount > 0)
  }

  @Test func `A damaged corpus is read as far as possible, and nothing in it is changed`() throws {
    let bench = try Self.bench()
    let header = #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 3}"#
    _ = try bench.script(
      """
      mkdir -p corpus/folder.jsonl && cd corpus
      printf '%s\\n[1.5, "rx", "X4' '\(header)' >truncated.jsonl
      head -c 5000 /dev/urandom >junk.jsonl
      : >empty.jsonl
      printf '%s\\n' '\(header)' | sed 's/guarded/nonsense/' >foreign.jsonl
      printf '{"format": "sentry-trace", "version": 1, "firmware": "guarded", "baud": 4800}\\n' \
        >slow.jsonl
      truncate -s 3G huge.jsonl
      ln -s nowhere dangling.jsonl; ln -s . round.jsonl; mkfifo fifo.jsonl
      printf '%s\\n[1.5, "rx", "X45."]\\n' '\(header)' >good.jsonl
      find . | sort >../before
      """)
    let outcome = try bench.script("\"$BENCH\" \(Self.search) 300 --corpus corpus")
    #expect(outcome.status == 0, "\(outcome)")
    for name in ["truncated", "junk", "huge", "dangling"] where !outcome.errors.contains(name) {
      #expect(outcome.errors.contains("more"), "\(name): \(outcome)")
    }
    #expect(outcome.errors.contains("300 sessions"), "\(outcome)")
    let missing = try bench.script("cd corpus && find . | sort | comm -23 ../before -")
    #expect(missing.output.isEmpty, "\(missing)")
  }

  @Test func `Of ten thousand files, as many are read as the memory allows`() throws {
    let bench = try Self.bench()
    _ = try bench.script(
      """
      mkdir corpus && cd corpus
      for i in $(seq 10000); do
        printf '{"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 3}\\n%s\\n' \
          "[1.5, \\"rx\\", \\"X$((i % 181)).\\"]" >$i.jsonl
      done
      """)
    let all = try bench.script("\"$BENCH\" \(Self.search) 10100 --corpus corpus")
    #expect(all.status == 0 && !all.errors.contains("not read"), "\(all)")
    let few = try bench.script("\"$BENCH\" \(Self.search) 500 --memory 1 --corpus corpus")
    #expect(few.status == 0 && few.errors.contains("--memory leaves no room"), "\(few)")
    #expect(
      Int(
        try bench.script("ls corpus/?.jsonl corpus/??.jsonl | wc -l").output
          .filter { $0.isNumber }) == 99)
  }

  @Test func `A signal ends the search, and what it kept is written`() throws {
    let bench = try Self.bench()
    let outcome = try bench.script(
      """
      set -m
      "$BENCH" explore --against guarded --budget 0 --corpus corpus &
      sleep 1; kill -INT $!; wait $!
      """)
    #expect(outcome.status == 130, "\(outcome)")
    #expect(try bench.script("ls corpus/*.jsonl").status == 0)
    // Whether with outputs or without, each can be searched from again.
    let again = try bench.script(
      "\"$BENCH\" explore --against guarded --sessions 1 --corpus corpus")
    #expect(again.status == 0 && !again.errors.contains("not read"), "\(again)")
  }

  // MARK: The emulated chip

  /// Waits for bytes on USART0, and executes what is no instruction when one is an `X`.
  private static let crashing: [UInt16] = [
    0xE100, 0x9300, 0x00C1, 0x9110, 0x00C0, 0xFF17, 0xCFFC, 0x9120, 0x00C6, 0x3528, 0xF7C1, 0x0001,
  ]

  @Test func `A session in which the program crashes is found and written`() throws {
    let bench = try Self.bench()
    try bench.write(ChipProgram.hex(Self.crashing), "crash.hex")
    // No session breaks it, so that the search goes on.
    try bench.write("- angles: 0..180\n", "angles.yaml")
    let outcome = try bench.run(
      "explore", "--device", "avr:crash.hex", "--firmware", "guarded", "--rules", "angles.yaml",
      "--sessions", "60", "--output", "found", "--junit", "junit.xml")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("the program crashed at 0x0016"), "\(outcome)")
    #expect(outcome.output.contains("[1.500000, \"rx\", \"X\"]"), "\(outcome)")
    let report = try bench.script("grep -A1 'the program does not crash' junit.xml").output
    #expect(report.contains("crashed"), "\(report)")
    let again = try bench.script(
      "\"$BENCH\" replay --device avr:crash.hex $(grep -l crashed found/*.jsonl)")
    #expect(again.errors.contains("the program crashed at 0x0016"), "\(again)")
  }

  @Test func `On a chip, the branches that its program takes lead the search`() throws {
    let bench = try Self.bench()
    let chip = ChipProgram.sketch("classic")
    let outcome = try bench.script(
      """
      "$BENCH" explore --device avr:\(chip) --firmware classic --rules rules.yaml --sessions 60 \
        -o found
      """)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(try bench.script("\"$BENCH\" verify found --device avr:\(chip)").status == 0)
  }
}
