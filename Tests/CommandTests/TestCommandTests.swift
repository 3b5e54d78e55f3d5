import Foundation
import TestSupport
import Testing

/// `test` and `init`, as programs.
@Suite("test and init", .ownThread)
struct TestCommandTests {
  private static func virtual(_ name: String, _ angle: Int) -> String {
    "name: \(name)\nsend: [[1.5, X45.]]\nexpect:\n  - servo: \(angle)\n"
  }

  /// Returns a scenario whose sender opens the port as descriptor 3, and then runs `sender`.
  private static func live(_ sender: String, _ rules: String, _ more: String = "") -> String {
    "run: exec 3>\"$SENTRY_PORT\"; sleep 0.1; \(sender)\n\(more)\nexpect:\n\(rules)\n"
  }

  private static func folder() throws -> Bench {
    let bench = try Bench()
    try bench.write(virtual("good", 45), "s/a.yaml")
    try bench.write(virtual("bad", 46), "s/b.yml")
    return bench
  }

  @Test func `The status is 1 if a scenario fails, and the report names the rule`() throws {
    let bench = try Self.folder()
    let outcome = try bench.run("test", "s", "--junit", "report.xml")
    #expect(outcome.status == 1 && outcome.errors.isEmpty)
    #expect(outcome.output.contains("FAILED  s/b.yml: bad ("))
    #expect(outcome.output.contains("\ns/b.yml:4:5: servo 46 failed\n"))
    #expect(outcome.output.contains("\n1 of 2 scenarios passes, 1 fails ("))
    let report = try bench.read("report.xml")
    #expect(report.contains(#"<testcase classname="s/b" name="bad""#))
  }

  @Test(
    arguments: [
      (["s/a.yaml"], 0), (["s"], 1), (["none.yaml"], 66), (["empty"], 66),
      (["s", "--filter", "GOOD"], 0), (["s", "--filter", "nothing"], 66), (["s", "--list"], 0),
      (["s", "c.yaml"], 65), (["s", "--shard", "1/2"], 0), (["s", "--shard", "2/2"], 1),
      (["s", "--flaky"], 64), (["s", "--jobs", "0"], 64), (["-"], 64), ([], 64),
      (["s/a.yaml", "--repeat", "3", "--update"], 64), (["s/a.yaml", "--junit", "none/x"], 74),
      (["s/a.yaml", "--timeout", "5"], 64), (["s", "--filter", "nothing", "c.yaml"], 65),
      (["s", "--list", "--json"], 64),
    ] as [([String], Int32)])
  func `Each outcome has its status`(arguments: [String], status: Int32) throws {
    let bench = try Self.folder()
    try bench.write("expct: 1\n", "c.yaml")
    try bench.write("", "empty/notes.txt")
    let program = try #require(Bench.program)
    let outcome = try bench.start(program, ["test"] + arguments).finish()
    #expect(outcome.status == status, "\(outcome)")
  }

  @Test func `What failed is run again, and its session is the last one`() throws {
    let bench = try Self.folder()
    let kept = ["CI": "", "XDG_CACHE_HOME": bench.folder.appending(path: "cache").path()]
    let none = try bench.run("test", "--rerun", "failed", environment: kept)
    #expect(none.status == 66)
    #expect(none.errors.contains("no run of test in this folder is known"))
    #expect(try bench.run("test", "s", environment: kept).status == 1)
    let again = try bench.run("test", "--rerun", "failed", environment: kept)
    #expect(again.status == 1)
    #expect(again.output.contains("FAILED  s/b.yml: bad (") && !again.output.contains("good"))
    let explained = try bench.run("explain", "last", environment: kept)
    #expect(explained.status == 0)
    #expect(explained.output.contains("4 bytes: 1 letter, 2 digit, 1 terminator"))
    #expect(try bench.run("explain", "last:3", environment: kept).status == 66)
    try bench.write(Self.virtual("bad", 45), "s/b.yml")
    #expect(try bench.run("test", "s", "--rerun", "failed", environment: kept).status == 0)
    let done = try bench.run("test", "--rerun", "failed", environment: kept)
    #expect(done.status == 0)
    #expect(done.errors == "No scenario failed in the last run in this folder.\n")
  }

