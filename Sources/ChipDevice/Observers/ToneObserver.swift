import AVR
import Sketches

struct ToneObserver: ChipObserver {
  private let limits: ToneLimits
  private let findsByInterrupt: Bool
  private(set) var tones = ToneWatch()
  /// The pin of the last tone; nil before the first.
  private var buzzer: Pin?

  init(_ limits: ToneLimits, findsByInterrupt: Bool) {
    self.limits = limits
    self.findsByInterrupt = findsByInterrupt
  }

  var undecided: UInt64? { tones.isIdle ? nil : tones.undecided }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .pin(let pin, let isHigh):
      if recorder.watchesWires, pin == buzzer {
        recorder.drive(.tone, isHigh, at: found.clock.instant(of: cycle))
      }
      guard !tones.isIdle, let number = pin.arduino, !LevelObserver.serialPins.contains(pin),
        pin != found.transmitPin, !found.servos.all.contains(number),
        let change = tones.edge(of: UInt8(number), isHigh: isHigh, at: cycle, limits)
      else { return }
      sound(change, &found, &recorder)
    case .waveform(let waveform):
      if let change = tones.take(waveform, byInterrupt: findsByInterrupt, at: cycle, limits) {
        sound(change, &found, &recorder)
      }
    default: break
    }
  }

  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    guard !tones.isIdle, let change = tones.settle(at: cycle, limits) else { return }
    sound(change, &found, &recorder)
  }

  private mutating func sound(
    _ change: ToneWatch.Change, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    // Hundredths are precise enough; a timer is no finer.
    let hertz = change.halfPeriod.map {
      (Double(found.rate.hertz) / (2 * Double($0)) * 100).rounded() / 100
    }
    found.insert(.tone(hertz: hertz ?? 0), at: change.cycle)
    guard let pin = tones.sound.flatMap({ Pin(arduino: Int($0.pin)) }), pin != buzzer else {
      return
    }
    buzzer = pin
    // The levels alternate.
    for (index, cycle) in change.edges.enumerated() {
      let isSame = (change.edges.count - index) % 2 == 1
      recorder.drive(.tone, change.isHigh == isSame, at: found.clock.instant(of: cycle))
    }
  }

  /// Continues with tones that were read from a file.
  mutating func resume(_ saved: ToneWatch) {
    tones = saved
    buzzer = tones.sound.flatMap { Pin(arduino: Int($0.pin)) }
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    if tones.sound != nil { found.put(.tone(hertz: 0), at: cycle) }
    tones = ToneWatch()
  }
}
