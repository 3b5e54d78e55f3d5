import Bench
import Foundation
import TestSupport
import Testing
import Traces
import Turret

/// What must hold whatever is sent.
///
/// The sender's timing is covered as long as the sketch does the same with every byte. Where it does
/// not (a purge, a full ring, a number that times out) other commands come through.
@Suite("Random bytes") struct LiveJudgePropertyTests {
  private static let seeds: Range<UInt64> = 0..<3000

  private struct Pair {
    var trace: [UInt8]
    var live: LiveSession
  }

  /// A session and another one of the same bytes; nil where the sketch does not do the same with them.
  private func pair(_ firmware: Firmware, _ seed: UInt64) -> Pair? {
    let sender = RandomSender(firmware, seed: seed)
    let (first, firstEnd) = sender.inputs(seed: seed ^ 0x1111, gapMax: 400)
    let (second, secondEnd) = sender.inputs(seed: seed ^ 0x2222, gapMax: 1_200)
    let known = fates(firmware, first, end: firstEnd)
    guard known == fates(firmware, second, end: secondEnd) else { return nil }
    let (traced, live) = (
      LiveSession(firmware, first, end: firstEnd), LiveSession(firmware, second, end: secondEnd)
    )
    // An answer to `?` for which there is no room is dropped whole.
    let questions = zip(sender.bytes, known).count { $0 == UInt8(ascii: "?") && $1 == .letter }
    let answers = firmware == .guarded ? questions : 0
    guard traced.answerCount == answers, live.answerCount == answers else { return nil }
    return Pair(trace: traced.trace(firmware), live: live)
  }

  @Test("sent with another timing agree", arguments: Firmware.allCases)
  func agree(_ firmware: Firmware) throws {
    var count = 0
    for seed in Self.seeds {
      guard let pair = pair(firmware, seed) else { continue }
      count += 1
      let verdict = try pair.live.judged(by: pair.trace, firmware)
      if ProcessInfo.processInfo.environment["DUMP"] == "\(firmware)\(seed)" {
        try Data(pair.trace).write(to: URL(filePath: "/tmp/w-judge-e.jsonl"))
        try Data(pair.live.trace(firmware)).write(to: URL(filePath: "/tmp/w-judge-s.jsonl"))
      }
      #expect(verdict.agrees, "seed \(seed): \(verdict.summary)")
    }
    #expect(count > 60, "\(count) pairs")
  }
}
