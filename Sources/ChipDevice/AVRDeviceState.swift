package import AVR
package import Sketches
import Traces

/// The state of an emulated board at an instant, without its program, which is in its own file.
package struct AVRDeviceState: Hashable, Sendable, Codable {
  /// The options of the chip and of what is wired to the board.
  let options: String
  package let chip: ChipSnapshot
  /// The cycle at the session's time 0.
  let origin: UInt64
  let baud: Int
  let line: SerialLine
  let memory: ChipReader.Memory
  let sketchStart: Instant
  let hasStarted: Bool
  /// Events of the chip's last instruction that are due after the instant.
  package let late: [TimedChipEvent]

  /// Why a board with this program and its wiring cannot continue from the state; nil if it can.
  package func mismatch(with program: AVRProgram) -> String? {
    if chip.program != program.digest {
      return "expected the state of \(program.name), found that of another program or bootloader"
    }
    guard options != program.options else { return nil }
    let (expected, found) = (program.options, options)
    return
      "expected the state of a board with \(PlainText.of(expected, upTo: 300)), found one with "
      + PlainText.of(found, upTo: 300)
  }
}

extension AVRProgram {
  /// The options on which a saved state depends.
  fileprivate var options: String {
    var options = [
      "--pin \(wiring.servo.name)", "--chip \(part.rawValue)", "--clock \(wiring.rate.name)",
    ]
    if let noise = wiring.noise {
      options.append("--adc-noise \(String(shortest: Double(noise.thousandths) / 1_000))")
    }
    if let pin = wiring.receivePin { options.append("--rx-pin \(pin.name)") }
    if let pin = wiring.transmitPin { options.append("--tx-pin \(pin.name)") }
    options += wiring.parts.map { "--attach \($0.name)" }
    return options.joined(separator: " ")
  }
}

extension AVRDevice {
  package var state: AVRDeviceState {
    AVRDeviceState(
      options: program.options, chip: chip.snapshot(since: program.makeChip()),
      origin: clock.origin, baud: baud, line: line, memory: reader.memory,
      sketchStart: sketchStart, hasStarted: hasStarted, late: late)
  }

  /// Restores a board that was read from a file, and continues at `instant`. Nil if no board with
  /// that program could run on from there.
  package init?(
    _ program: AVRProgram, _ state: AVRDeviceState, at instant: Instant, showsPulses: Bool
  ) {
    guard state.line.canResume(at: instant),
      let chip = ATmega328P(state.chip, of: program.makeChip())
    else { return nil }
    self.init(program, chip, state, at: instant, showsPulses: showsPulses)
    // Everything that begins by then has been done, unless the chip has crashed or the session has
    // not begun.
    let cycle = clock.cycle(of: instant)
    guard reader.resume(state.memory, on: chip),
      chip.fault != nil || chip.cycle > cycle || instant == .zero && chip.cycle == cycle
    else { return nil }
    watchPins()
  }
}
