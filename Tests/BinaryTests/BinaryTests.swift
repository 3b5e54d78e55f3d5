import Foundation
import Bench
import Testing
import Traces
import Turret

@Suite struct BinaryTests {
  @Test(arguments: PrebuiltSketch.allCases)
  func `explore`(_ sketch: PrebuiltSketch) async throws {
    let symbols = try sketch.symbols()
    let source = try sketch.source()
    let count = ProcessInfo.processInfo.environment["SENTRY_STREAMS"].flatMap { UInt64($0) } ?? 10
    let c0 = Date()
    let timing = sketch == .guarded ? GuardedLoop.measuredTiming : { var t = Classic.timing; t.firstWrite = .nanoseconds(186_500); t.startUp = .nanoseconds(1_000_193_411); t.byteRead = .nanoseconds(3_594); t.purgeRead = .nanoseconds(2_327); t.angleWrite = .nanoseconds(49_010); t.angleRead = .nanoseconds(48_834); t.bottomTurn = .nanoseconds(40_782); t.step = .nanoseconds(15_060_359); t.stepWrite = .nanoseconds(49_154); t.scanExit = .nanoseconds(5_487); return t }()
    print("calibrated in", Date().timeIntervalSince(c0))
    var bad = 0
    var lags: [String: ClosedRange<Double>] = [:]
    for seed in 0..<count {
      if let only = ProcessInfo.processInfo.environment["ONLY"], !only.split(separator: ",").contains("\(seed)") { continue }
      let stream = RandomSender.stream(sketch, seed: seed)
      let begin = Date()
      let chip = switch sketch {
        case .classic: try Session(chip: stream, source: source, watch: ClassicWatch(symbols))
        case .guarded: try Session(chip: stream, source: source, watch: GuardedWatch(symbols))
      }
      let took = Date().timeIntervalSince(begin)
      let model = Session(model: stream, timing: timing)
      let comparison = SessionComparison(model: model, chip: chip, end: stream.end)
      for (k, v) in comparison.lags {
        let o = lags[k] ?? v
        lags[k] = min(o.lowerBound, v.lowerBound)...max(o.upperBound, v.upperBound)
      }
      if let c = chip.complaint { print("\(sketch) \(seed) COMPLAINT \(c)") }
      if chip.complaint != nil, sketch == .guarded, ProcessInfo.processInfo.environment["ONLY"] != nil { print(stream.inputs.map{"\($0.time.seconds) \($0.kind)"}) ;print(SentLine.lines(in: chip.outputs).map { "\($0.string) \($0.begin.seconds)" }) }
      if let f = comparison.first {
        bad += 1
        if ProcessInfo.processInfo.environment["ONLY"] != nil {
          let a = model.outputs.filter { ($0.time - f.time).magnitude < .milliseconds(30) }
          let b = chip.outputs.filter { ($0.time - f.time).magnitude < .milliseconds(30) }
          print("ARR", stream.arrivals.filter { ($0.end - f.time).magnitude < .milliseconds(30) }.map { "\(Character(Unicode.Scalar($0.byte))) \($0.end.seconds)" })
          print("MODEL", a.filter { $0.output.kind != .transmit }.map { "\($0.output) \($0.time.seconds)" })
          print("CHIP", b.filter { $0.output.kind != .transmit }.map { "\($0.output) \($0.time.seconds)" })
          print("MODEL", SentLine.lines(in: a).map { "\($0.string) \($0.begin.seconds)" })
          print("CHIP", SentLine.lines(in: b).map { "\($0.string) \($0.begin.seconds)" })
        }
        print("\(sketch) \(seed) \(stream.arrivals.count) bytes \(stream.end.seconds)s took \(took): \(f) \(comparison.lags)")
      } else { print("\(sketch) \(seed) ok \(stream.arrivals.count) bytes \(stream.end.seconds)s took \(took)") }
    }
    print("\(sketch): \(bad) of \(count) differ; \(lags)")
  }
}
