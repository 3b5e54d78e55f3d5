import AVR
import Sketches

/// Turns the chip's visible events into a trace's outputs: pulses, servo widths, tones, bytes.
///
/// What there is to find is found by observers. Their outputs are in one queue, from which they are
/// recorded in order of time.
struct ChipReader: Hashable, Sendable {
  var found: Findings
  var timers: TimerObserver
  var library: LibraryObserver
  var pulses: PulseObserver
  var tones: ToneObserver
  var sender: SenderObserver
  private(set) var levels = LevelObserver()
  var channels: ChannelObserver
  var bytes: ByteObserver

  /// Whether the sketch's stores of a width can be observed so far.
  var seesStores: Bool { library.table != nil || found.servos.hasDriven }

  /// What the chip must report of its pins.
  var pinWatch: PinWatch { levels.pinWatch(all: sender.isSearching, found) }
  /// The channels whose levels the drivers must report.
  var channelWatch: Set<BoardPin> { channels.followed(pulses: found.showsPulses) }

  /// Reports the levels of these pins from now on.
  mutating func watch(_ pins: PinSelection) {
    levels.watch(pins, &found)
    channels.watch(pins)
  }

  /// Forgets the twitches so far: they were before the session.
  mutating func forgetTwitches() {
    library.twitches.forgetCounts()
    found.remarks.removeAll { if case .twitches = $0.kind { true } else { false } }
  }

  // MARK: Events

  mutating func read(_ seen: TimedChipEvent, into recorder: inout Recorder) {
    settle(at: seen.cycle, &recorder)
    let (event, cycle) = (seen.event, seen.cycle)
    switch event {
    case .pin(let pin, let isHigh):
      if let number = pin.arduino { found.highPins.set(number, isHigh) }
    case .reset(let cause): return restart(cause, at: cycle, &recorder)
    case .stuck(let address, let isAsleep):
      found.remark(.stuck(at: address, isAsleep: isAsleep), at: cycle)
    case .starved(let vector): found.remark(.starved(by: vector), at: cycle)
    case .unanswered(let address): found.remark(silent: address, at: cycle)
    case .notice(let notice): found.remark(.notEmulated(notice), at: cycle)
    default: break
    }
    timers.take(event, at: cycle, &found, &recorder)
    release(&recorder)
    library.take(event, at: cycle, &found, &recorder)
    release(&recorder)
    pulses.take(event, at: cycle, &found, &recorder)
    release(&recorder)
    tones.take(event, at: cycle, &found, &recorder)
    release(&recorder)
    sender.take(event, at: cycle, &found, &recorder)
    release(&recorder)
    levels.take(event, at: cycle, &found, &recorder)
    channels.take(event, at: cycle, &found, &recorder)
    bytes.take(event, at: cycle, &found, &recorder)
    release(&recorder)
  }

  /// Decides what has become clear by a cycle, and releases the outputs that waited for it.
  mutating func settle(at cycle: UInt64, _ recorder: inout Recorder) {
    pulses.settle(at: cycle, &found, &recorder)
    tones.settle(at: cycle, &found, &recorder)
    sender.settle(at: cycle, &found, &recorder)
    channels.settle(at: cycle, &found, &recorder)
    release(&recorder)
  }

  private mutating func restart(
    _ cause: ResetCause, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    pulses.restart(at: cycle, &found, &recorder)
    release(&recorder)
    found.restart(at: cycle)
    timers.restart(at: cycle, &found, &recorder)
    library.restart(at: cycle, &found, &recorder)
    sender.restart(at: cycle, &found, &recorder)
    tones.restart(at: cycle, &found, &recorder)
    bytes.restart(at: cycle, &found, &recorder)
    release(&recorder)
    if cause == .watchdog { found.remark(.watchdog, at: cycle) }
  }

  /// Records the outputs before everything that is not decided yet.
  private mutating func release(_ recorder: inout Recorder) {
    guard !found.isEmpty else { return }
    // No array: this is called for each event while outputs wait.
    func first(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
      guard let one, let other else { return one ?? other }
      return min(one, other)
    }
    let undecided = first(
      first(pulses.undecided, tones.undecided), first(sender.undecided, channels.undecided))
    found.release(before: undecided, into: &recorder)
  }
}
