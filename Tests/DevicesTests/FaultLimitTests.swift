import Devices
import Sketches
import TestSupport
import Testing
import Traces

/// Faults with extreme times, rates and lengths: they are refused, or take little.
@Suite("The limits of faults") struct FaultLimitTests {
  @Test(arguments: [
    ("stall:1ns,every=1ns", 7, "from 1us to 3600s, as in stall:1s"),
    ("stall:1s,every=999us", 16, "from 1ms to 3600s"), ("stall:1s,every=0s", 16, "from 1ms"),
    ("stall:0s", 7, "from 1us"), ("unplug:1ns,every=1ns", 8, "from 1us"),
    ("unplug:1s,every=1us", 17, "from 1ms"), ("unplug:1s,boot=1ns", 16, "0s or from 1us"),
    ("reset:1/s,boot=999ns", 16, "0s or from 1us"), ("merge:1ns", 7, "from 1us"),
    ("delay:1ns", 7, "0s or from 1us"), ("delay:1ms±1ns", 11, "from 1us"),
    ("net:jitter=10ns", 12, "from 1us"), ("noise:1e12/s", 7, "from 0.000001/s to 1000/s"),
    ("noise:1e-9/s", 7, "from 0.000001/s"), ("noise:1e-6/min", 7, "from 0.000001/s"),
    ("noise:1e400/s", 7, "1000/s"), ("reset:60001/min", 7, "1000/s"),
  ])
  func `A time or a rate beyond its limits is refused with them`(
    _ text: String, _ column: Int, _ message: String
  ) {
    let error = #expect(throws: SpecError.self) { try FaultSpec.parse(text) }
    #expect(error?.column == column, "\(error?.message ?? "")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "stall:1us,every=1ms", "unplug:1us,every=1ms,boot=0s", "delay:0s", "delay:1us±1us",
    "noise:1000/s", "noise:60000/min", "reset:0.000001/s", "net:jitter=1us", "merge:3600s",
  ])
  func `The limits themselves are accepted`(_ text: String) throws {
    #expect(try FaultSpec.parse(text).count == 1)
  }

  @Test(arguments: [
    (Array(repeating: "noise:1000/s", count: 6), "up to 5000 times a second, found 6000"),
    (
      ["noise:1000/s", "unplug:1us,every=1ms"] + Array(repeating: "reset:1000/s", count: 4),
      "up to 5000 times a second, found 6000"
    ),
    (Array(repeating: "dup:100%", count: 5), "up to 16 bytes of one"),
    (Array(repeating: "dup:100%", count: 2_000), "up to 16 bytes of one"),
  ])
  func `Faults that are too much together are refused`(_ texts: [String], _ message: String) {
    let error = #expect(throws: SpecError.self) { try Self.specs(texts) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  private static func specs(_ texts: [String]) throws -> [FaultSpec] {
    var specs: [FaultSpec] = []
    for text in texts { try specs.add(FaultSpec.parse(text)) }
    return specs
  }

  // MARK: Any that is accepted

  /// A fault with values of any size, most of which are refused.
  private static func text(_ generator: inout SeededGenerator) -> String {
    func pick(_ values: [String]) -> String { values.randomElement(using: &generator)! }
    let number = pick(["0", "1", "3", "7.5", "100", "999", "1000", "5000", "1e-6", "1e-3", "1e9"])
    let time = number + pick(["ns", "us", "us", "ms", "ms", "s"])
    let other = pick(["1", "3", "10", "1000"]) + pick(["ns", "us", "ms", "ms", "s"])
    let chance = pick(["1e-9", "0.5", "1", "30%", "100%"])
    return switch pick(FaultName.allCases.map(\.rawValue)) {
    case "drop": "drop:\(chance)"
    case "dup": "dup:\(chance)"
    case "flip": "flip:\(chance)"
    case "burst": "burst:\(chance),length=\(number)"
    case "noise": "noise:\(number)\(pick(["/s", "/min"]))"
    case "clock": "clock:\(pick(["+", "-"]))\(number)ppm±20%"
    case "cut": "cut:\(number)"
    case "merge": "merge:\(time)"
    case "delay": "delay:\(time)\(pick(["", "±\(other)"]))"
    case "stall": "stall:\(time),every=\(other)"
    case "net": "net:jitter=\(time)"
    case "reset": "reset:\(number)/s,boot=\(other)"
    case "unplug": "unplug:\(time),every=\(other)"
    case "adapter": "adapter:\(pick(Adapter.all.map(\.place.rawValue)))"
    default: "mix:\(pick(FaultName.mixtures.map(\.name)))"
    }
  }

  /// Bytes that are sent in one write, so that some of them are on the wire for days.
  private static let sentCount = 3_000

  @Test(arguments: UInt64(1)...60)
  func `Whatever is accepted does a limited number of things in ten seconds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var specs: [FaultSpec] = []
    var attempts = 0
    while specs.count < 1 + Int(seed) % 5, attempts < 1_000 {
      attempts += 1
      let added = try? FaultSpec.parse(Self.text(&generator))
      try? specs.add(added ?? [])
    }
    let baud = [1, 50, 9_600, 2_000_000].randomElement(using: &generator)!
    var line = FaultyLine(FaultPlan(specs, seed: seed), baud: baud)
    var count = 0
    var last = Instant.zero
    func pass(to end: Instant) {
      while let event = line.next(by: end) {
        #expect(event.time >= last && event.time <= end.roundedUpToMicrosecond)
        last = event.time
        count += 1
      }
    }
    let bytes = (0..<Self.sentCount).map { UInt8(truncatingIfNeeded: $0) }
    for second in Int64(0)..<10 {
      let now = Instant.zero + .seconds(second)
      pass(to: now)
      if second == 1 { line.take(Event(now, .receive(bytes))) }
      if second > 1 { line.take(Event(now, .receive([0x41]))) }
    }
    pass(to: .zero + .seconds(10))
    // A strike is up to two events, and so is a byte with its strike; a tenth for what is drawn.
    let names = specs.map(\.text).joined(separator: " ")
    #expect(count < 2 * (5_000 * 10 * 11 / 10 + 17 * Self.sentCount), "\(names), \(baud) baud")
    #expect(line.count <= 17 * Self.sentCount, "\(names)")
  }

  @Test(arguments: [["delay:300ms"], ["delay:300ms", "delay:2s"], ["delay:1s", "merge:50ms"], []])
  func `What is on its way has arrived when the last of it is due`(_ faults: [String]) throws {
    var line = FaultyLine(FaultPlan(try Self.specs(faults)), baud: 9_600)
    let sent = Instant.zero + .seconds(1)
    line.take(Event(sent, .receive([0x4C])))
    let (end, cut) = (line.arrivalEnd(after: sent), line.arrivalEnd(after: sent, limit: sent))
    var last = Instant.zero
    while let event = line.next(by: .distantFuture) { last = event.time }
    #expect(end == last)
    #expect(cut == sent)
  }

  @Test(arguments: ["noise:1000/s", "unplug:1us,every=1ms"], [[], ["delay:3000s"], ["drop:1%"]])
  func `What strikes while a long write is sent is not known before`(
    _ fault: String, _ before: [String]
  ) throws {
    var line = FaultyLine(FaultPlan(try Self.specs(before + [fault])), baud: 1)
    line.take(Event(.zero + .seconds(1), .receive([UInt8](repeating: 0x55, count: 5_000))))
    var count = 0
    while line.next(by: .zero + .seconds(5)) != nil { count += 1 }
    #expect(count < 40_000)
    #expect(line.count > 4_000)
    // It is sent in 50 000 s, and nothing is forgotten.
    #expect(try #require(line.pendingEnd) > .zero + .seconds(49_000))
  }
}
