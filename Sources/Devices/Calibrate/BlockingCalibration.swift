import Sketches
import Traces

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

/// The figures of a scan. The moment when the sketch looks at the ring cannot be observed, but a
/// byte that arrives just after it does not end the scan before the step. So the moment is found by
/// trial, on copies of the board.
extension BlockingCalibration {
  /// The two angles between which scans are ended, while rising.
  private var angles: ClosedRange<UInt8> {
    sketch.scan.lowerBound + 11...sketch.scan.upperBound - 10
  }
  /// The resolution to which an arrival is found.
  private static var fineness: Interval { .nanoseconds(250) }
  /// A look precedes its step by less than this.
  private static var lookMax: Interval { .milliseconds(2) }

  /// Ends scans with aims of two lengths.
  func scanEnds() throws(DeviceError) -> [ScanEnd<Source.Made>] {
    var probe = try aimed(at: angles.lowerBound - 1)
    _ = probe.send("L", after: .zero)
    var ends: [ScanEnd<Source.Made>] = []
    let stride = max(1, angles.count / stand.rounds)
    for degrees in angles {
      let stored = try stand.servo(degrees, &probe, after: "in the sweep after L")
      guard Int(degrees - angles.lowerBound) % stride == 0 else { continue }
      var onward = probe
      let next = try stand.servo(degrees + 1, &onward, after: "in the sweep after L")
      // The whole aim must arrive before the sketch looks.
      let room = next - Self.lookMax - probe.now
      var count = 4
      while count < 40, probe.lineTime(count + 1) <= room { count += 1 }
      guard count > 4 else {
        throw stand.unexpected(
          "steps of at least 8 ms", "\(String(shortest: next - stored)) s")
      }
      func aim(_ zeros: Int) throws(DeviceError) -> Instant {
        var copy = probe
        _ = copy.send("X" + String(repeating: "0", count: zeros) + "15.", after: .zero)
        return try stand.servo(15, &copy, after: "after an aim in a sweep")
      }
      ends.append(
        ScanEnd(
          probe: probe, stored: stored, next: next, aimed: try aim(0),
          aimedLonger: try aim(count - 4), moreBytes: count - 4))
    }
    return ends
  }

  mutating func measureByteRead(_ ends: [ScanEnd<Source.Made>]) {
    var samples = Samples()
    for end in ends {
      let more = (end.aimedLonger - end.aimed).nanoseconds
      samples.add(.nanoseconds(more / Int64(end.moreBytes)))
    }
    measured.set(.byteRead, samples)
  }

  /// Measures whole cycles. A step is the average of all steps but the bottom turns, because it
  /// determines the length of a cycle.
  mutating func measureScan() throws(DeviceError) {
    var (steps, turns) = (Samples(), Samples())
    var (away, turning, count) = (Int64(0), Int64(0), Int64(0))
    let (low, high) = (sketch.scan.lowerBound, sketch.scan.upperBound)
    for sweep in 0..<max(1, stand.rounds / 8) {
      var probe = try aimed(at: low + 5)
      _ = probe.send("L", after: stand.phase(sweep))
      _ = try stand.servo(high - 1, &probe, after: "in the sweep after L")
      var bottom = try stand.servo(low, &probe, after: "at the bottom of the sweep after L")
      for _ in 0..<4 {
        let up = try stand.servo(low + 1, &probe, after: "in the sweep after L")
        turns.add(up - bottom)
        turning += (up - bottom).nanoseconds
        var last = up
        var isTop = false
        for degrees in Array(low + 2...high) + (low...high - 1).reversed() {
          let time = try stand.servo(degrees, &probe, after: "in the sweep after L")
          steps.add(.nanoseconds((time - last).nanoseconds / (isTop ? 2 : 1)))
          last = time
          // Both ends are written twice, but only one write shows.
          isTop = degrees == high
        }
        away += (last - up).nanoseconds
        bottom = last
        count += 1
      }
    }
    let step = Double(away) / Double(count * 2 * Int64(high - low))
    measured.set(.step, steps, to: .nanoseconds(Int64(step.rounded())))
    let turn = Double(turning) / Double(count) - 2 * step
    measured.set(.bottomTurn, turns, to: .nanoseconds(Int64(turn.rounded())))
  }

