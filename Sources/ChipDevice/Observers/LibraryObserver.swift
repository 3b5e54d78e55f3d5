import AVR
import Sketches

/// The table of Arduino's servo library: what the sketch stores, and whether the pulses agree.
struct LibraryObserver: ChipObserver {
  /// Nil if the program has no such table.
  var table: ServoTable?
  var twitches = TwitchWatch()

  init(_ table: ServoTable?) { self.table = table }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .stored(let value, let address):
      guard let change = table?.stored(value, at: address) else { return }
      take(change, at: cycle, &found)
      found.servos.inLibrary = table?.activePins ?? PinSet()
    case .entered(let address, let registers, let object):
      table?.entered(address, registers: registers, object: object)
    case .pin(let pin, let isHigh):
      guard let number = pin.arduino, found.servos.inLibrary.contains(number) else { return }
      compare(number, isHigh, at: cycle, &found, &recorder)
    case .released(let pin):
      // Its falling edge follows at the same cycle, and no program commanded it.
      if let number = pin.arduino { twitches.cut(on: number) }
    default: break
    }
  }

  private mutating func take(
    _ change: ServoTable.Change, at cycle: UInt64, _ found: inout Findings
  ) {
    if let pin = change.detached.map({ Int($0) }),
      let output = found.detach(pin, isHigh: found.highPins.contains(pin), at: cycle)
    {
      twitches.cut(on: pin)
      found.put(output, at: cycle)
    }
    if let (pin, pulse) = change.attached, let name = BoardPin(arduino: Int(pin)) {
      // The next width that is stored is an event, even if it is the last one before.
      found.servos.leftHigh.remove(Int(pin))
      found.servos[Int(pin)].reported = 0
      found.put(.attached(microseconds: pulse, on: name), at: cycle)
    }
    if let store = change.store {
      let known = found.isRangeStated ? nil : store.range
      let range = known ?? found.range
      found.store(store.pulse, range, on: Int(store.pin), at: cycle)
      twitches.set(range.degrees(reading: store.pulse), on: Int(store.pin))
      if known == nil { found.remark(.assumesRange, at: cycle) }
    }
  }

  /// Compares a pulse on a pin with what is stored for it.
  private mutating func compare(
    _ pin: Int, _ isHigh: Bool, at cycle: UInt64, _ found: inout Findings,
    _ recorder: inout Recorder
  ) {
    guard let stored = table?.pulse(on: pin) else { return twitches.cut(on: pin) }
    guard !isHigh else {
      found.causes.value?.rise(of: pin, at: cycle)
      return twitches.begin(on: pin, stored: stored, at: cycle)
    }
    let twitch = twitches.end(
      on: pin, stored: stored, at: cycle, found.limits, found.causes.value)
    guard let twitch else { return }
    found.remark(.twitches(twitch.pin.name), at: cycle)
    recorder.put(twitch, at: found.clock.instant(of: cycle))
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    table?.restart()
    twitches.restart()
  }
}
