import TestSupport
import Testing

/// The options for the commands of a sketch of one's own.
@Suite("aim's commands", .ownThread)
struct AimCommandsTests {
  /// A face at 90 degrees, one at 65, and none. In both, its middle is at 90 degrees from the top.
  private static let input = Seen.file(
    Seen.frame("1", Seen.face(0.5)), Seen.frame("2", Seen.face(0.25)), Seen.frame("3"))

  private static let profile = """
    commands: ["P{pan:0..180},{tilt:0..180}\\n", "S\\n", "F\\n"]
    scan: "S\\n"
    baud: 19200

    """

  private static func run(_ options: [String], _ input: String = input) throws -> Bench.Outcome {
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    let bench = try Bench()
    try bench.write(profile, "turret.yaml")
    return try bench.start(program, ["aim", "-", "--to", "-"] + options, input: input).finish()
  }

  @Test(
    arguments: [
      (["--command", #"P{pan},T{tilt}\n"#], #"P90,T90\n"# + " " + #"P65,T90\n"#),
      (["--command", "P{pan},", "--lost", "S"], "P90, P65, S"),
      (["--lost", "S"], "X90. X65. S"), (["--profile", "guarded"], "X90. X65. L"),
      (["--profile", "turret.yaml"], #"P90,90\n P65,90\n S\n"#),
      (["--profile", "turret.yaml", "--tilt", "0..80"], #"P90,80\n P65,80\n S\n"#),
      (["--pan", "70..85"], "X85. X70. L"),
      (["--command", #"{tilt},{pan}\n"#, "--tilt", "0..60", "--mirror-tilt"], #"60,90\n 60,65\n"#),
      (["--command", "0xFF {pan:u8}"], #"\u00ffZ \u00ffA"#),
    ] as [([String], String)])
  func `A sketch's own commands are printed`(options: [String], commands: String) throws {
    let outcome = try Self.run(options)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let printed = outcome.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\"").last { !$0.hasPrefix("]") }.map(String.init) ?? ""
    }
    #expect(printed.joined(separator: " ") == commands)
  }

  @Test func `The header describes the commands, so that the trace can be judged`() throws {
    let header = try Self.run(["--command", #"P{pan},{tilt}\n"#, "--lost", #"S\n"#]).first
    #expect(header.contains(#""firmware": "own""#), "\(header)")
    #expect(
      header.contains(#""commands": ["P{pan:0..180},{tilt:0..180}\\n", "S\\n"]"#), "\(header)")
    let stated = try Self.run(["--profile", "turret.yaml"]).first
    #expect(stated.contains(#""firmware": "turret""#), "\(stated)")
    #expect(stated.contains(#""board": "uno", "baud": 19200"#), "\(stated)")
    #expect(try Self.run(["--profile", "classic"]).first.contains(#""firmware": "classic""#))
    #expect(try Self.run([]).output.hasPrefix(Seen.traceHeader))
  }

  @Test func `It fires once it has been on target`() throws {
    let frames = (0...10).map { Seen.frame("\(Double($0) / 10)", Seen.face(0.5)) }
    let fire = ["--fire", "F", "--fire-when", "on target for 300ms"]
    let output = try Self.run(fire, Seen.file(frames)).output
    #expect(
      output.split(separator: "\n").dropFirst()
        == [#"[0.000000, "rx", "X90."]"#, #"[0.800000, "rx", "F"]"#])
  }

  @Test func `A landmark is aimed at, and what lacks it is reported once`() throws {
    let nose = #", "landmarks": {"nose": [[0.75, 0.5]]}"#
    let seen = Seen.file(
      Seen.frame("1", Seen.thing("face", 0.5, more: nose)), Seen.frame("2", Seen.face(0.5)),
      Seen.frame("3", Seen.face(0.25)))
    let outcome = try Self.run(["--at", "nose"], seen)
    #expect(
      outcome.output == Seen.trace(("1.000000", "X93."), ("2.000000", "X90."), ("3.000000", "X65."))
    )
    #expect(
      outcome.errors
        == "-: note: the target has no landmarks for --at nose, so the middle of its box is aimed at\n"
    )
  }

  @Test(
    arguments: [
      (["--fire", "F"], "--fire requires --fire-when."),
      (["--fire-when", "on target for 1s"], "--fire-when requires --fire."),
      (["--command", "X{pan}.", "--profile", "guarded"], "--command cannot be combined with --pr"),
      (
        ["--command", "P{pan"], #"The value 'P{pan' is invalid for '--command <command>': expected"#
      ),
      (["--lost", ""], "expected at least one byte, at character 1"),
      (["--fire", "F", "--fire-when", "always"], #"found "always", at character 1 of "always"."#),
      (
        ["--pan", "170..10"], "Limits are LOW..HIGH in degrees from 0 to 180, for example 10..170."
      ),
      (["--pan", "10..190"], "Limits are LOW..HIGH"),
      (["--tilt", "10-20"], "Limits are LOW..HIGH"),
      (["--at", "ears"], "--at"),
    ] as [([String], String)])
  func `Options that do not fit are refused`(options: [String], message: String) throws {
    let refusal = try #require(Refusal(of: ["aim", "-", "--to", "-"] + options))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains(message), "\(refusal.message)")
  }

  @Test(
    arguments: [
      (["--tilt", "10..20"], "--tilt and --mirror-tilt require a command with {tilt}."),
      (["--mirror-tilt"], "--tilt and --mirror-tilt require a command with {tilt}."),
      (
        ["--profile", "none"],
        "aim requires a profile with commands, and --profile none states none."
      ),
      (
        ["--profile", "turret.yaml", "--lost", "Q"],
        #"--lost requires a command of the profile turret: P{pan:0..180},{tilt:0..180}\n, S\n or F\n."#
      ),
      (
        ["--command", "X{pan}.", "--fire", "X1.", "--fire-when", "on target for 1s"],
        "--command, --lost and --fire: expected commands that can be told apart: "
          + "X{pan:0..180}. can end where X1. continues."
      ),
    ] as [([String], String)])
  func `Commands that do not fit are refused`(options: [String], message: String) throws {
    let outcome = try Self.run(options)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
