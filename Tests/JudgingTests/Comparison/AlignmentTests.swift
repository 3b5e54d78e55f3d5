import Judging
import Sketches
import TestSupport
import Testing
import Traces

@Suite("Counting after a divergence")
struct AlignmentTests {
  /// Two thousand events 10 ms apart, each with its own value.
  static let long = (1...2_000).map { servo(Int64($0) * 10_000, UInt16($0)) }
  static let end = Instant.zero + .seconds(30)

  static func tally(_ expected: [Event], _ found: [Event]) -> Tally {
    judge(
      Comparison(kinds: [.servo], tolerance: .microseconds(200)), expected: expected, found: found,
      end: end
    ).tally
  }

  @Test(arguments: [
    [0], [999], [1_999], [5, 6, 7], Array(400..<650), Array(stride(from: 0, to: 2_000, by: 7)),
  ])
  func `Events that are left out count as missing, wherever they were`(_ gone: [Int]) {
    let found = Self.long.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    #expect(Self.tally(Self.long, found) == Tally(matched: 2_000 - gone.count, missing: gone.count))
  }

  @Test(arguments: [1, 50, 300])
  func `Events that are added count as extra, wherever they are`(every step: Int) {
    var found: [Event] = []
    var added = 0
    for (index, event) in Self.long.enumerated() {
      found.append(event)
      if index % step == 0 {
        found.append(servo(Int64(index + 1) * 10_000 + 5_000, 60_000))
        added += 1
      }
    }
    #expect(Self.tally(Self.long, found) == Tally(matched: 2_000, extra: added))
  }

  @Test
  func `Events at another time count as moved`() {
    let found = Self.long.map { event in
      event.time < .zero + .seconds(10) ? event : Event(event.time + .milliseconds(1), event.kind)
    }
    #expect(Self.tally(Self.long, found) == Tally(matched: 999, moved: 1_001))
  }

  @Test(arguments: 1...8)
  func `All kinds of change at once add up`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var wanted = Tally()
    var found: [Event] = []
    for event in Self.long {
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: wanted.missing += 1
      case 1:
        found.append(Event(event.time + .milliseconds(2), event.kind))
        wanted.moved += 1
      case 2:
        found.append(event)
        found.append(servo(event.time.nanoseconds / 1_000 + 5_000, 60_000))
        wanted.matched += 1
        wanted.extra += 1
      default:
        found.append(event)
        wanted.matched += 1
      }
    }
    #expect(Self.tally(Self.long, found) == wanted)
    #expect(wanted.missing > 0 && wanted.moved > 0 && wanted.extra > 0)
  }
}
