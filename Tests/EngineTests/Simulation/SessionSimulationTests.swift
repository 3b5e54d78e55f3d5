import Engine
import Sketches
import TestSupport
import Testing

/// Sessions that are made up from a seed, with what fails around them. What must always hold is
/// checked after each step, and at the end.
@Suite struct SessionSimulationTests {
  @Test(arguments: Firmware.allCases)
  func `Whatever comes in and fails, what must hold does`(_ firmware: Firmware) {
    for seed in Seeds.first(40) {
      var script = Script(firmware, seed: seed)
      script.plan.isSliced = seed % 4 == 0
      guard script.flaw != nil else { continue }
      let least = script.shrunk()
      Issue.record("seed \(seed): \(least.flaw ?? "")\n\(least)")
      return
    }
  }

  /// The fewest steps of sessions that had a flaw.
  private static let mended = [
    // What a client had scheduled waited for the next input.
    Script(
      .init(firmware: .classic, hasNetwork: true, hasClient: true, isSliced: true),
      [.request(#""do": "send", "bytes": "X120.", "at": 11.25"#)]),
    // A client's break ended that of another sender.
    Script(
      .init(firmware: .classic, hasClient: true),
      [.breakBegins, .request(#""do": "break", "seconds": 0.01"#)]),
    // A byte that waited for the end of a break was timed at the end that the break was to have.
    Script(
      .init(
        firmware: .buzzer, hasNetwork: true, hasClient: true,
        rules: [#"{"servo": 45, "within": "50ms", "of": "X45."}"#]),
      [.breakBegins, .bytes("X45.", .pty)]),
    // The next client received the answer to the end.
    Script(
      .init(firmware: .buzzer, hasNetwork: true, hasClient: true),
      [
        .request(#""do": "send", "bytes": "L""#), .request(#""do": "end""#), .leaves,
        .request(#""do": "expect", "rule": {"never": ["junk"]}"#),
      ]),
    // A byte on its way to a program that had closed the port was due for ever.
    Script(
      .init(firmware: .guarded, hasClient: true, resetOnOpen: 900_000),
      [.speed(4_800, .pty), .bytes("?", .remote), .opens, .dtr, .pass(2_691), .closes]),
  ]

  @Test(arguments: mended) func `A flaw that was found stays mended`(_ script: Script) {
    #expect(script.flaw == nil)
  }

  @Test func `The simulation does everything that a session can meet`() {
    var words: Set<String> = []
    var endings: Set<String> = []
    for seed in 1...150 as ClosedRange<UInt64> {
      let script = Script(.classic, seed: seed)
      var world = World(script.plan)
      for step in script.steps where !world.isOver {
        world.perform(step)
        words.insert(Self.name(step))
      }
      world.finish()
      if let ending = world.ending { endings.insert(Self.name(ending)) }
    }
    #expect(words.count == 25, "\(words.sorted())")
    #expect(endings == ["signal", "key", "time", "command", "commandTimeout", "fault"])
  }

  private static func name(_ value: some Any) -> String {
    let text = "\(value)".drop { $0 == "." }
    return String(text.prefix { $0.isLetter })
  }

  @Test func `A flaw is shown by the fewest steps`() {
    var script = Script(.classic, seed: 3)
    script.steps += [.signal(15)]
    // Whether a script ends with the signal stands for a flaw.
    func isFlawed(_ script: Script) -> Bool { script.steps.contains(.signal(15)) }
    #expect(Script.shrunk(script, while: isFlawed).steps == [.signal(15)])
  }
}
