import Engine
import Sketches
import TestSupport
import Testing

@testable import Sessions

/// Sessions of the real-time driver that are made up from a seed, on an operating system in memory.
/// What must always hold is checked before each wait, and at the end.
@Suite struct LiveSimulationTests {
  @Test(arguments: Firmware.allCases)
  func `Whatever other programs do, what must hold does`(_ firmware: Firmware) {
    for seed in Seeds.first(6) {
      let script = LiveScript(firmware, seed: seed)
      guard let flaw = script.flaw else { continue }
      let least = script.shrunk()
      Issue.record("seed \(seed): \(flaw); then: \(least.flaw ?? "")\n\(least)")
      return
    }
  }

  /// The fewest steps of sessions that had a flaw.
  private static let mended = [
    // A client that had closed its side lost the answers that it had not read.
    LiveScript(
      .init(firmware: .guarded, hasPty: false, hasClient: true),
      [
        .clientConnects(0), .pass(1_000), .clientStalls(0), .requests(0, 2_000), .pass(300_000),
        .clientEnds(0), .pass(100_000), .clientReads(0), .pass(1_000_000),
      ]),
    // A client for whom there was no descriptor kept the bench from ever resting.
    LiveScript(
      .init(firmware: .classic, hasClient: true),
      [.noDescriptors, .clientConnects(0), .pass(5_000_000)]),
  ]

  @Test(arguments: mended) func `A flaw that was found stays mended`(_ script: LiveScript) {
    #expect(script.flaw == nil)
  }

  @Test func `The simulation does everything that the driver can meet`() throws {
    var steps: Set<String> = []
    var endings: Set<String> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      for step in LiveScript(.classic, seed: seed).steps { steps.insert(Self.name(step)) }
      let script = LiveScript(.classic, seed: seed, count: 12)
      let world = try LiveWorld(script)
      world.run()
      #expect(world.flaw == nil)
      if let ending = world.ending { endings.insert(Self.name(ending)) }
    }
    #expect(steps.count == 40, "\(steps.sorted())")
    #expect(endings == ["signal", "time", "command", "commandTimeout"])
  }

  private static func name(_ value: some Any) -> String {
    String("\(value)".prefix { $0.isLetter })
  }
}
