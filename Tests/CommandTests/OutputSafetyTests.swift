import Foundation
import Platform
import TestSupport
import Testing

/// Attempts to make the program destroy a file.
@Suite("files that exist", .ownThread)
struct OutputSafetyTests {
  private static let notes = "my notes\n"
  private static let capture = """
    $timescale 1 us $end
    $var wire 1 ! RX $end
    $enddefinitions $end
    #0
    1!
    #100000
    0!
    #101000
    1!

    """

  /// A folder with traces, links to them, a recording by another tool, a suite and a text.
  private static func stage() throws -> Bench {
    let bench = try Bench()
    for name in ["t.jsonl", "d/a.jsonl", "d/b.jsonl"] { try bench.write(Sample.good, name) }
    try bench.write(capture, "c.vcd")
    try bench.write(notes, "notes")
    try bench.write("name: letters\ncommands:\n  - \"F\"\n", "p.yaml")
    try bench.write("0123456789abcdef0123456789abcdef\n", "tokens")
    try bench.write(
      """
      name: one
      firmware: classic
      send: [[1.5, "X45."]]
      expect:
        - trace: t.jsonl

      """, "suite.yaml")
    #expect(symlink("t.jsonl", bench.path("soft")) == 0)
    #expect(link(bench.path("t.jsonl"), bench.path("hard")) == 0)
    return bench
  }

  private static let names = [
    "t.jsonl", "d/a.jsonl", "d/b.jsonl", "c.vcd", "notes", "suite.yaml", "p.yaml", "tokens",
  ]
  private static let all = [
    "c.vcd", "d", "hard", "notes", "p.yaml", "soft", "suite.yaml", "t.jsonl", "tokens",
  ]

  private static func contents(_ bench: Bench) throws -> [String] { try names.map(bench.read) }

