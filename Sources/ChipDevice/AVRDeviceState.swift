package import AVR
package import Sketches
import Traces

/// The state of an emulated board at an instant, without its program, which is in its own file.
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
  /// The Arduino pin that the sender's line is connected to; nil for the USART's.
  package let receivePin: Int?
  /// The Arduino pin that the sender's receiver is connected to; nil for the USART's.
  package let transmitPin: Int?
  /// The frequency of the chip's clock, in hertz; nil for an Uno's.
  package let hertz: UInt32?
  /// The part; nil for an Uno's.
  package let part: String?
  /// The names of what is wired to the board; nil if nothing is.
  package let parts: [String]?

  /// Why a board with this program and its wiring cannot continue from the state; nil if it can.
  package func mismatch(with program: AVRProgram) -> String? {
    func name(_ pin: Int?) -> String { pin.flatMap { BoardPin(arduino: $0)?.name } ?? "none" }
    if chip.program != program.digest {
      return "expected the state of \(program.name), found that of another program or bootloader"
    }
    if pin != program.servoPin {
      return "expected the state of a board with its servo on pin \(program.servoPin), "
        + "found one with --pin \(pin)"
    }
    if receivePin != program.wiring.receivePin?.arduino {
      return "expected the state of a board with --rx-pin "
        + "\(name(program.wiring.receivePin?.arduino)), found one with --rx-pin "
        + name(receivePin)
    }
    if transmitPin != program.wiring.transmitPin?.arduino {
      return "expected the state of a board with --tx-pin "
        + "\(name(program.wiring.transmitPin?.arduino)), found one with --tx-pin "
        + name(transmitPin)
    }
    if chip.noise?.thousandths != program.wiring.noise?.thousandths {
      return "expected the state of a chip with the same --adc-noise"
    }
    if hertz ?? ClockRate.uno.hertz != program.wiring.rate.hertz {
      return "expected the state of a chip at \(program.wiring.rate.name), found one at "
        + (hertz.flatMap { ClockRate(hertz: $0) } ?? .uno).name
    }
    if part ?? EmulatedPart.atmega328p.rawValue != program.part.rawValue {
      let name = part ?? EmulatedPart.atmega328p.rawValue
      let found = EmulatedPart(rawValue: name)?.name ?? PlainText.quoted(name)
      return "expected the state of an \(program.part.name), found that of an \(found)"
    }
    let attached = program.wiring.parts.map { $0.name }
    if parts ?? [] != attached {
      func options(_ names: [String]) -> String {
        names.isEmpty
          ? "no --attach"
          : names.map { "--attach " + PlainText.of($0, upTo: 40) }.joined(separator: " ")
      }
      return "expected the state of a board with \(options(attached)), found one with "
        + options(Array((parts ?? []).prefix(8)))
    }
    return nil
  }
}

extension AVRDevice {
  package var state: AVRDeviceState {
    AVRDeviceState(
      pin: program.servoPin, chip: chip.snapshot(since: program.makeChip()), origin: clock.origin,
      line: line, seen: reader.present, sketchStart: sketchStart, hasStarted: hasStarted,
      late: late.isEmpty ? nil : late, receivePin: program.wiring.receivePin?.arduino,
      transmitPin: program.wiring.transmitPin?.arduino,
      hertz: program.wiring.rate == .uno ? nil : program.wiring.rate.hertz,
      part: program.part == .atmega328p ? nil : program.part.rawValue,
      parts: program.wiring.parts.isEmpty ? nil : program.wiring.parts.map { $0.name })
  }

  /// Restores a board from a state file; `resume` completes it. Nil if no chip with that program
  /// can be in that state.
  package init?(_ program: AVRProgram, _ state: AVRDeviceState) {
    let late = (state.late ?? []).map { $0.cycle }
    guard state.line.isPossible(baud: state.line.receiverBaud),
      zip(late, late.dropFirst()).allSatisfy({ $0 <= $1 }),
      let chip = ATmega328P(state.chip, of: program.makeChip())
    else { return nil }
    self.init(
      program, chip, state.line, clock: ChipClock(program.wiring.rate, origin: state.origin),
      sketchStart: state.sketchStart, hasStarted: state.hasStarted, late: state.late ?? [])
    guard reader.resume(state.seen, on: chip) else { return nil }
    watchPins()
  }

  /// Continues at `instant`. Returns false if no board can be in this state then.
  package mutating func resume(at instant: Instant, baud: Int, showsPulses: Bool) -> Bool {
    guard clock.isPossible, sketchStart != .distantFuture,
      line.nextDeadline.map({ $0 > instant }) ?? true,
      // Everything that begins by then has been done, unless the chip has crashed.
      chip.fault != nil || chip.cycle > clock.cycle(of: instant)
    else { return false }
    now = instant
    self.baud = baud
    show(pulses: showsPulses)
    return true
  }
}
