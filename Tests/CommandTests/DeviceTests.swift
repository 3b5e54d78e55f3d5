import Foundation
import TestSupport
import Testing

@Suite("Devices and ports on the command line", .ownThread)
struct DeviceTests {
  @Test func `The ports command lists the ports, and ends with 0 if there are none`() throws {
    let bench = try Bench()
    let text = try bench.run("ports")
    let json = try bench.run("ports", "--json")
    #expect(text.status == 0)
    #expect(json.status == 0)
    #expect(text.lines.count == json.lines.count)
    #expect(text.lines.isEmpty == text.errors.contains("There is no serial port"))
    for line in json.lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(
        object?.keys.sorted() == [
          "description", "manufacturer", "path", "pid", "product", "serial", "transport", "vid",
        ])
    }
  }

  static let usage: [(String, Int32, String)] = [
    ("replay --no-reset good.jsonl", 64, "require --device serial:PATH"),
    ("verify --boot-time 1s good.jsonl", 64, "require --device serial:PATH"),
    ("verify --device serial: good.jsonl", 64, "requires a path"),
    (
      "verify --device serial:/dev/x --no-reset --boot-time 1s good.jsonl", 64, "cannot be combined"
    ),
    ("verify --device serial:/dev/x --update good.jsonl", 64, "virtual time"),
    ("replay --device serial:/dev/x --servo sg90 good.jsonl", 64, "shows pulses"),
    ("plot --device serial:/dev/x good.jsonl", 69, "a board does not show"),
    ("replay --device serial:/dev/none good.jsonl", 69, "/dev/none: error: there is no such port"),
    ("replay --device serial:good.jsonl good.jsonl", 69, "neither a serial port nor a terminal"),
  ]

  @Test(arguments: usage)
  func `Options that cannot be combined and invalid ports are refused`(
    _ line: String, _ status: Int32, _ words: String
  ) throws {
    let bench = try Bench()
    try bench.write(Sample.good, "good.jsonl")
    let outcome = try bench.script("\"$BENCH\" \(line)")
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func `A missing port is reported for each trace, whatever the trace expects`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "classic.jsonl")
    let outcome = try bench.run("verify", "--device", "serial:/dev/none", "classic.jsonl")
    #expect(outcome.status == 69)
    #expect(
      outcome.errors.contains(
        "classic.jsonl: not verified: /dev/none: error: there is no such port"))
    #expect(outcome.output.contains("0 of 1 trace agrees, 1 could not be verified"))
  }

  @Test
  func `An unobservable output is reported at once, and an unusable port fails only its traces`()
    throws
  {
    let bench = try Bench()
    try bench.write(Sample.good, "classic.jsonl")
    try bench.write(
      Sample.good.replacing("\"classic\"", with: "\"guarded\""), "guarded.jsonl")
    let outcome = try bench.run(
      "verify", "--device", "serial:guarded.jsonl", "--jobs", "4", "guarded.jsonl", "classic.jsonl")
    #expect(outcome.status == 69)
    #expect(
      outcome.output.contains(
        "classic.jsonl: error: undecided: the trace expects what this device cannot show: servo"))
    #expect(
      outcome.errors.contains(
        "guarded.jsonl: not verified: guarded.jsonl: error: is neither a serial port nor a terminal"
      )
    )
    #expect(
      outcome.output.contains("0 of 2 traces agree, 1 undecided, 1 could not be verified"))
  }
}