  @Test(arguments: [
    "report t.jsonl -o t.jsonl", "report t.jsonl --force -o t.jsonl", "report c.vcd -o c.vcd",
    "report t.jsonl -o d/../t.jsonl", "report t.jsonl -o $PWD/t.jsonl", "plot t.jsonl -o soft",
    "plot soft -o t.jsonl", "plot hard -o soft", "plot t.jsonl -o hard",
    "plot - -o t.jsonl <t.jsonl", "plot - -o /dev/stdin <>t.jsonl",
    "plot /dev/stdin -o /proc/self/fd/0 <>t.jsonl", "plot t.jsonl -o /dev/fd/3 3<>t.jsonl",
    "plot t.jsonl -o - >>t.jsonl", "explain t.jsonl >>t.jsonl", "verify d >>d/b.jsonl",
    "replay t.jsonl -o t.jsonl", "replay t.jsonl --summary -o t.jsonl",
    "replay t.jsonl -o out --until 1s --save-state hard",
    "convert c.vcd -o c.vcd", "convert t.jsonl --to vcd -o t.jsonl",
    "verify d --junit d/a.jsonl", "verify d --report d/b.jsonl", "verify . --junit t.jsonl",
    "verify d --update --junit d/a.jsonl", "verify t.jsonl --best soft --uncertainty 1ms",
    "verify d --rules suite.yaml --junit t.jsonl", "verify d --rules suite.yaml --junit suite.yaml",
    "diff t.jsonl d/a.jsonl --junit d/a.jsonl", "test suite.yaml --junit suite.yaml",
    "test . --report suite.yaml", "test suite.yaml --junit t.jsonl", "test . --report hard --force",
    "test . --update --junit t.jsonl",
    "run --pty port --expect t.jsonl --record t.jsonl --for 10ms",
    "run --expect t.jsonl --record soft --for 10ms -- false",
    "run --expect t.jsonl --record hard --keep --for 10ms -- false",
    "run --expect t.jsonl --report t.jsonl --for 10ms",
    "run --expect t.jsonl --junit t.jsonl --for 10ms",
    "run --pty port --rules suite.yaml --record t.jsonl --for 10ms",
    "run --pty port --profile p.yaml --record p.yaml --force --for 10ms",
    "gateway --token-file tokens --record tokens --force --for 10ms",
    "run --pty port --inputs d/a.jsonl --record d/a.jsonl --for 10ms",
    "shrink t.jsonl -o t.jsonl -- touch ran",
    "explore --strict --from t.jsonl --budget 1s --junit t.jsonl --force",
    "run --pty p --tls cert=notes,key=tokens --websocket 127.0.0.1:0 --record notes --force",
  ])
  func `An output that is also an input is refused`(_ arguments: String) throws {
    let bench = try Self.stage()
    let before = try Self.contents(bench)
    let outcome = try bench.script("$BENCH \(arguments)")
    #expect(outcome.status == 64)
    // What the program did not write, or is another kind of file, is refused before it is read.
    #expect(
      ["is also", "did not write it", "only another trace"].contains { outcome.errors.contains($0) }
    )
    #expect(try Self.contents(bench) == before)
    #expect(bench.names == Self.all)
  }

  @Test(arguments: [
    "replay t.jsonl -o x --until 1s --save-state ./x", "verify t.jsonl --junit x --report x",
    "replay t.jsonl -o x --until 1s --save-state d/../x", "test suite.yaml --junit x --report ./x",
    "run --record x --junit x -- true", "run --record x.jsonl --junit x.failed.jsonl -- true",
    "verify t.jsonl --best x --junit x --uncertainty 1ms", "verify t.jsonl --junit d/log >d/log",
    "report t.jsonl -o d/log 2>d/log", "run --pty port --record d/log --for 10ms >>d/log",
  ])
  func `Two outputs to the same file are refused`(_ arguments: String) throws {
    let bench = try Self.stage()
    let outcome = try bench.script("$BENCH \(arguments)")
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.contains("are the same file")
        || (try? bench.read("d/log"))?.contains("are the same file") == true)
    // A JUnit report can say that the session did not begin.
    #expect(Set(bench.names).isSuperset(of: Self.all))
  }

  @Test(arguments: [
    "report t.jsonl -o notes", "report t.jsonl -o d/a.jsonl", "plot t.jsonl -o c.vcd",
    "replay t.jsonl -o notes", "convert c.vcd -o notes", "verify t.jsonl --junit notes",
    "convert t.jsonl --to vcd -o c.vcd", "verify t.jsonl --report d/b.jsonl",
    "test suite.yaml --junit d/a.jsonl", "test suite.yaml --report notes",
    "diff t.jsonl d/a.jsonl --junit notes", "run --pty port --record notes --for 10ms",
    "run --record notes -- true", "run --junit notes -- true",
    "run --strict --report d/a.jsonl --for 10ms", "gateway --record notes --for 10ms",
    "replay t.jsonl -o out --until 1s --save-state d/a.jsonl",
    "verify t.jsonl --best notes --uncertainty 1ms",
  ])
  func `A file that the program did not write is refused`(_ arguments: String) throws {
    let bench = try Self.stage()
    let before = try Self.contents(bench)
    let outcome = try bench.script("$BENCH \(arguments)")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--force"))
    #expect(try Self.contents(bench) == before)
  }

  @Test(arguments: [
    "report t.jsonl -o x", "plot t.jsonl -o x", "replay t.jsonl -o x", "distil b.jsonl -o x",
    "convert t.jsonl --to vcd -o x", "convert t.jsonl --to sr -o x",
    "convert t.jsonl --to csv -o x", "convert t.jsonl --to saleae -o x",
    "verify t.jsonl --junit x", "verify t.jsonl --report x", "test suite.yaml --junit x",
    "test suite.yaml --report x", "replay t.jsonl -o /dev/null --until 1s --save-state x",
  ])
  func `What the program wrote is replaced, and so is an empty file, and others with --force`(
    _ arguments: String
  ) throws {
    let bench = try Self.stage()
    try bench.write(
      Sample.inputs("classic", #"[1.5, "rx", "X45.X90"]"#, #"[2.5, "rx", "X1."]"#), "b.jsonl")
    try bench.write("", "x")
    func run(_ more: String = "") throws -> String {
      #expect(try bench.script("$BENCH \(arguments) \(more)").status == 0)
      return try bench.read("x")
    }
    let first = try run()
    #expect(!first.isEmpty)
    _ = try run()
    try bench.write(Self.notes, "x")
    _ = try run("--force")
    #expect(try bench.read("x") != Self.notes)
  }

  @Test func `Descriptors, FIFOs and devices are written as they are`() throws {
    let bench = try Self.stage()
    let outcome = try bench.script(
      """
      (echo a; $BENCH plot t.jsonl -o /dev/stdout; echo b) >out
      (echo a; $BENCH verify t.jsonl --junit /dev/fd/3 >&2; echo b >&3) 3>>notes
      mkfifo pipe; cat pipe >piped & $BENCH plot t.jsonl -o pipe; wait
      $BENCH verify t.jsonl --junit /dev/null --report /dev/null
      ln -s /dev/stdout link; $BENCH plot t.jsonl -o link | cat >linked
      """)
    #expect(outcome.status == 0)
    let picture = try bench.read("piped")
    #expect(picture.hasPrefix("<svg"))
    #expect(try bench.read("out") == "a\n\(picture)b\n")
    #expect(try bench.read("linked") == picture)
    let noted = try bench.read("notes")
    #expect(noted.hasPrefix(Self.notes + "<?xml") && noted.hasSuffix("</testsuites>\nb\n"))
  }

  @Test func `Artifacts do not replace files of others, nor those that the suite reads`() throws {
    let bench = try Self.stage()
    try bench.write(Self.notes, "kept/one-suite-yaml/output.txt")
    let suite = "name: one\nfirmware: classic\nsend: [[1.5, \"X45.\"]]\nexpect:\n  - servo: 99\n"
    try bench.write(suite, "bad.yaml")
    #expect(try bench.run("test", "bad.yaml", "--artifacts", "kept").status == 1)
    let folders = try FileManager.default.contentsOfDirectory(atPath: bench.path("kept")).sorted()
    let own = try #require(folders.first { $0 != "one-suite-yaml" })
    let trace = "kept/\(own)/trace.jsonl"
    #expect(try bench.read("kept/one-suite-yaml/output.txt") == Self.notes)
    // The same suite replaces its own, unless it is also read.
    #expect(try bench.run("test", "bad.yaml", "--artifacts", "kept").status == 1)
    try bench.write(suite + "  - trace: \(trace)\n", "bad.yaml")
    let kept = try bench.read(trace)
    let outcome = try bench.script(
      "$BENCH test bad.yaml --artifacts kept | cat; exit ${PIPESTATUS[0]}")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("is also an input"))
    #expect(try bench.read(trace) == kept)
    // A folder of somebody else with the name of a run's folder.
    try FileManager.default.removeItem(atPath: bench.path("kept"))
    try bench.write(suite, "bad.yaml")
    try bench.write(Self.notes, "kept/\(own)/output.txt")
    #expect(try bench.run("test", "bad.yaml", "--artifacts", "kept").status == 1)
    #expect(try bench.read("kept/\(own)/output.txt") == Self.notes)
    #expect(bench.size("kept/\(own)-2/trace.jsonl") > 0)
  }

  @Test(
    .enabled(if: OperatingSystem.isLinux, "/dev/full"),
    arguments: [
      "--help", "--version", "run --help", "help run", "--generate-completion-script bash",
    ])
  func `Help that cannot be written ends with 74`(_ arguments: String) throws {
    let outcome = try Bench().script("$BENCH \(arguments) >/dev/full")
    #expect(outcome.status == 74)
    #expect(
      outcome.errors == "standard output: error: cannot be written: No space left on device\n")
  }

  @Test(arguments: [
    "explain", "plot", "report", "replay", "verify", "distil", "convert", "diff t.jsonl",
  ])
  func `An endless file is refused by its first bytes`(_ command: String) throws {
    let bench = try Self.stage()
    for file in ["/dev/zero", "- </dev/zero"] {
      let outcome = try bench.script("$BENCH \(command) \(file)")
      #expect(outcome.status == 65, "\(file)")
    }
  }

  @Test(arguments: ["--websocket 127.0.0.1:0", "--tcp 127.0.0.1:0", "--rfc2217 0", ""])
  func `A recording with what clients send is for its owner only`(_ options: String) throws {
    let bench = try Bench()
    let outcome = try bench.script(
      "umask 022; $BENCH run \(options) --pty port --record r.jsonl --for 10ms")
    #expect(outcome.status == 0)
    var status = stat()
    #expect(stat(bench.path("r.jsonl"), &status) == 0)
    #expect(status.st_mode & 0o777 == (options.isEmpty ? 0o644 : 0o600))
  }

  @Test(arguments: [
    "report t.jsonl -o page", "replay t.jsonl --pulses -o trace.jsonl",
    "verify t.jsonl --report page", "run -q --pty port --for 20ms --record trace.jsonl",
  ])
  func `A full disk leaves the earlier file, and no draft`(_ arguments: String) throws {
    let bench = try Self.stage()
    #expect(try bench.script("$BENCH report t.jsonl -o page && cp t.jsonl trace.jsonl").status == 0)
    let before = try [bench.read("page"), bench.read("trace.jsonl")]
    // A limit on the size of files, in KiB, simulates a full disk.
    let limit = arguments.contains("run") ? 0 : 1
    let outcome = try bench.script(
      "(ulimit -f \(limit); exec $BENCH \(arguments)) 2>&1 | cat >&2; exit ${PIPESTATUS[0]}")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("cannot be written: File too large"))
    #expect(try [bench.read("page"), bench.read("trace.jsonl")] == before)
    #expect(!bench.names.contains { $0.hasSuffix(".part") })
  }

  @Test func `Kill -9 leaves the earlier file, and at most a draft`() throws {
    let bench = try Self.stage()
    try bench.write(Sample.good, "old.jsonl")
    let outcome = try bench.script(
      """
      mkfifo pipe; exec 3<>pipe; cat t.jsonl >&3
      $BENCH replay - -o old.jsonl <&3 & pid=$!
      until ls | grep -q part; do sleep 0.05; done
      kill -9 $pid; wait $pid
      """)
    #expect(outcome.status == 137)
    #expect(try bench.read("old.jsonl") == Sample.good)
  }
}