  @Test func `A device that does not exist is a mistake in the file`() throws {
    let bench = try Bench()
    try bench.write("device: my.elf\nsend: [[1.5, X45.]]\nexpect:\n  - servo: 45\n", "d.yaml")
    let outcome = try bench.run("test", "d.yaml")
    #expect(outcome.status == 65)
    #expect(outcome.output.contains("\nd.yaml:1:1: error: there is no device \"my.elf\""))
  }

  @Test func `A file that could not be read is run again`() throws {
    let bench = try Self.folder()
    let kept = ["CI": "", "XDG_CACHE_HOME": bench.folder.appending(path: "cache").path()]
    try bench.write("expct: 1\n", "c.yaml")
    let first = try bench.run(
      "test", "s/a.yaml", "c.yaml", "--report", "r.html", environment: kept)
    #expect(first.status == 65)
    #expect(try bench.read("r.html").contains("A file could not be read"))
    let again = try bench.run("test", "--rerun", "failed", environment: kept)
    #expect(again.status == 65)
    #expect(again.errors.contains("c.yaml:1:1: error: "), "\(again)")
    try bench.write(Self.virtual("mended", 45), "c.yaml")
    let mended = try bench.run("test", "--rerun", "failed", "--list", environment: kept)
    #expect(mended.output == "c.yaml: mended\n")
    #expect(mended.status == 0)
  }

  @Test(arguments: [["--no-keep"], []])
  func `Nothing is kept in CI, or if that is not wanted`(_ options: [String]) throws {
    let bench = try Self.folder()
    var kept = ["XDG_CACHE_HOME": bench.folder.appending(path: "cache").path()]
    if !options.isEmpty { kept["CI"] = "" }
    #expect(try bench.run(["test", "s"] + options, environment: kept).status == 1)
    #expect(try bench.run("explain", "last", environment: kept).status == 66)
    #expect(try bench.run("test", "--rerun", "failed", environment: kept).status == 66)
  }

  @Test func `A live session is the last one`() throws {
    let bench = try Bench()
    let kept = ["CI": "", "XDG_CACHE_HOME": bench.folder.appending(path: "cache").path()]
    let sender = "printf X45. >$SENTRY_PORT; sleep 0.5"
    let session = try bench.run("run", "-q", "--", "sh", "-c", sender, environment: kept)
    #expect(session.status == 0)
    let replayed = try bench.run("replay", "last", environment: kept)
    #expect(replayed.status == 0)
    #expect(replayed.output.contains(#""servo", 45, "#), "\(replayed)")
    // A file of that name is meant first.
    try bench.write("nothing\n", "last")
    #expect(try bench.run("replay", "last", environment: kept).status == 65)
  }

