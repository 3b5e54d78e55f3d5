import Sketches
import Testing
import Traces

@testable import Judging

/// Sweeps that a command ends, recorded on a computer's clock.
@Suite struct SweepEndTests {
  private static let names = [
    "classic/scan-then-aim-2200", "classic/scan-aims-at-many-phases",
    "guarded/aim-stops-a-sweep-at-once",
  ]

  /// Returns the verdict on a trace with its aims moved, on a computer's clock. `dropping` is the
  /// number of steps removed before the last aim.
  private static func verdict(
    _ name: String, shift: Interval, clock: Header.Clock = .host, dropping: Int = 0
  ) throws -> Verdict {
    var reader = try Corpus.reader(name)
    var header = reader.header
    header.set(clock: clock)
    header.set(tolerance: .milliseconds(20))
    var events: [Event] = []
    while let event = try reader.next() { events.append(event) }
    if dropping > 0 {
      let last = events.lastIndex { $0.isInput } ?? 0
      let steps = events.indices.filter { $0 < last && events[$0].output?.kind == .servo }
      for index in steps.suffix(dropping).reversed() { events.remove(at: index) }
    }
    // The sweeps begin as recorded, and end sooner or later.
    for index in events.indices {
      guard case .receive(let bytes) = events[index].kind, bytes != [UInt8(ascii: "L")] else {
        continue
      }
      events[index].time += shift
    }
    events.sort { $0.time < $1.time }
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    var moved = try TraceReader(text: text, path: name)
    return try Verification().verify(&moved)
  }

  @Test(arguments: names, [-6, -3, -1, 0, 1, 3, 6])
  func `A recorded sweep can end one step sooner or later`(
    _ name: String, _ milliseconds: Int64
  ) throws {
    let verdict = try Self.verdict(name, shift: .milliseconds(milliseconds))
    #expect(verdict.agrees, "\(verdict.outcome)")
  }

  @Test
  func `Without that the steps differ for some shifts`() throws {
    let verdicts = try [-6, -3, -1, 1, 3, 6].map {
      try Self.verdict(
        "classic/scan-aims-at-many-phases", shift: .milliseconds($0), clock: .device)
    }
    #expect(verdicts.contains { !$0.agrees })
  }

  @Test(arguments: [2, 3])
  func `A sweep that lacks more than one step differs`(_ count: Int) throws {
    let verdict = try Self.verdict(
      "classic/scan-then-aim-2200", shift: .zero, dropping: count)
    #expect(!verdict.agrees)
  }
}
