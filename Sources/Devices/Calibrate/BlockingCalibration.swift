import Turret

/// Measures the figures of the model of `classic` and `buzzer`: how long the sketch stays in each
/// of its states.
///
/// A figure that others depend on is measured before them: first the bytes of a number, from aims
/// that end a scan; then a write; then the scan's own figures.
struct BlockingCalibration<Source: DeviceSource> {
  /// The commands that wait for the end of the start-up, each with its angle.
  private static var startUpAims: [(text: String, degrees: UInt8)] {
    [("X5.", 5), ("X45.", 45), ("X135.", 135), ("X0060.", 60)]
  }

  let stand: CalibrationStand<Source>
  let sketch: SketchDescription
  var measured: MeasuredTiming
  /// An idle board that does not sound a tone at the next aim.
  private var idle: Probe<Source.Made>

  static func measure(_ stand: CalibrationStand<Source>) throws(DeviceError) -> MeasuredTiming {
    var calibration = try BlockingCalibration(stand)
    let ends = try calibration.scanEnds()
    calibration.measureByteRead(ends)
    try calibration.measureAims(ends)
    if calibration.sketch.announcesAim { try calibration.measureTones() }
    try calibration.measureStartUp()
    try calibration.measureScan()
    try calibration.measureScanParts(ends)
    if calibration.sketch.purgesAtUnknown { try calibration.measurePurge(ends) }
    return calibration.measured
  }

  private init(_ stand: CalibrationStand<Source>) throws(DeviceError) {
    self.stand = stand
    sketch = stand.firmware.sketch
    measured = MeasuredTiming(sketch.timing)
    idle = try stand.probe()
    let first = try stand.servo(90, &idle, after: "after a reset")
    try idle.run(to: idle.now + .milliseconds(2))
    try stand.aim(45, &idle)
    measured.set(.firstWrite, Samples([first - .zero - Calibration.rounding]))
  }

  /// Returns the idle board after another aim.
  func aimed(at degrees: UInt8) throws(DeviceError) -> Probe<Source.Made> {
    var probe = idle
    try stand.aim(degrees, &probe)
    return probe
  }

  /// Measures a write from waiting aims. An aim sent to an idle board takes some 4 us longer,
  /// because it includes the interrupt that receives its last byte. Many aims can wait and their
  /// errors add up, so the waiting ones are used.
  private mutating func measureAims(_ ends: [ScanEnd<Source.Made>]) throws(DeviceError) {
    var samples = Samples()
    let reads = measured[.byteRead].nanoseconds * 3
    for end in ends {
      let count = min(4, (end.moreBytes + 4) / 3)
      var probe = end.probe
      let text = (1...count).map { "X\($0)." }.joined()
      _ = probe.send(text, after: .zero)
      var last: Instant?
      for degrees in 1...count {
        let stored = try stand.servo(UInt8(degrees), &probe, after: "after \(text) in a sweep")
        // The X of the first aim may sound.
        if let last { samples.add(stored - last - .nanoseconds(reads)) }
        last = stored
      }
    }
    measured.set(.angleWrite, samples)
    guard sketch.numberCheck == .none else { return }
    measured.set(
      .pulseWrite, try latencies(to: .servo, of: stand.rounds) { "X\(1_000 + $0 * 67 % 1_000)." })
  }

  /// Measures, on an idle board, the time from taking the last byte to its effect.
  private func latencies(
    to kind: Output.Kind, of count: Int,
    _ text: (Int) -> String
  ) throws(DeviceError) -> Samples {
    var samples = Samples()
    var probe = idle
    for round in 0..<count {
      let sent = text(round)
      let arrival = probe.send(sent, after: .milliseconds(10) + stand.phase(round))
      let answer = try stand.output(
        kind, &probe, within: Calibration.settling, after: "after \(sent)")
      samples.add(answer - arrival - Calibration.rounding - measured[.byteRead])
    }
    return samples
  }

  /// Measures tones. A tone blocks the sketch, so an aim that waits for it shows how long it lasts.
  private mutating func measureTones() throws(DeviceError) {
    var (setUps, lengths, announcements) = (Samples(), Samples(), Samples())
    let taken = measured[.byteRead]
    let write = measured[.angleWrite]
    let letters = sketch.toneLetters.map { String(UnicodeScalar($0)) }
    guard !letters.isEmpty else { return }
    var probe = idle
    for round in 0..<stand.rounds {
      let letter = letters[round % letters.count]
      let degrees = UInt8(20 + round % 100)
      _ = probe.takeAll()
      let arrival = probe.send(letter, after: stand.phase(round))
      _ = probe.send("X\(degrees).", after: .milliseconds(2))
      let sound = try stand.output(
        .tone, &probe, within: Calibration.settling, after: "after \(letter)")
      let stored = try stand.servo(degrees, &probe, after: "behind \(letter)")
      setUps.add(sound - arrival - Calibration.rounding - taken)
      let bytes = Interval.nanoseconds(taken.nanoseconds * Int64("X\(degrees).".utf8.count))
      lengths.add(stored - sound - bytes - write)
      // The first X after an L sounds. The byte that ends the scan is skipped.
      _ = probe.send("L", after: .milliseconds(200))
      _ = probe.send(".", after: .milliseconds(2))
      try probe.run(to: probe.now + Calibration.settling)
      _ = probe.takeAll()
      let letterX = probe.send("X", after: stand.phase(round))
      let announcement = try stand.output(
        .tone, &probe, within: Calibration.settling, after: "after the X that follows an L")
      announcements.add(announcement - letterX - Calibration.rounding - taken)
      _ = probe.send("150.", after: .zero)
      _ = try stand.servo(150, &probe, after: "after X150.")
      try probe.run(to: probe.now + Calibration.settling)
    }
    measured.set(.toneSetUp, setUps)
    measured.set(.toneLength, lengths)
    measured.set(.aimToneSetUp, announcements)
  }

  /// Measures the start-up. Commands that waited during the pause take effect when it is over.
  private mutating func measureStartUp() throws(DeviceError) {
    var samples = Samples()
    for round in 0..<max(1, stand.rounds / 4) {
      let aim = Self.startUpAims[round % Self.startUpAims.count]
      var probe = try stand.probe()
      let first = try stand.servo(90, &probe, after: "after a reset")
      let arrival = probe.send(aim.text, after: .milliseconds(2) + stand.phase(round))
      let stored = try stand.servo(aim.degrees, &probe, after: "after \(aim.text)")
      guard stored - arrival > .milliseconds(1) else {
        // There is no pause.
        samples.add(first - .zero)
        continue
      }
      let reads = measured[.byteRead].nanoseconds * Int64(aim.text.utf8.count)
      let sound = sketch.announcesAim ? measured[.aimToneSetUp] : .zero
      samples.add(
        stored - .zero - Calibration.rounding - .nanoseconds(reads) - measured[.angleWrite] - sound)
    }
    measured.set(.startUp, samples, to: max(samples.mean, measured[.firstWrite]))
  }
}