  @Test func `A live scenario with faults draws anew in each run, and alone with its seed`() throws
  {
    let bench = try Bench()
    let sender = "printf X45.X45.X45.X45.X45. >&3; sleep 0.2"
    let yaml = Self.live(sender, "  - never: lost", "faults: [drop:50%]\nname: a")
    try bench.write(yaml, "a.yaml")
    let repeated = try bench.run("test", "a.yaml", "--repeat", "2", "--artifacts", "failed")
    #expect(repeated.output.contains("FAILED  a.yaml: a (run 2, seed 2) ("), "\(repeated)")
    #expect(repeated.output.contains("never lost failed"))
    #expect(repeated.status == 1)
    let alone = try bench.run("test", "a.yaml", "--seed", "2", "--artifacts", "alone")
    #expect(alone.output.contains("FAILED  a.yaml: a ("), "\(alone)")
    /// The bytes that the faults let through.
    func reached(_ folder: String) throws -> String {
      try bench.read("\(folder)/trace.jsonl").split(separator: "\n")
        .filter { $0.contains(#""rx", "#) }.map { $0.split(separator: "\"")[3] }.joined()
    }
    let second = try reached("failed/a-yaml-a-run-2-seed-2")
    #expect(try reached("failed/a-yaml-a-run-1-seed-1") != second)
    #expect(try reached("alone/a-yaml-a") == second)
  }

  @Test(arguments: [["run", "--for", "1ms"], ["replay", "--send", "X45."], ["gateway"]])
  func `A seed without faults is refused`(command: [String]) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    let outcome = try bench.start(program, command + ["--seed", "3"]).finish()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--seed requires --fault."), "\(outcome)")
  }

  @Test func `A malformed file is reported with its place, and the others are run`() throws {
    let bench = try Self.folder()
    try bench.write("name: x\nsend: [[1.5, X45.]\n", "s/c.yaml")
    let outcome = try bench.run("test", "s")
    #expect(outcome.status == 65)
    #expect(outcome.errors == "s/c.yaml:3:1: error: expected ',' or ']'\n")
    #expect(outcome.output.contains("1 of 2 scenarios passes, 1 fails, 1 file could not be read ("))
  }

  @Test func `The list is in byte order of the paths`() throws {
    let outcome = try Self.folder().run("test", "--list", "s")
    #expect(outcome.output == "s/a.yaml: good\ns/b.yml: bad\n")
  }

  @Test func `What failed has a folder of artifacts`() throws {
    let bench = try Self.folder()
    #expect(try bench.run("test", "s", "--artifacts", "a/failed").status == 1)
    let folder = "a/failed/s-b-yml-bad"
    for name in ["failure.txt", "trace.jsonl", "picture.svg", "explanation.txt"] {
      #expect(bench.size("\(folder)/\(name)") > 0, "\(name)")
    }
    #expect(try bench.read("\(folder)/picture.svg").contains(">bad</title>"))
    #expect(try bench.run("replay", "\(folder)/trace.jsonl").status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("a/failed"))
    #expect(names == ["s-b-yml-bad"])
  }

  @Test(
    .enabled(if: Tool.isLinux, "/dev/full"),
    arguments: [["--junit", "/dev/full"], ["--artifacts", "s/a.yaml"]])
  func `What failed is shown although the report or the folders cannot be written`(
    options: [String]
  ) throws {
    let bench = try Self.folder()
    let outcome = try bench.run("test", "s", options[0], options[1])
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains(": error: cannot be written: "), "\(outcome)")
    #expect(outcome.output.contains("FAILED  s/b.yml: bad ("), "\(outcome)")
    #expect(outcome.output.contains("\n1 of 2 scenarios passes, 1 fails ("), "\(outcome)")
  }

  /// A copy by another name is a program of which nothing is known.
  @Test func `A report shows a scenario on its own device, by its own profile`() throws {
    let bench = try Bench()
    let hex = try String(contentsOfFile: ChipProgram.sketch("classic"), encoding: .utf8)
    try bench.write(hex, "s/mine.hex")
    try bench.write(
      """
      name: bad
      device: avr:mine.hex
      profile: {commands: ["X{angle:0..180}.", L]}
      send: [[2, "X45.X50."]]
      expect:
        - servo: 46

      """, "s/a.yaml")
    let outcome = try bench.run("test", "s", "--report", "report.html", "--artifacts", "bad")
    #expect(outcome.status == 1, "\(outcome)")
    let explanation = try bench.read("bad/s-a-yaml-bad/explanation.txt")
    #expect(!explanation.contains("is unknown"))
    #expect(explanation.contains("8 bytes: 8 taken"))
    let page = try bench.read("report.html")
    #expect(!page.contains("is unknown"))
    #expect(page.contains("All of the 8 bytes were taken"))
    #expect(page.contains("divided into the profile&#39;s commands"))
    for command in ["X45.", "X50."] { #expect(page.contains("<td><code>\(command)</code></td>")) }
    #expect(page.contains("<dt>Device</dt><dd>avr</dd>"))
  }

  @Test func `A live scenario has a bench of its own, and starts in its file's folder`() throws {
    let bench = try Bench()
    try bench.write(
      Self.live(
        "cat command.txt >&3; sleep 0.2",
        "  - {servo: 45, within: 500ms, of: X45.}\n  - never: [lost, junk]\n  - exit: 0"),
      "s/t/live.yaml")
    try bench.write("X45.", "s/t/command.txt")
    let outcome = try bench.run("test", "s")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("1 scenario passes ("))
  }

