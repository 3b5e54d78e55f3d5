package import Sketches
import Traces

/// Measures, from outside, the time that each step of a sketch's build takes. The sketch is sent
/// bytes; the instants at which it writes to the servo, sounds and answers determine every figure
/// that its model needs.
package struct Calibration {
  /// Longer than any start-up.
  static let patience = Interval.seconds(10)
  /// Longer than anything an idle sketch does.
  static let settling = Interval.milliseconds(400)
  /// Outputs are stamped in whole microseconds, rounded up: on average by half a microsecond.
  static let rounding = Interval.nanoseconds(500)

  private static let pulseCount = 1_000

  package let firmware: Firmware
  package let timing: Timing
  /// All fields of the timing in order, as measured.
  package let figures: [Figure]

  /// Measures the program on a source's devices in virtual time. If `firmware` is nil, it is
  /// identified from the program's behaviour. `name` is used in messages. `rounds` is how often
  /// each figure is measured; a sweep takes one cycle for every four.
  ///
  /// Throws if the sketch does not behave as that firmware does, or if its behaviour cannot be
  /// observed.
  package init(
    of source: some DeviceSource, firmware: Firmware? = nil, name: String, rounds: Int = 32
  ) throws(DeviceError) {
    precondition(rounds > 0, "the number of rounds is not positive")
    let unknown = CalibrationStand(
      source: source, firmware: firmware ?? .guarded, name: name, rounds: rounds)
    guard source.observes(unknown.firmware).contains(.servo), source.showsStores else {
      // A program that crashes has no stores either. Running it throws its fault, which explains
      // why.
      var probe = try unknown.probe()
      try probe.run(to: .zero + Calibration.patience)
      throw DeviceError(
        .unavailable,
        "\(name): error: cannot observe what the sketch stores for the servo: give its .elf, if it "
          + "was built with the Arduino servo library, and the servo's pin with --pin")
    }
    let found: Firmware
    if let firmware {
      found = firmware
    } else {
      found = try Self.firmware(of: unknown)
    }
    let stand = CalibrationStand(
      source: source, firmware: found, name: name, rounds: rounds)
    var measured: MeasuredTiming
    if found.sketch.polls {
      measured = try GuardedCalibration.measure(stand)
    } else {
      measured = try BlockingCalibration.measure(stand)
    }
    try Self.measurePulses(stand, &measured)
    if let problem = measured.timing.problem {
      throw DeviceError(.unavailable, "\(name): error: \(problem), as measured")
    }
    self.firmware = found
    timing = measured.timing
    figures = measured.figures
  }

  /// Identifies the sketch on a source's devices from its behaviour, in virtual time; nil if it
  /// does not behave as any of the bench's, none of which is restless. Its servo can be on any pin.
  package static func firmware(of source: some DeviceSource) -> Firmware? {
    guard source.observes(.guarded).contains(.servo), !source.isRestless else { return nil }
    return try? firmware(
      of: CalibrationStand(source: source, firmware: .guarded, name: source.name, rounds: 1),
      onAnyPin: true)
  }

  /// Identifies the sketch from its behaviour: whether it answers `?` with its state, and whether
  /// it sounds when it is aimed for the first time.
  private static func firmware(
    of stand: CalibrationStand<some DeviceSource>, onAnyPin: Bool = false
  ) throws(DeviceError) -> Firmware {
    var probe = try stand.probe()
    try probe.run(to: .zero + .milliseconds(2))
    _ = probe.send("?", after: .zero)
    var answer: [UInt8] = []
    var hasSounded = false
    // A command that waits after the `?` is discarded with it, so another follows later.
    for round in 1...10 {
      let degrees = UInt8(40 + round)
      _ = probe.send("X\(degrees).", after: .zero)
      try probe.run(to: .zero + .seconds(Int64(round)))
      let outputs = probe.takeAll().map { $0.output }
      var isAimed = false
      for output in outputs {
        switch output {
        case .servo(degrees, _, let pin) where pin == nil || onAnyPin: isAimed = true
        case .tone: hasSounded = true
        case .transmit(let byte): answer.append(byte)
        default: break
        }
      }
      guard isAimed else { continue }
      let isStatus = answer.contains(sequence: Array(" hold ok=".utf8))
      let found = Firmware.allCases.filter {
        $0.sketch.hasTelemetry == isStatus && (isStatus || $0.sketch.announcesAim == hasSounded)
      }
      if found.count > 1 { return try Self.firmware(among: found, by: &probe) }
      if let found = found.first { return found }
    }
    throw DeviceError(
      .unavailable,
      "\(stand.name): error: expected X41. at 9600 baud to aim the sketch's servo, found no aim in "
        + "10 s: --firmware selects the sketch, --pin its servo's pin")
  }

  /// Distinguishes sketches that behave alike so far by the angles between which they scan. Returns
  /// the first if none of them scans as the program does.
  private static func firmware(
    among sketches: [Firmware], by probe: inout Probe<some Device>
  ) throws(DeviceError) -> Firmware {
    _ = probe.send("L", after: .zero)
    // A cycle of the widest scan takes 5.5 s. The first can begin outside the scan's own angles.
    try probe.run(to: probe.now + .seconds(10))
    _ = probe.takeAll()
    try probe.run(to: probe.now + .seconds(10))
    let angles = probe.takeAll().compactMap { seen -> UInt8? in
      if case .servo(let degrees, _, nil) = seen.output { degrees } else { nil }
    }
    let found = sketches.first {
      $0.sketch.scan.lowerBound == angles.min() && $0.sketch.scan.upperBound == angles.max()
    }
    return found ?? sketches[0]
  }

  private static func measurePulses(
    _ stand: CalibrationStand<some DeviceSource>, _ measured: inout MeasuredTiming
  ) throws(DeviceError) {
    var probe = try stand.probe(showsPulses: true)
    var edges: [Instant] = []
    for _ in 0...pulseCount {
      edges.append(
        try stand.output(
          .pulse, &probe, within: Calibration.patience, after: "on the servo's pin (--pin)"))
    }
    let periods = zip(edges.dropFirst(), edges).map { $0 - $1 }
    let whole = edges[pulseCount] - edges[0]
    measured.set(.firstPulse, Samples([edges[0] - .zero - Calibration.rounding]))
    measured.set(
      .pulsePeriod, Samples(periods),
      to: .nanoseconds(whole.nanoseconds / Int64(pulseCount)))
  }
}

