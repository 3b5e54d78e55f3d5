import Devices
import Sketches
import Testing
import Traces

@testable import Captures

@Suite struct FateFeedTests {
  /// Runs the classic sketch and returns the fates as they are found.
  private static func fates(_ events: [(Int64, String)], until end: Int64) -> [String] {
    let header = Header(firmware: .classic, duration: nil, title: nil)
    let device = ModelSource().makeDevice(for: header, firmware: .classic, showsPulses: false)
    var simulation = Simulation(device, ledger: FateFeed.ledger)
    var feed = FateFeed()
    var found: [String] = []
    func run(to instant: Instant) {
      while simulation.now < instant {
        let soon = simulation.now + .nanoseconds(1)
        _ = simulation.step(
          to: min(instant, max(simulation.device.nextDeadline ?? instant, soon)))
        for item in feed.take(simulation.ledger ?? Ledger(), at: simulation.now) {
          found.append("\(ByteText.name(item.byte)) \(item.fate.rawValue)")
        }
      }
    }
    for (milliseconds, text) in events {
      let instant = Instant.zero + .milliseconds(milliseconds)
      run(to: instant)
      simulation.feed(
        text.isEmpty
          ? Event(instant, .reset(.zero)) : Event(instant, .receive(Array(text.utf8))))
    }
    run(to: .zero + .milliseconds(end))
    return found
  }

  @Test func `each byte is reported once, when its fate is decided`() {
    #expect(
      Self.fates([(1_500, "X45."), (1_600, "?")], until: 2_000) == [
        "X letter", "4 digit", "5 digit", ". terminator", "? junk",
      ])
  }

  @Test func `bytes that a reset clears are reported`() {
    #expect(
      Self.fates([(1, "X4"), (20, ""), (50, "L")], until: 1_200) == [
        "X cleared", "4 cleared", "L letter",
      ])
  }
}
