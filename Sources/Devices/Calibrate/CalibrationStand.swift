import Traces
import Turret

/// Creates boards for calibration. Throws if one does not behave as expected.
struct CalibrationStand<Source: DeviceSource> {
  typealias Board = Probe<Source.Made>

  let source: Source
  let firmware: Firmware
  /// The program's name, for messages.
  let name: String
  /// How often each figure is measured.
  let rounds: Int

  /// Returns a board that is reset at time 0.
  func probe(showsPulses: Bool = false) throws(DeviceError) -> Board {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let device = try source.makeDevice(
      for: header, firmware: firmware, showsPulses: showsPulses)
    return Probe(device, baud: header.baud)
  }

  /// Returns a round's offset. The offsets spread events over every period on the chip: a count of
  /// its clock (4 us), the clock's overflow (1.024 ms) and the servo's period (20 ms).
  func phase(_ round: Int) -> Interval {
    .nanoseconds(Int64(round) * 7_387_217 % 20_000_000)
  }

  /// Returns the next output of a kind. Throws if there is none.
  func output(
    _ kind: Output.Kind, _ probe: inout Board, within limit: Interval, after what: String
  ) throws(DeviceError) -> Instant {
    guard let found = try probe.next(kind, by: probe.now + limit) else {
      throw unexpected("a \(kind.name) event \(what)", "none in \(String(shortest: limit)) s")
    }
    return found.time
  }

  /// Returns when the servo is aimed at an angle. Other writes can precede it. Throws if it never
  /// is.
  func servo(
    _ degrees: UInt8, _ probe: inout Board, within limit: Interval = Calibration.patience,
    after what: String
  ) throws(DeviceError) -> Instant {
    let end = probe.now + limit
    while let found = try probe.next(.servo, by: end) {
      if case .servo(degrees, _, nil) = found.output { return found.time }
    }
    throw unexpected("servo \(degrees) \(what)", "none in \(String(shortest: limit)) s")
  }

  /// Aims, and waits until that is done and the board is quiet.
  func aim(_ degrees: UInt8, _ probe: inout Board) throws(DeviceError) {
    _ = probe.send("X\(degrees).", after: .zero)
    _ = try servo(degrees, &probe, after: "after X\(degrees).")
    try probe.run(to: probe.now + Calibration.settling)
  }

  func unexpected(_ expected: String, _ found: String) -> DeviceError {
    DeviceError(
      .unavailable,
      "\(name): error: expected \(expected) from a \(firmware.rawValue) sketch, found \(found): "
        + "is it one, at 9600 baud? --firmware selects it")
  }
}