extension [UInt8] {
  /// Whether the array contains these bytes in a row.
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard count >= sequence.count else { return false }
    return (0...count - sequence.count).contains { self[$0...].starts(with: sequence) }
  }
}

extension Calibration {
  /// A line for each figure: the measured value, the spread and number of the samples, and the
  /// built-in value.
  package var table: [String] {
    let head = ["microseconds", "measured", "spread", "samples", "built in"]
    let rows = figures.map { figure in
      let (spread, count) =
        figure.samples.map { (Self.text($0.spread), "\($0.count)") } ?? ("-", "not measured")
      return [figure.name, Self.text(figure.value), spread, count, Self.text(figure.builtIn)]
    }
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }
  }

  private static func text(_ interval: Interval) -> String {
    let (whole, part) = interval.nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    let places = String(part + 1_000).dropFirst()
    return (interval < .zero ? "-" : "") + "\(whole).\(places)"
  }
}

/// A timing that is measured figure by figure. Fields not measured yet have their built-in values.
struct MeasuredTiming {
  private(set) var timing: Timing
  private let builtIn: Timing
  private var samples: [Timing.Field: Samples] = [:]

  init(_ builtIn: Timing) {
    timing = builtIn
    self.builtIn = builtIn
  }

  subscript(field: Timing.Field) -> Interval { timing[field] }

  /// Sets a field to the mean of its samples, but never below zero.
  mutating func set(_ field: Timing.Field, _ samples: Samples) {
    set(field, samples, to: samples.mean)
  }

  /// Sets a field whose mean is known more precisely than from its samples.
  mutating func set(
    _ field: Timing.Field, _ samples: Samples, to value: Interval
  ) {
    timing[field] = max(.zero, value)
    self.samples[field] = samples
  }

  var figures: [Figure] {
    Timing.Field.allCases.map { field in
      Figure(
        name: field.rawValue, value: timing[field], builtIn: builtIn[field],
        samples: samples[field])
    }
  }
}

package struct Figure: Hashable, Sendable {
  package var name: String
  package var value: Interval
  package var builtIn: Interval
  /// The samples behind the figure. Nil if the figure was not measured, because the firmware's
  /// model does not use it or it cannot be observed; its value is then the built-in one.
  package var samples: Samples?
}