  @Test func `A live scenario that fails is shown with its rule and the sender's output`() throws {
    let bench = try Bench()
    try bench.write(
      Self.live("printf X46. >&3; echo hello; echo trouble >&2; sleep 0.2", "  - servo: 45"),
      "s/live.yaml")
    let outcome = try bench.run("test", "s", "--artifacts", "failed")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("FAILED  s/live.yaml: live ("))
    #expect(outcome.output.contains("\ns/live.yaml:4:5: servo 45 failed\n"), "\(outcome)")
    #expect(outcome.output.contains("  | hello\n  | trouble\n"), "\(outcome)")
    #expect(try bench.read("failed/s-live-yaml-live/output.txt").contains("trouble"))
    #expect(bench.size("failed/s-live-yaml-live/trace.jsonl") > 0)
    #expect(try bench.read("failed/s-live-yaml-live/picture.svg").contains(">live</title>"))
  }

  @Test func `A sender that fails or takes too long fails its scenario`() throws {
    let bench = try Bench()
    try bench.write(Self.live("printf X45. >&3; exit 7", "  - servo: 45"), "s/a.yaml")
    try bench.write(
      Self.live("printf X45. >&3; sleep 60", "  - servo: 45", "timeout: 2s"), "s/b.yaml")
    let outcome = try bench.run("test", "s", "--jobs", "2")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("the sender ended with status 7"), "\(outcome)")
    #expect(outcome.output.contains("the sender was stopped after 2 s"), "\(outcome)")
    #expect(outcome.output.contains("\n0 of 2 scenarios pass, 2 fail ("))
  }

  @Test func `A sender that crashes fails its own scenario only, with what it printed`() throws {
    let bench = try Bench()
    let rules = "  - {servo: 45, within: 500ms, of: X45.}"
    try bench.write(Self.live("echo bye; kill -SEGV $$", rules), "s/a.yaml")
    try bench.write(Self.live("printf X45. >&3; sleep 0.2", rules), "s/b.yaml")
    let outcome = try bench.run("test", "s", "--jobs", "2", "--json")
    #expect(outcome.status == 1, "\(outcome)")
    try #require(outcome.lines.count == 2)
    #expect(outcome.lines[0].contains("the sender was ended by signal 11"), "\(outcome)")
    #expect(outcome.lines[0].contains(#""sender": {"status": 139, "stderr": ""}"#), "\(outcome)")
    #expect(outcome.lines[1].contains(#""verdict": "agrees""#), "\(outcome)")
    #expect(try bench.run("test", "s/a.yaml").output.contains("the sender printed:\n  | bye\n"))
  }

  @Test func `Paths in live scenarios that run at once start at the folders of their files`()
    throws
  {
    let bench = try Bench()
    try bench.write("commands: [\"X{angle:0..180}.\"]\n", "profile.yaml")
    for name in ["a", "b"] {
      try bench.write(
        """
        run: test -L turret-\(name) && test $SENTRY_PORT -ef turret-\(name) || exit 9;
          exec 3>turret-\(name); sleep 0.1; cat command.txt >&3; sleep 0.2
        pty: turret-\(name)
        profile: ../../profile.yaml
        expect:
          - {servo: 45, within: 500ms, of: X45.}

        """, "s/\(name)/live.yaml")
      try bench.write("X45.", "s/\(name)/command.txt")
    }
    let outcome = try bench.run("test", "s", "--jobs", "2")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("2 scenarios pass ("))
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.path("s/a"))
    #expect(left.sorted() == ["command.txt", "live.yaml"])
  }

  @Test func `A live scenario whose device is missing names its path, and others run`() throws {
    let bench = try Bench()
    try bench.write("device: avr:none.hex\n" + Self.live("true", "  - servo: 45"), "s/a.yaml")
    try bench.write("device: serial:none\n" + Self.live("true", "  - servo: 45"), "s/b.yaml")
    let outcome = try bench.run("test", "s")
    #expect(outcome.status == 66 || outcome.status == 69, "\(outcome)")
    #expect(outcome.output.contains("ERROR   s/a.yaml: a ("), "\(outcome)")
    #expect(outcome.output.contains("\ns/none.hex: error: "), "\(outcome)")
    #expect(outcome.output.contains("ERROR   s/b.yaml: b ("), "\(outcome)")
    #expect(outcome.output.contains("s/none"), "\(outcome)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `A signal ends the senders, and what was seen is reported`(number: Int32) throws {
    let bench = try Self.folder()
    try bench.write(
      Self.live("touch started; printf X45. >&3; sleep 60", "  - servo: 45"), "s/live.yaml")
    let program = try #require(Bench.program)
    let running = try bench.start(program, ["test", "s", "--junit", "report.xml"])
    while running.isRunning, bench.size("s/started") < 0 { usleep(10_000) }
    kill(running.identifier, number)
    let outcome = try running.finish()
    #expect(outcome.status == 128 + number, "\(outcome)")
    #expect(
      outcome.output.contains("1 of 3 scenarios passes, 1 fails, 1 not run to the end ("),
      "\(outcome)")
    #expect(try bench.read("report.xml").contains(#"tests="1""#))
  }

  @Test func `A trace is recorded with --update and judges the sender from then on`() throws {
    let bench = try Bench()
    let rules = "  - trace: golden.jsonl\n  - never: lost"
    try bench.write(Self.live("printf X46. >&3; sleep 0.2; exit 3", rules), "s/a.yaml")
    #expect(try bench.run("test", "s", "--update").status == 1)
    #expect(bench.size("s/golden.jsonl") < 0, "the sender failed")
    #expect(try bench.run("test", "s").output.contains("; --update writes it\n"))
    try bench.write(Self.live("printf X45. >&3; sleep 0.2", rules), "s/a.yaml")
    let first = try bench.run("test", "s", "--update")
    #expect(first.status == 0, "\(first)")
    #expect(first.output.hasPrefix("s/golden.jsonl: updated\n1 scenario passes ("))
    #expect(try bench.run("test", "s").status == 0)
    try bench.write(Self.live("printf X46. >&3; sleep 0.2", rules), "s/a.yaml")
    #expect(try bench.run("test", "s").status == 1)
    #expect(try bench.run("test", "s", "--update").status == 0)
    #expect(try bench.run("test", "s").status == 0)
  }

  @Test func `A full disk leaves no empty file, so that the next init writes it`() throws {
    let bench = try Bench()
    // The limit applies to files, and standard output is a pipe.
    let full = try bench.script(
      #"{ (ulimit -S -f 0; "$BENCH" init 2>&1; echo $?) 3>&- | cat; }"#)
    #expect(
      full.output == "scenarios/bytes.yaml: error: cannot be written: File too large\n74\n")
    #expect(bench.names == ["scenarios"])
    let next = try bench.run("init")
    #expect(next.status == 0)
    #expect(!next.output.contains("kept"))
  }

  @Test func `The suite that init writes passes, and a second init changes nothing`() throws {
    let bench = try Bench()
    let written = try bench.run("init", "first")
    #expect(written.status == 0 && written.output.hasSuffix("\nNext: sentrybench test first\n"))
    let outcome = try bench.run("test", "first")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("3 scenarios pass ("))
    try bench.write("mine", "first/bytes.yaml")
    let again = try bench.run("init", "first")
    #expect(again.status == 0 && !again.output.contains("written"))
    #expect(try bench.read("first/bytes.yaml") == "mine")
  }
}
