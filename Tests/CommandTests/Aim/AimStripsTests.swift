import TestSupport
import Testing

/// The features that `aim` shares with the robot vision phone: pairs of strips, shapes, distances,
/// and its answers.
@Suite("aim --strips", .ownThread)
struct AimStripsTests {
  /// A strip that leans from `bottom` to `top`, 0.04 wide, 0.2 high.
  static func strip(_ bottom: Double, _ top: Double) -> String {
    let left = min(bottom, top) - 0.02
    let width = abs(top - bottom) + 0.04
    let corners =
      "[[\(top - 0.02), 0.6], [\(top + 0.02), 0.6], [\(bottom + 0.02), 0.4], [\(bottom - 0.02), 0.4]]"
    return #"{"kind": "rectangle", "box": [\#(left), 0.4, \#(width), 0.2], "confidence": 1, "#
      + #""corners": \#(corners)}"#
  }

  /// A pair around 0.55 whose boxes extend from 0.43 to 0.67 with a gap of 0.08, and a bigger
  /// rectangle around 0.2.
  static let seen = Seen.file(
    Seen.frame("1", strip(0.45, 0.49), strip(0.65, 0.61), Seen.thing("rectangle", 0.2, 0.3)))

  static func aim(_ options: [String]) throws -> Bench.Outcome {
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    return try Bench().start(program, ["aim", "-", "--to", "-"] + options, input: seen).finish()
  }

  static let cases: [(options: [String], command: String)] = [
    ([], "X60."),
    (["--strips"], "X95."),
    // 90 + atan(0.1 x tan 30 degrees).
    (["--strips", "--mapping", "fov"], "X93."),
    (["--strips", "--gap", "0.07:0.09"], "X95."),
    (["--strips", "--gap", "0.09:1"], "L"),
    (["--strips", "--gap", "-1:0.07"], "L"),
    (["--aspect-ratio", "0.9:1.1"], "X60."),
    // A strip's box is 0.08 by 0.2.
    (["--strips", "--aspect-ratio", "0.3:0.5"], "X95."),
    (["--strips", "--aspect-ratio", "0.5:2"], "L"),
    (["--min-height", "0.25"], "X60."),
    (["--min-height", "0.31"], "L"),
    (["--strips", "--min-height", "0.19"], "X95."),
    (["--strips", "--min-height", "0.21"], "L"),
  ]

  @Test(arguments: cases)
  func `Pairs of strips give the expected command`(_ options: [String], _ command: String) throws {
    let outcome = try Self.aim(options)
    #expect(outcome.errors.contains("note: nothing was aimed at") == (command == "L"))
    #expect(outcome.output == Seen.trace(("1.000000", command)))
  }

  static let refused: [(options: [String], why: String)] = [
    (["--gap", "0:1"], "--gap requires --strips."),
    (["--strips", "--gap", "1:0"], "A range is LEAST:MOST, for example"),
    (
      ["--aspect-ratio", "2"],
      "The value '2' is invalid for '--aspect-ratio <least:most>': A range is"
    ),
    (["--aspect-ratio", "nan:1"], "The value 'nan:1' is invalid"),
    (["--min-height", "1.5"], "the minimum height must be 0 to 1."),
    (["--distance", "0.1:2"], "a distance needs at least two samples with different shares."),
    (["--distance", "0.1:2", "--distance", "0:2"], "sample 2: the share must be above 0"),
    (["--distance", "0.1:2", "--distance", "0.2:3"], "further away is not smaller."),
    (["--distance", "2"], "A measurement is SHARE:DISTANCE, for example"),
    (["--serve-form", "json"], "--serve-form requires --serve."),
    (["--ca", "authorities.pem"], "--ca requires a wss:// target."),
  ]

  @Test(arguments: refused)
  func `Invalid options for strips are refused with a sentence`(_ options: [String], _ why: String)
    throws
  {
    let outcome = try Self.aim(options)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(why), "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  /// At twice the distance, an area appears a quarter as large: the pair's 0.24 x 0.2 and
  /// `--distance 0.192:1` result in 2.
  static let answers: [(form: String, answer: String)] = [
    ("fields", "00:00:01.000|angle^3.304|distance^2.0\n"),
    ("json", "{\"timestamp\": \"00:00:01.000\", \"angle\": 3.304, \"distance\": 2.0}\n"),
  ]

  @Test(arguments: answers)
  func `The vision phone gives the angle and the distance of a pair`(
    _ form: String, _ answer: String
  ) async throws {
    let bench = try Bench()
    try bench.write(Self.seen + Seen.frame("60") + "\n", "seen.jsonl")
    let phone = try await ServedPhone(
      [
        "--serve-form", form, "--strips", "--mapping", "fov", "--distance", "0.192:1",
        "--distance", "0.012:4",
      ], in: bench)
    #expect(try await phone.answer(with: "3.304") == answer)
    #expect(try await phone.shutDown().status == 0)
  }
}
