import Sketches

/// Measures the figures of the model of `guarded`: how long each kind of action takes after a byte,
/// or after the instant at which it is due. The moment at which the byte is taken cannot be
/// observed, so `byteRead` keeps its value, and the time of an action on a byte is counted from
/// that moment.
struct GuardedCalibration<Source: DeviceSource> {
  private static var stepCount: Int { 4 }
  private static var step: Interval { .milliseconds(15) }

  private let stand: CalibrationStand<Source>
  private var measured = MeasuredTiming(GuardedLoop.measuredTiming)

  static func measure(_ stand: CalibrationStand<Source>) throws(DeviceError) -> MeasuredTiming {
    var calibration = GuardedCalibration(stand: stand)
    var idle = try calibration.measureStart()
    try calibration.measureAims(&idle)
    try calibration.measureSteps(&idle)
    try calibration.measureTones(&idle)
    return calibration.measured
  }

  private init(stand: CalibrationStand<Source>) { self.stand = stand }

  /// Returns the board some time later, idle and silent.
  private mutating func measureStart() throws(DeviceError) -> Probe<Source.Made> {
    var probe = try stand.probe()
    let first = try stand.servo(90, &probe, after: "after a reset")
    let start = Samples([first - .zero - Calibration.rounding])
    measured.set(.firstWrite, start)
    measured.set(.startUp, start)
    try stand.aim(45, &probe)
    return probe
  }

  private mutating func measureAims(_ probe: inout Probe<Source.Made>) throws(DeviceError) {
    var samples = Samples()
    for round in 0..<4 * stand.rounds {
      let arrival = probe.send(aim(round), after: stand.phase(round))
      let stored = try stand.output(
        .servo, &probe, within: Calibration.settling, after: "after an aim")
      samples.add(stored - arrival - Calibration.rounding - measured[.byteRead])
    }
    measured.set(.angleWrite, samples)
  }

  /// Measures a sweep's steps, which are due every 15 ms from its `L` on.
  private mutating func measureSteps(_ probe: inout Probe<Source.Made>) throws(DeviceError) {
    var samples = Samples()
    for round in 0..<stand.rounds {
      try stand.aim(90, &probe)
      let arrival = probe.send("L", after: stand.phase(round))
      var due = arrival + measured[.byteRead]
      for _ in 0..<Self.stepCount {
        due += Self.step
        let stored = try stand.output(
          .servo, &probe, within: Calibration.settling, after: "every 15 ms after L")
        samples.add(stored - due - Calibration.rounding)
      }
      try stand.aim(45, &probe)
    }
    measured.set(.stepWrite, samples)
  }

  private mutating func measureTones(_ probe: inout Probe<Source.Made>) throws(DeviceError) {
    var samples = Samples()
    for round in 0..<stand.rounds {
      let letter = ["T", "O", "C"][round % 3]
      try probe.run(to: probe.now + Calibration.settling)
      _ = probe.takeAll()
      let arrival = probe.send(letter, after: stand.phase(round))
      let sound = try stand.output(
        .tone, &probe, within: Calibration.settling, after: "after \(letter)")
      samples.add(sound - arrival - Calibration.rounding - measured[.byteRead])
    }
    measured.set(.toneSetUp, samples)
  }

  private func aim(_ round: Int) -> String { "X\((round * 67 + 1) % 181)." }
}
