import Foundation
import TestSupport
import Testing

@Suite("Exit statuses", .ownThread)
struct ExitStatusTests {
  static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    try bench.write(Sample.bad, "bad.jsonl")
    try bench.write(Sample.broken, "broken.jsonl")
    return bench
  }

  static let table: [(String, Int32)] = [
    ("verify good.jsonl", 0), ("replay good.jsonl", 0), ("explain good.jsonl", 0),
    ("diff good.jsonl good.jsonl", 0), ("--help", 0), ("--version", 0), ("verify --help", 0),
    ("verify bad.jsonl", 1), ("diff good.jsonl bad.jsonl", 1),
    // Refused by the parser: a missing and an unknown word, a wrong value, a wrong combination.
    ("verify", 64), ("nonsense", 64), ("verify --nonsense good.jsonl", 64),
    ("replay --servo big good.jsonl", 64), ("replay good.jsonl --send X", 64),
    ("run python3 x.py", 64),
    ("plot good.jsonl --from 2s", 64), ("plot good.jsonl --from 1500ms --to 1.6s", 0),
    ("record --device avr:x.elf", 66),
    ("verify broken.jsonl", 65), ("replay broken.jsonl", 65), ("explain broken.jsonl", 65),
    ("diff good.jsonl broken.jsonl", 65), ("diff broken.jsonl good.jsonl", 65),
    ("verify none.jsonl", 66), ("replay none.jsonl", 66), ("explain none.jsonl", 66),
    ("diff good.jsonl none.jsonl", 66), ("replay .", 66), ("verify good.jsonl/x", 66),
    ("verify --device avr:x.elf good.jsonl", 66), ("replay --device serial:x good.jsonl", 69),
    ("replay --device nothing good.jsonl", 64),
    ("verify --device serial:x good.jsonl", 69),
    ("verify --device serial:x good.jsonl bad.jsonl broken.jsonl none.jsonl", 69),
    ("explain --device serial:/dev/x good.jsonl", 69),
    ("replay good.jsonl -o /dev/full", 74), ("replay good.jsonl -o none/out.jsonl", 74),
    ("verify good.jsonl --junit none/out.xml", 74), ("verify good.jsonl --junit /dev/full", 74),
    // The worst status wins, whatever the order: 74, 69, 66, 65, 1.
    ("verify bad.jsonl good.jsonl", 1), ("verify broken.jsonl bad.jsonl good.jsonl", 65),
    ("verify bad.jsonl broken.jsonl", 65), ("verify none.jsonl broken.jsonl bad.jsonl", 66),
    ("verify broken.jsonl none.jsonl", 66),
    ("verify none.jsonl broken.jsonl bad.jsonl --junit /dev/full", 74),
  ]

  @Test(arguments: table)
  func `A command line ends with the status that scripts rely on`(_ line: String, _ status: Int32)
    throws
  {
    let outcome = try Self.bench().script("\"$BENCH\" \(line)")
    #expect(outcome.status == status, "\(outcome.errors)")
    // Errors are reported on standard error, and disagreements on standard output.
    if status > 1 { #expect(!outcome.errors.isEmpty) }
    if status <= 1 { #expect(outcome.errors.isEmpty) }
  }

  @Test(arguments: [
    "replay", "replay good.jsonl --for 1s", "replay --send X --for 5",
    "replay --send X --for 1000000000s", "replay --summary --servo sg90 good.jsonl",
    "verify --tolerance 200 good.jsonl", "verify --tolerance -1us good.jsonl",
    "verify --tolerance 1eus good.jsonl", "verify --tolerance us good.jsonl",
    "verify --jobs 0 good.jsonl", "verify --shard 0/2 good.jsonl",
    "verify --shard 3/2 good.jsonl", "verify --shard 1 good.jsonl",
    "verify --update --shard 1/2 good.jsonl", "verify -v -q good.jsonl", "replai good.jsonl",
    "run --for 1", "plot good.jsonl --from 1s --to 500ms", "plot good.jsonl --from 1s --to 1s",
    "verify --json --junit - good.jsonl", "verify --firmware blink good.jsonl",
    "diff good.jsonl", "record", "record --device model", "record --port x --device avr:x.elf",
    "record --port x --pin 3", "record --device avr:x.elf --no-reset",
  ])
  func `A line that the parser refuses has the status of wrong usage`(_ line: String) {
    #expect(Refusal(of: line.split(separator: " ").map(String.init))?.status == 64)
  }

  @Test(arguments: [
    "replay good.jsonl", "replay --summary good.jsonl", "verify good.jsonl", "verify bad.jsonl",
    "verify --json bad.jsonl",
    "diff good.jsonl good.jsonl", "diff good.jsonl bad.jsonl", "explain good.jsonl",
    "explain --json good.jsonl",
  ])
  func `A full disk at standard output ends with status 74 and a message`(_ line: String) throws {
    let outcome = try Self.bench().script("\"$BENCH\" \(line) > /dev/full")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("standard output: error: cannot be written"))
  }

  @Test func `The traces after an invalid one are verified`() throws {
    let outcome = try Self.bench().run(
      "verify", "none.jsonl", "broken.jsonl", "bad.jsonl", "good.jsonl", "-v")
    #expect(outcome.output.contains("bad.jsonl:4: error: "))
    #expect(outcome.output.contains("good.jsonl: agrees: 2 events"))
    #expect(outcome.output.contains("1 of 4 traces agrees, 1 disagrees, 2 could not be verified"))
    #expect(outcome.errors.contains("none.jsonl: error: cannot be opened"))
    #expect(outcome.errors.contains("broken.jsonl:3:1: error: expected an event"))
  }

  @Test(arguments: ["replay --send L --for 300s", "replay --send L --for 300s --servo sg90"])
  func `A broken pipe at standard output ends with status 141 and no message`(_ line: String) throws
  {
    let outcome = try Self.bench().script("\"$BENCH\" \(line) | head -1; echo ${PIPESTATUS[0]}")
    #expect(outcome.lines.last == "141")
    #expect(outcome.lines.count == 2)
    #expect(outcome.errors.isEmpty)
  }
}