  /// Measures the times between a look, its step and the end of a scan.
  mutating func measureScanParts(_ ends: [ScanEnd<Source.Made>]) throws(DeviceError) {
    var looks = Samples()
    for end in ends {
      let look = try lastArrival(from: end.next - Self.lookMax, to: end.next) {
        (arrival) throws(DeviceError) in
        var copy = end.probe
        copy.send("!", arrivingAt: arrival)
        return try copy.next(.servo, by: end.next + Self.lookMax) == nil
      }
      looks.add(end.next - Calibration.rounding - look)
    }
    measured.set(.stepWrite, looks)

    var exits = Samples()
    let reads = measured[.byteRead].nanoseconds * 3
    // The first X after an L sounds.
    let sound = sketch.announcesAim ? measured[.aimToneSetUp] : .zero
    for end in ends {
      let look = end.next - looks.mean
      exits.add(end.aimed - look - .nanoseconds(reads) - measured[.angleWrite] - sound)
    }
    measured.set(.scanExit, exits)

    // From above the range, the first step is visible.
    var readings = Samples()
    var probe = try aimed(at: 180)
    for round in 0..<2 * stand.rounds {
      let arrival = probe.send("L", after: stand.phase(round))
      let jump = try stand.servo(
        sketch.scan.upperBound, &probe, after: "after L from 180")
      readings.add(
        jump - arrival - Calibration.rounding - measured[.byteRead] - measured[.stepWrite])
      try stand.aim(180, &probe)
    }
    measured.set(.angleRead, readings)
  }

  /// Measures a purge. It ends when it finds the ring empty, so an aim that begins after that is
  /// understood.
  mutating func measurePurge(_ ends: [ScanEnd<Source.Made>]) throws(DeviceError) {
    var samples = Samples()
    for end in ends.prefix(max(1, stand.rounds / 2)) {
      let look = end.next - measured[.stepWrite]
      func purgeEnd(_ junk: Int) throws(DeviceError) -> Instant {
        try lastArrival(from: look - .microseconds(100), to: look + .microseconds(900)) {
          (arrival) throws(DeviceError) in
          var copy = end.probe
          _ = copy.send(String(repeating: "!", count: junk), after: .zero)
          copy.send("X", arrivingAt: arrival)
          try copy.run(to: arrival)
          let last = copy.send("15.", after: .zero)
          while let found = try copy.next(.servo, by: last + Self.lookMax) {
            if case .servo(15, _, nil) = found.output { return false }
          }
          return true
        }
      }
      let count = end.moreBytes + 2
      samples.add(.nanoseconds((try purgeEnd(count) - purgeEnd(2)).nanoseconds / Int64(count - 2)))
    }
    measured.set(.purgeRead, samples)
  }

  /// Returns the last arrival that is early enough. Throws if the first candidate is not early
  /// enough, or if the last one is.
  private func lastArrival(
    from start: Instant, to end: Instant,
    isEarly: (Instant) throws(DeviceError) -> Bool
  ) throws(DeviceError) -> Instant {
    var (early, late) = (start, end)
    guard try isEarly(early) else {
      throw stand.unexpected("a sweep that a byte ends before the next step", "a step")
    }
    guard try !isEarly(late) else {
      throw stand.unexpected("a sweep that looks for a byte before each step", "none")
    }
    while late - early > Self.fineness {
      let middle = early + .nanoseconds((late - early).nanoseconds / 2)
      if try isEarly(middle) { early = middle } else { late = middle }
    }
    return early
  }
}

/// A scanning board between two steps, and the effect of ending the scan there in different ways,
/// each on its own copy.
struct ScanEnd<D: Device> {
  /// Just after a step was stored.
  var probe: Probe<D>
  var stored: Instant
  /// When the next step is stored if nothing is sent.
  var next: Instant
  /// When an aim of four bytes is stored that arrived before the sketch looked.
  var aimed: Instant
  /// The same for an aim with leading zeros, which is `moreBytes` longer.
  var aimedLonger: Instant
  var moreBytes: Int
}
