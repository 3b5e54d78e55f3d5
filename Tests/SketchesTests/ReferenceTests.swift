import TestSupport
import Testing

@testable import Sketches

/// Compares the state machines with the blocking code of `ReferenceSketch`, on random streams.
@Suite struct ReferenceTests {
  private static let seeds = Seeds.first(150)

  @Test(arguments: Firmware.allCases)
  func `The state machines behave like blocking code`(_ firmware: Firmware) throws {
    let reference = try #require(
      ReferenceFirmware(rawValue: firmware.rawValue), "there is no blocking code of \(firmware)")
    for seed in Self.seeds {
      // The blocking code sends nothing, and preparing a line takes time. BinaryTests compares that
      // with the binary.
      let stream = RandomStream(seed: seed, asksNothing: firmware == .guarded)
      let model = ModelRun(firmware, stream)
      let expected = referenceRun(
        reference, costs: Self.costs(firmware), records: stream.records, until: stream.end)
      let difference = Self.difference(model, expected, tolerance: 1_000, end: stream.end)
      #expect(difference == nil, "\(firmware), seed \(seed)")
      if difference != nil { return }
    }
  }

  @Test
  func `The comparison detects a different timing`() {
    var costs = Self.costs(.classic)
    costs.step += 2_000_000
    let differing = Self.seeds.filter { seed in
      let stream = RandomStream(seed: seed)
      let expected = referenceRun(
        .classic, costs: costs, records: stream.records, until: stream.end)
      return Self.difference(
        ModelRun(.classic, stream), expected, tolerance: 1_000, end: stream.end) != nil
    }
    #expect(differing.count > Self.seeds.count / 3)
  }

  /// A description of the first difference; nil if there is none.
  private static func difference(
    _ model: ModelRun, _ expected: (outputs: [ReferenceOutput], bytes: [ReferenceByte]),
    tolerance: Int64, end: Int
  ) -> String? {
    // Something that is due at the end can be on either side of it.
    let last = Int64(end) - tolerance - 1_000
    for kind in [Output.Kind.servo, .tone, .lost] {
      let found = model.outputs(kind).filter { $0.time.nanoseconds < last }
      let wanted = expected.outputs.filter { Self.kind($0) == kind && $0.time < last }
      for (a, b) in zip(found, wanted) {
        guard same(a.output, b.kind), abs(a.time.nanoseconds - Int64(b.time)) <= tolerance + 1_000
        else { return "expected \(b), found \(a)" }
      }
      if abs(found.count - wanted.count) > 1 {
        return "expected \(wanted.count) \(kind) events, found \(found.count)"
      }
    }
    guard model.ledger.count == expected.bytes.count else { return "the ledgers' lengths" }
    for (a, b) in zip(model.ledger, expected.bytes) where a.arrived.nanoseconds < last {
      let late = abs((a.taken?.nanoseconds ?? 0) - Int64(b.taken ?? 0))
      let isNearEnd = max(a.taken?.nanoseconds ?? 0, Int64(b.taken ?? 0)) >= last
      guard
        isNearEnd
          || a.byte == b.byte && a.fate.rawValue == b.fate && a.endedScan == b.endedScan
            && abs(a.arrived.nanoseconds - Int64(b.arrived)) <= 1 && late <= tolerance
      else { return "expected \(b), found \(a)" }
    }
    return nil
  }

  private static func kind(_ output: ReferenceOutput) -> Output.Kind {
    switch output.kind {
    case .servo: .servo
    case .tone: .tone
    case .lostRingFull: .lost
    }
  }

  private static func same(_ output: Output, _ wanted: ReferenceOutput.Kind) -> Bool {
    switch (output, wanted) {
    case (.servo(let a, let b, nil), .servo(let c, let d)): Int(a) == c && Int(b) == d
    case (.tone(let a), .tone(let b)): Int(a) == b
    case (.lost(let a, .ringFull), .lostRingFull(let b)): a == b
    default: false
    }
  }

  /// The model's own timing, in the reference's terms.
  private static func costs(_ firmware: Firmware) -> ReferenceCosts {
    func nanoseconds(_ interval: Interval) -> Int { Int(interval.nanoseconds) }
    let timing = firmware.sketch.timing
    var costs = ReferenceCosts()
    costs.byteRead = nanoseconds(timing.byteRead)
    costs.purgeRead = nanoseconds(timing.purgeRead)
    costs.servoWrite = nanoseconds(timing.angleWrite)
    costs.pulseWrite = nanoseconds(timing.pulseWrite)
    costs.angleRead = nanoseconds(timing.angleRead)
    costs.letterLToFirstStore = nanoseconds(timing.angleRead + timing.stepWrite)
    costs.firstServoWrite = nanoseconds(timing.firstWrite)
    costs.startUpEnd = nanoseconds(timing.startUp)
    costs.step = nanoseconds(timing.step)
    costs.peekToStore = nanoseconds(timing.stepWrite)
    costs.scanEndToTaken = nanoseconds(timing.scanExit)
    costs.bottomTurnExtra = nanoseconds(timing.bottomTurn)
    costs.toneSetUp = nanoseconds(timing.toneSetUp)
    costs.toneDuration = nanoseconds(timing.toneLength)
    costs.firstXToneCost = nanoseconds(timing.aimToneSetUp)
    costs.byteToServo = nanoseconds(timing.angleWrite)
    costs.dueToDone = nanoseconds(timing.stepWrite)
    return costs
  }
}
