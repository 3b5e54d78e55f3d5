import Traces
import Turret

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
