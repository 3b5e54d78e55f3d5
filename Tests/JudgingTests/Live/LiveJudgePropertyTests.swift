import Devices
import Foundation
import Judging
import Sketches
import TestSupport
import Testing
import Traces

/// Invariants for any input.
///
/// Any timing of the sender is allowed as long as the sketch handles every byte alike. Otherwise (a
/// purge, a full ring, a number that times out) other commands are accepted.
@Suite("Live judge on random bytes") struct LiveJudgePropertyTests {
  private static let seeds = Seeds.first(40)

  private struct Pair {
    var trace: [UInt8]
    var live: LiveSession
  }

  /// Two sessions of the same bytes; nil if the sketch handles them differently.
  private func pair(_ firmware: Firmware, _ seed: UInt64) -> Pair? {
    let sender = RandomSender(firmware, seed: seed)
    let (first, firstEnd) = sender.inputs(seed: seed ^ 0x1111, gapMax: 400)
    let (second, secondEnd) = sender.inputs(seed: seed ^ 0x2222, gapMax: 1_200)
    let known = fates(firmware, first, end: firstEnd)
    guard known == fates(firmware, second, end: secondEnd) else { return nil }
    let (traced, live) = (
      LiveSession(firmware, first, end: firstEnd), LiveSession(firmware, second, end: secondEnd)
    )
    // An answer to `?` is dropped as a whole if there is no room for it.
    let questions = zip(sender.bytes, known).count { $0 == UInt8(ascii: "?") && $1 == .letter }
    let answers = firmware == .guarded ? questions : 0
    guard traced.answerCount == answers, live.answerCount == answers else { return nil }
    return Pair(trace: traced.trace(firmware), live: live)
  }

  @Test(arguments: Firmware.allCases)
  func `Random bytes sent with another timing agree`(_ firmware: Firmware) throws {
    var count = 0
    for seed in Self.seeds {
      guard let pair = pair(firmware, seed) else { continue }
      count += 1
      let verdict = try pair.live.judged(by: pair.trace, firmware)
      #expect(verdict.agrees, "seed \(seed): \(verdict.summary)")
    }
    #expect(count > Self.seeds.count / 5, "\(count) pairs")
  }

  @Test(arguments: Firmware.allCases, [-30, 30])
  func `A slightly slower or faster build of a sketch agrees`(
    _ firmware: Firmware, _ microseconds: Int64
  ) throws {
    let off = Interval.microseconds(microseconds)
    let other = Breakage(timing: { timing in
      timing.angleWrite = timing.angleWrite + off
      timing.stepWrite = timing.stepWrite + off
      timing.scanExit = max(.zero, timing.scanExit + off)
      timing.angleRead = max(.zero, timing.angleRead + off)
      // Small enough to stay within a trace's tolerance of 20 ms over a few seconds.
      timing.step = timing.step + .nanoseconds(microseconds * 100)
    })
    for seed in Self.seeds {
      guard let pair = pair(firmware, seed) else { continue }
      let inputs = pair.live.events.filter(\.isInput)
      let live = LiveSession(
        inputs, end: pair.live.end,
        on: other.device(
          for: Header(firmware: firmware, duration: nil, title: nil), showsPulses: true))
      let verdict = try live.judged(by: pair.trace, firmware)
      #expect(verdict.agrees, "seed \(seed): \(verdict.summary)")
    }
  }

  /// The faults of a session.
  private enum Fault: CaseIterable {
    case byteLost, byteAltered, byteAdded
    case outputLost, outputAltered, outputDelayed, outputDoubled
  }

  @Test(arguments: Firmware.allCases)
  func `A byte or output that is lost, altered or added causes a disagreement`(_ firmware: Firmware)
    throws
  {
    var count = 0
    for seed in Self.seeds {
      guard let pair = pair(firmware, seed) else { continue }
      var generator = SeededGenerator(seed: seed ^ 0x3333)
      for fault in Fault.allCases {
        guard let broken = broken(firmware, pair.live, fault, &generator) else { continue }
        count += 1
        let verdict = try broken.session.judged(by: pair.trace, firmware)
        #expect(!verdict.agrees, "seed \(seed): \(fault) \(broken.where)")
      }
    }
    #expect(count > Self.seeds.count, "\(count) faults")
  }

  private func broken(
    _ firmware: Firmware, _ session: LiveSession, _ fault: Fault,
    _ generator: inout SeededGenerator
  ) -> (session: LiveSession, where: String)? {
    switch fault {
    case .byteLost, .byteAltered, .byteAdded:
      var inputs = session.events.filter(\.isInput)
      let index = Int.random(in: inputs.indices, using: &generator)
      guard case .receive(var bytes) = inputs[index].kind else { return nil }
      let place = Int.random(in: bytes.indices, using: &generator)
      let before = bytes
      if fault == .byteLost { bytes.remove(at: place) }
      if fault == .byteAltered { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
      if fault == .byteAdded { bytes.insert(bytes[place], at: place) }
      inputs[index].kind = .receive(bytes)
      return (LiveSession(firmware, inputs, end: session.end), "\(before) \(bytes)")
    case .outputLost, .outputAltered, .outputDelayed, .outputDoubled:
      let last = session.end - .milliseconds(200)
      let candidates = session.events.indices.filter {
        let kind = session.events[$0].output?.kind
        return (kind == .servo || kind == .tone) && session.events[$0].time < last
      }
      guard let index = candidates.randomElement(using: &generator) else { return nil }
      if fault == .outputLost, mayBeLost(session.events, index) { return nil }
      var session = session
      let event = session.events[index]
      switch fault {
      case .outputLost: session.events.remove(at: index)
      case .outputAltered: session.events[index].kind = .output(altered(event.output!))
      case .outputDelayed:
        session.events[index].time += .milliseconds(60)
        session.events = session.events.sorted { $0.time < $1.time }
      default: session.events.insert(event, at: index)
      }
      return (session, "\(event)")
    }
  }

  /// Whether an output can be missing: the last step of a sweep, because the byte that ended it
  /// could have arrived just in time, or the end of a tone that is immediately followed by another.
  private func mayBeLost(_ events: [Event], _ index: Int) -> Bool {
    let kind = events[index].output?.kind
    let next = events[(index + 1)...].first { $0.output?.kind == kind }
    let previous = events[..<index].last { $0.output?.kind == kind }
    switch (previous?.output, events[index].output, next?.output) {
    case (.servo(let a, _, _), .servo(let b, _, _), .servo(let c, _, _)):
      // A sweep from above 160 degrees jumps there; both its ends take two steps.
      return b == 160 || abs(Int(a) - Int(b)) == 1 && (abs(Int(b) - Int(c)) != 1 || b == 20)
    case (.servo(let a, _, _), .servo(let b, _, _), nil):
      return b == 160 || abs(Int(a) - Int(b)) == 1
    case (_, .tone(0), _):
      return next.map { $0.time - events[index].time <= .milliseconds(20) } ?? false
    default: return false
    }
  }

  private func altered(_ output: Output) -> Output {
    switch output {
    case .servo(let degrees, let pulse, _): .servo(degrees: degrees ^ 1, microseconds: pulse + 10)
    case .tone(let hertz): .tone(hertz: hertz + 50)
    default: output
    }
  }
}
