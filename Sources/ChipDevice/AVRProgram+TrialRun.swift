import AVR
import Sketches

// What a short run shows of a sketch: its speed and format, and whether it rests.
extension AVRProgram {
  /// The most events in 100 ms of a sketch that is not restless.
  private static let restEventsMax = 30_000
  /// The speeds that programs use, in bits a second. From 16 MHz, 115 200 baud is actually 117 647.
  private static let usualSpeeds = [
    300, 600, 1_200, 2_400, 4_800, 9_600, 14_400, 19_200, 28_800, 31_250, 38_400, 57_600, 76_800,
    115_200, 230_400, 250_000, 500_000, 1_000_000, 2_000_000,
  ]

  /// Returns the usual speed that differs from a speed by at most 3 %, or else that speed itself.
  static func usualSpeed(near speed: Int) -> Int {
    let nearest = usualSpeeds.min { abs($0 - speed) < abs($1 - speed) } ?? speed
    return abs(nearest - speed) * 100 <= nearest * 3 ? nearest : speed
  }

  /// Returns the speed that the sketch has set when it first receives or sends; nil if its USART is
  /// off until `startUpMax`. A transmitter that is on counts only once it sends, since its speed
  /// can be set later; if it never does, its last speed counts.
  func findSpeed() -> Int? {
    guard let baud = chipWithOpenPort.usartBaud else { return nil }
    let speed = Self.usualSpeed(near: baud)
    return SerialLine.bauds.contains(speed) ? speed : nil
  }

  /// Returns the format that the sketch has set then; 8N1 if its USART is off.
  func findFormat() -> LineFormat {
    let chip = chipWithOpenPort
    return chip.usartBaud == nil ? .standard : LineFormat(chip.usartFormat)
  }

  /// The chip when the sketch first receives or sends, or after `startUpMax` or `startUpEventsMax`.
  private var chipWithOpenPort: ATmega328P {
    trialRun(for: Self.startUpMax, eventsMax: Self.startUpEventsMax) { chip, events in
      chip.isReceiving
        || events.contains { if case .transmit = $0.event { true } else { false } }
    }.chip
  }

  /// Whether the sketch changes its pins so often that seconds of it take long to run. The bench's
  /// sketches make some hundred events a second.
  var isRestless: Bool {
    let run = trialRun(for: .milliseconds(100), eventsMax: Self.restEventsMax + 1) { _, _ in false }
    return run.eventCount > Self.restEventsMax
  }

  /// Runs the sketch from its start, without its bootloader, until `isOver` of a millisecond's
  /// events, or for a time or a number of events.
  private func trialRun(
    for time: Interval, eventsMax: Int, until isOver: (ATmega328P, [TimedChipEvent]) -> Bool
  ) -> (chip: ATmega328P, eventCount: Int) {
    var chip = makeChip(withBootloader: false)
    let clock = ChipClock(wiring.rate)
    let end = clock.cycles(in: time)
    let step = clock.cycles(in: .milliseconds(1))
    var count = 0
    while chip.cycle < end, chip.fault == nil, count < eventsMax {
      chip.run(until: chip.cycle + step)
      let events = chip.takeEvents()
      count += events.count
      if isOver(chip, events) { break }
    }
    return (chip, count)
  }
}
