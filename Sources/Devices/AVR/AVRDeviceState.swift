package import AVR
package import Turret

/// The state of an emulated board at an instant, without its program, which has a file of its own.
package struct AVRDeviceState: Hashable, Sendable, Savable {
  /// The number of the servo's pin.
  package let pin: Int
  package let chip: ChipSnapshot
  /// The cycle at the session's time 0.
  let origin: UInt64
  let line: SerialLine
  let seen: ChipReader.Memory
  let sketchStart: Instant
  let hasStarted: Bool
  /// Events of the chip's last instruction that are due after the instant; nil if there are none.
  package let late: [TimedChipEvent]?
}

extension AVRDevice {
  package var state: AVRDeviceState {
    AVRDeviceState(
      pin: program.pinNumber, chip: chip.snapshot(since: program.makeChip()), origin: clock.origin,
      line: line, seen: reader.present, sketchStart: sketchStart, hasStarted: hasStarted,
      late: late.isEmpty ? nil : late)
  }

  /// Restores a board from a state file; `resume` completes it. Nil if no chip with that program
  /// can be in that state.
  package init?(_ program: AVRProgram, _ state: AVRDeviceState) {
    guard let chip = ATmega328P(state.chip, of: program.makeChip()) else { return nil }
    self.init(
      program, chip, state.line, clock: ChipClock(origin: state.origin),
      sketchStart: state.sketchStart, hasStarted: state.hasStarted, late: state.late ?? [])
    guard reader.resume(state.seen, on: chip) else { return nil }
  }

  /// Continues at `instant`. Returns false if no board can be in this state then.
  package mutating func resume(at instant: Instant, baud: Int, showsPulses: Bool) -> Bool {
    guard clock.isPossible, sketchStart != .distantFuture,
      line.isPossible(baud: line.receiverBaud), line.nextDeadline.map({ $0 > instant }) ?? true,
      // Everything that begins by then has been done, unless the chip has crashed.
      chip.fault != nil || chip.cycle > clock.cycle(of: instant)
    else { return false }
    now = instant
    self.baud = baud
    show(pulses: showsPulses)
    return true
  }
}
