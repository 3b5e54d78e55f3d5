import TestSupport
import Testing

@testable import sentrybench

/// The former names of options.
@Suite(.ownThread) struct OldNameTests {
  /// The arguments after rewriting, divided by spaces.
  private static func rewritten(_ line: String) -> String {
    OldNames(in: line.split(separator: " ").map(String.init)).arguments.joined(separator: " ")
  }

  static let names = [
    ("run --camera-face a.png", "run --camera face=a.png"),
    ("run --camera-background b.png", "run --camera background=b.png"),
    ("run --camera-device /dev/video7", "run --camera device=/dev/video7"),
    ("run --reset-on-open --dead-time 50ms", "run --reset-on-open --boot-time 50ms"),
    ("replay --adc-noise 0.5 --adc-seed 2", "replay --adc-noise 0.5 --adc-noise seed=2"),
    ("gateway --max-clients 8", "gateway --limits clients=8"),
    ("gateway --max-message 100", "gateway --limits message=100"),
    ("gateway --max-rate 0", "gateway --limits rate=0"),
    ("gateway --idle-timeout 60s", "gateway --limits idle=60s"),
    ("run --tls-cert a --tls-key b", "run --tls cert=a --tls key=b"),
    ("gateway --tls-self-signed -q", "gateway --tls self-signed -q"),
    ("gateway --allow-anonymous -q", "gateway --allow anonymous -q"),
    ("gateway --allow-origin null", "gateway --allow origin=null"),
    ("run --remote-detector", "run --allow remote-detector"),
  ]

  @Test(arguments: names)
  func `An old name becomes the present one, and the parser accepts it`(
    _ old: String, _ new: String
  ) {
    #expect(Self.rewritten(old) == new)
    #expect(Self.rewritten(new) == new)
    let rewritten = OldNames(in: old.split(separator: " ").map(String.init)).arguments
    // Another option can still be missing.
    let message = Refusal(of: rewritten)?.message ?? ""
    #expect(!message.contains("Unknown option") && !message.contains("invalid"), "\(message)")
  }

  @Test(arguments: [
    ("gateway --max-rate=5", "gateway --limits rate=5"),
    ("gateway --allow-origin=a=b", "gateway --allow origin=a=b"),
    ("run --camera-face a,b.png", "run --camera face=a\\,b.png"),
    ("run --camera-face=", "run --camera face="),
    // The parser refuses these: a value of a flag, and a missing one.
    ("gateway --tls-self-signed=yes", "gateway --tls self-signed=yes"),
    ("gateway --max-rate", "gateway --limits"), ("gateway --max-rate -q", "gateway --limits -q"),
    ("gateway --max-rate --max-clients 2", "gateway --limits --limits clients=2"),
  ])
  func `A value is taken as the parser would take it`(_ old: String, _ new: String) {
    #expect(Self.rewritten(old) == new)
  }

  @Test(arguments: [
    "", "run", "run -- ./sender --max-rate 5", "run --for 1s -- --adc-seed 2 --", "run --",
    "run --record=--max-rate", "replay --send=--adc-seed", "verify --max-rate 5",
    "diff --adc-seed 2 a b", "help run --max-rate", "run --max-rates 5", "run -max-rate 5",
  ])
  func `Nothing else is rewritten`(_ line: String) {
    let old = OldNames(in: line.split(separator: " ").map(String.init))
    #expect(old.arguments.joined(separator: " ") == line)
    #expect(old.notices.isEmpty)
  }

  @Test func `Each old name is reported once, with its present form`() {
    let old = OldNames(in: [
      "gateway", "--allow-origin", "a", "--allow-origin=b c", "--allow-anonymous", "--max-rate",
    ])
    #expect(
      old.notices == [
        "--allow-origin a is now written --allow origin=a",
        "--allow-anonymous is now written --allow anonymous",
        "--max-rate is now written --limits",
      ])
  }

  @Test func `A command with old names does the same, and says so on standard error`() throws {
    let bench = try Bench()
    let chip = ["--device", "avr:\(ChipProgram.sketch("classic"))"]
    let old = try bench.run(
      ["replay", "--send", "L", "--for", "2s", "--adc-noise", "5", "--adc-seed", "2"] + chip)
    let new = try bench.run(
      ["replay", "--send", "L", "--for", "2s", "--adc-noise", "5,seed=2"] + chip)
    #expect(old.status == 0 && old.output == new.output)
    #expect(
      old.errors == "sentrybench: --adc-seed 2 is now written --adc-noise seed=2\n" + new.errors)
    let json = try bench.run("gateway", "--max-rate", "x", "--log", "json")
    #expect(json.status == 64)
    #expect(json.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(json)")
  }
}

/// Lists of settings on the command line.
@Suite struct SettingListTests {
  private struct Place: Equatable {
    var name: String?
    var size = 1
    var isOpen = false
    var share = 0.0

    init() {}

    init(_ texts: String...) throws {
      let settings: [Setting<Place>] = [
        Setting("name", path: \.name), Setting("size", \.size, in: 1...9),
        Setting(flag: "open", \.isOpen),
        Setting("", \.share, "a share from 0 to 1") { text in
          Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
        },
      ]
      try texts.map { try SettingList($0, of: settings) }.apply(to: &self)
    }
  }

  @Test func `A list sets what it names, and a later one continues it`() throws {
    var place = Place()
    place.name = "a,b=c"
    place.size = 3
    place.share = 0.5
    #expect(try Place("0.5,name=a\\,b=c,size=2", "size=3") == place)
    place.isOpen = true
    #expect(try Place("open", "name=a\\,b=c,0.5,size=3") == place)
  }

  @Test(arguments: [
    (
      "nmae=x",
      "Expected name=, size=, open or a share from 0 to 1, found \"nmae=x\"; did you mean \"name\"?"
    ),
    ("size=10", "size= requires a number from 1 to 9, found \"10\"."),
    ("size", "size= requires a number from 1 to 9."),
    ("name=", "name= requires a path, found \"\"."),
    ("open=1", "open requires no value, found \"1\"."), ("2", "Expected a share from 0 to 1"),
    ("", "Expected a share from 0 to 1"), ("0.5,", "Expected a share from 0 to 1"),
  ])
  func `A wrong setting is refused with what is expected`(_ text: String, _ message: String) {
    let error = #expect(throws: (any Error).self) { try Place(text) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error as Any)")
  }
}
