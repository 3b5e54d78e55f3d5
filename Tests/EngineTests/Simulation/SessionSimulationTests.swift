import TestSupport
import Testing
import Turret

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
    #expect(words.count == 23, "\(words.sorted())")
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
