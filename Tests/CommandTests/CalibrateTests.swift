import Foundation
import TestSupport
import Testing

@Suite("calibrate", .ownThread)
struct CalibrateTests {
  private static let guarded = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../firmware/guarded/guarded.hex").standardizedFileURL.path

  @Test func `Calibrate prints a timing that the model accepts, and a table for people`() throws {
    let bench = try Bench()
    let outcome = try bench.run("calibrate", Self.guarded)
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "{" && outcome.output.contains(#"  "pulsePeriod": 20000"#))
    #expect(outcome.errors.contains("guarded.hex: guarded\n"))
    #expect(outcome.errors.contains("built in"))
    try bench.write(outcome.output, "timing.json")
    let replay = try bench.run(
      "replay", "--timing", "timing.json", "--send", "X45.", "--for", "1.6s")
    #expect(replay.status == 0 && replay.output.contains(#""servo", 45, 1008"#))
  }

  @Test func `Calibrate writes to a file, and leaves out the table if it is not requested`() throws
  {
    let bench = try Bench()
    let outcome = try bench.run("calibrate", "-q", Self.guarded, "-o", "timing.json")
    #expect(outcome == Bench.Outcome(status: 0, output: "", errors: ""))
    #expect(try bench.read("timing.json").hasPrefix("{\n  \"firstWrite\""))
  }

  static let programs: [(String, String, Int32, String)] = [
    // The program, other arguments, the status, and the message.
    ("", "", 65, "sketch.hex"),
    // One instruction, and nothing after it.
    (":020000000000FE\n:00000001FF\n", "", 65, "crashed at 0x0002"),
    // An endless loop.
    (":02000000FFCF30\n:00000001FF\n", "", 69, "stores for the servo: give its .elf"),
    (":02000000FFCF30\n:00000001FF\n", "--firmware plain", 64, "classic"),
    (":02000000FFCF30\n:00000001FF\n", "--pin 20", 64, "--pin requires a number from 0 to 19"),
  ]

  @Test(arguments: programs)
  func `A measurement that is impossible is reported, and no file is written`(
    _ program: String, _ arguments: String, _ status: Int32, _ words: String
  ) throws {
    let bench = try Bench()
    try bench.write(program, "sketch.hex")
    let outcome = try bench.script("\"$BENCH\" calibrate sketch.hex -o out.json \(arguments)")
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(bench.names == ["sketch.hex"])
  }

  @Test func `A missing file is not accepted as input`() throws {
    #expect(try Bench().run("calibrate", "none.hex").status == 66)
  }

  @Test func `A sketch other than the given one is reported`() throws {
    let outcome = try Bench().run("calibrate", Self.guarded, "--firmware", "buzzer")
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("from a buzzer sketch"), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }
}
