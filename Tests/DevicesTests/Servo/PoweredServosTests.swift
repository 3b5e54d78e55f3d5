import Devices
import Sketches
import Testing

/// Servos with their supply.
@Suite("Powered servos") struct PoweredServosTests {
  private static func width(_ degrees: Double) -> Double { 544 + degrees * 1_856 / 180 }

  private func servos(_ models: [ServoPlantData], _ supply: String?) throws -> PoweredServos {
    PoweredServos(
      models.enumerated().map { ("D\(9 + $0)", $1) },
      supply: try supply.map { text throws(SpecError) in try Supply.parse(text) }, seed: 1)
  }

  /// Sends all servos through `targets`, each for half a second, and returns the failures.
  private func run(
    _ servos: inout PoweredServos, _ targets: [Double]
  ) -> [PowerFailure] {
    var failures: [PowerFailure] = []
    for target in targets {
      let start = servos.now
      for frame in 0..<25 as Range<Int64> {
        for index in 0..<servos.count {
          servos.take(
            pulse: Self.width(target), from: start + .milliseconds(20 * frame), servo: index)
        }
        while let failure = servos.advance(to: start + .milliseconds(20 * (frame + 1))) {
          failures.append(failure)
        }
      }
    }
    return failures
  }

  // MARK: Failures

  @Test(
    "What starts on which supply restarts the board",
    arguments: [
      ([ServoPlantData.sg90], "usb", nil),
      ([.sg90], "4xAA", nil),
      ([.sg90], "9V", nil),
      ([.sg90, .sg90], "bec5V3A", nil),
      ([.mg996r], "bec5V3A", nil),
      ([.mg996r, .mg996r], "4xAA", "2 mg996r starting, 2.0 A, 2.4 V"),
      ([.mg996r, .mg996r], "usb", "2 mg996r starting, 2.0 A, 2.4 V"),
      ([.mg996r, .mg996r], "9V", "2 mg996r starting, 1.5 A, 1.8 V"),
      ([.mg996r, .mg996r], "4xAA:apart", nil),
      ([.mg996r, .mg996r], "bec5V3A:limit=8", nil),
    ])
  func starts(models: [ServoPlantData], supply: String, expected: String?) throws {
    var servos = try servos(models, supply)
    let failures = run(&servos, [140])
    let first = failures.first { $0.kind == .brownOut }
    #expect(first?.text == expected)
    guard let first else {
      #expect(failures.isEmpty)
      return
    }
    #expect(first.volts < PoweredServos.boardDetector)
    #expect(first.time < .zero + .milliseconds(5), "at the first pulse")
    #expect(first.servos.map { $0.name } == ["D9", "D10"])
  }

  /// The table in docs/guide/servos.md.
  @Test(
    "The lowest voltage when servos start, and when they are reversed at full speed",
    arguments: [
      ([ServoPlantData.sg90], false, ["4.6", "4.4", "5.0", "4.9"]),
      ([.sg90], true, ["4.3", "3.8", "4.9", "4.9"]),
      ([.sg90, .sg90], false, ["4.3", "3.9", "4.8", "4.9"]),
      ([.mg996r], false, ["4.0", "3.3", "3.6", "4.8"]),
      ([.mg996r], true, ["brownOut", "brownOut", "brownOut", "adapterBrownOut"]),
      ([.mg996r, .mg996r], false, ["brownOut", "brownOut", "brownOut", "3.6"]),
    ])
  func table(models: [ServoPlantData], isReversed: Bool, expected: [String]) throws {
    let found = try ["usb", "4xAA", "9V", "bec5V3A"].map { supply in
      var servos = PoweredServos(
        models.map { ("", $0) }, supply: try Supply.parse(supply), seed: 1,
        restingAt: models.map { _ in 30 })
      // It is at full speed after 160 ms.
      for target in isReversed ? [150.0, 30] : [150] {
        let isMeasured = !isReversed || target == 30
        for _ in 0..<(isMeasured ? 3 : 8) {
          for index in models.indices {
            servos.take(pulse: Self.width(target), from: servos.now, servo: index)
          }
          let failure = servos.advance(to: servos.now + .milliseconds(20))
          if isMeasured, let failure { return failure.kind.rawValue }
          #expect(failure == nil)
        }
        if !isMeasured { _ = servos.takeExtremes() }
      }
      let tenths = Int((servos.takeExtremes().volts * 10).rounded())
      return "\(tenths / 10).\(tenths % 10)"
    }
    #expect(found == expected)
  }

  /// The same table's rows about braking.
  @Test(
    "The lowest voltage when a servo brakes after a turn of 120 degrees",
    arguments: [
      (ServoPlantData.sg90, [4.4, 4.0, 5.0, 4.9], [[], [], [], []]),
      (
        .mg996r, [3.5, 2.8, 2.5, 4.8],
        [[], [.adapterBrownOut], [.adapterBrownOut, .brownOut], []]
      ),
    ] as [(ServoPlantData, [Double], [[PowerFailure.Kind]])])
  func brakes(model: ServoPlantData, volts: [Double], failures: [[PowerFailure.Kind]]) throws {
    for (index, supply) in ["usb", "4xAA", "9V", "bec5V3A"].enumerated() {
      var servos = PoweredServos(
        [("", model)], supply: try Supply.parse(supply), seed: 1, restingAt: [30])
      var found: [PowerFailure.Kind] = []
      for frame in 0..<50 {
        // It has started by then, and does not brake yet.
        if frame == 5 {
          #expect(found == [])
          _ = servos.takeExtremes()
        }
        servos.take(pulse: Self.width(150), from: servos.now, servo: 0)
        let end = servos.now + .milliseconds(20)
        while let failure = servos.advance(to: end) { found.append(failure.kind) }
      }
      #expect(found == failures[index], "\(supply)")
      let lowest = servos.takeExtremes().volts
      #expect(abs(lowest - volts[index]) <= 0.05, "\(supply): \(lowest)")
    }
  }

  @Test("A rail between 3.0 and 2.7 V restarts an Uno's adapter only")
  func adapter() throws {
    var servos = try servos([.mg996r, .mg996r], "4xAA:resistance=1.15")
    for index in 0..<2 { servos.take(pulse: Self.width(140), from: .zero, servo: index) }
    let found = servos.advance(to: .zero + .milliseconds(500))
    let failure = try #require(found)
    #expect(failure.kind == .adapterBrownOut && (2.7..<3).contains(failure.volts))
    #expect(servos.advance(to: .zero + .milliseconds(500)) == nil)
  }

  @Test("A USB port that gives its limit for 10 ms switches off for a second")
  func portOff() throws {
    var servos = try servos([.mg996r, .mg996r], "usb")
    let failures = run(&servos, [140])
    let off = try #require(failures.first { $0.kind == .portOff })
    let returns = try #require(off.boardReturns)
    #expect(returns > off.time + PoweredServos.portOff)
    #expect(returns < off.time + PoweredServos.portOff + .milliseconds(5))
    var later = try self.servos([.mg996r, .mg996r], "usb")
    later.take(pulse: Self.width(140), from: .zero, servo: 0)
    later.take(pulse: Self.width(140), from: .zero, servo: 1)
    while let failure = later.advance(to: .zero + .milliseconds(500)) {
      #expect(failure.time < .zero + .milliseconds(500))
    }
    #expect(later.volts == 0)
    _ = later.advance(to: .zero + .milliseconds(1_100))
    #expect(later.volts > 4.9)
  }

  @Test("A failure is returned once, and again after the rail has recovered")
  func hysteresis() throws {
    var servos = try servos([.mg996r, .mg996r], "4xAA")
    // No pulses after the restart: the motors run down and the rail recovers.
    for index in 0..<2 { servos.take(pulse: Self.width(140), from: .zero, servo: index) }
    let end = Instant.zero + .milliseconds(300)
    #expect(servos.advance(to: end)?.kind == .brownOut)
    #expect(servos.advance(to: end) == nil)
    #expect(servos.now == end)
    #expect(servos.volts > 5)
    for index in 0..<2 { servos.take(pulse: Self.width(40), from: end, servo: index) }
    #expect(servos.advance(to: end + .milliseconds(300))?.kind == .brownOut)
  }

  @Test("A failure tells when the rail is high enough for the board again, if no pulse comes")
  func recovery() throws {
    for supply in ["4xAA", "usb", "9V", "usb:limit=9,resistance=3"] {
      var servos = try servos([.mg996r, .mg996r], supply)
      for index in 0..<2 { servos.take(pulse: Self.width(140), from: .zero, servo: index) }
      let end = Instant.zero + .seconds(3)
      let found = servos.advance(to: end)
      let failure = try #require(found)
      #expect(failure.kind == .brownOut)
      let returns = try #require(failure.boardReturns)
      #expect(returns > failure.time, "\(supply)")
      let enough = PoweredServos.boardDetector + PoweredServos.hysteresis
      while servos.now < returns {
        #expect(servos.volts <= enough, "\(supply) at \(servos.now)")
        _ = servos.advance(to: servos.now + .milliseconds(1))
      }
      #expect(servos.volts > enough, "\(supply)")
    }
  }

  @Test("A rail that stays too low fails again before the board could start")
  func staysLow() throws {
    var servos = try servos([.sg90], "usb:resistance=60")
    let end = Instant.zero + .seconds(20)
    var returns = Instant.zero + .milliseconds(1)
    var count = 0
    while let failure = servos.advance(to: end) {
      #expect(failure.kind == .brownOut && failure.time == returns)
      returns = try #require(failure.boardReturns)
      count += 1
    }
    #expect(count > 5 && returns >= end)
    #expect(servos.adapterLastDown == end)
  }

  @Test("canFail is false only if nothing can make it fail")
  func canFail() throws {
    let kinds: [[ServoPlantData]] = [
      [.sg90], [.sg90, .sg90], [.mg90s, .sg90, .mg90s], [.mg996r], [.mg996r, .sg90],
      [.mg996r, .mg996r],
    ]
    let supplies = [
      "usb", "usb:limit=5", "usb:resistance=0.1,limit=9", "4xAA", "4xAA:resistance=0.2", "9V",
      "bec5V3A", "bec5V3A:limit=10", "bec5V3A:apart", "usb:apart",
    ]
    var failed = 0
    var safe = 0
    for models in kinds {
      for supply in supplies {
        var servos = try servos(models, supply)
        let canFail = servos.canFail
        var random = RandomStream(seed: 7, stream: UInt64(models.count))
        var count = 0
        for _ in 0..<300 {
          for index in models.indices {
            servos.take(
              pulse: Double(random.draw(400...2_600)), from: servos.now, servo: index)
          }
          let end = servos.now + .milliseconds(random.draw(5...60))
          while servos.advance(to: end) != nil { count += 1 }
        }
        #expect(canFail || count == 0, "\(models.map { $0.name }) \(supply)")
        failed += count
        safe += canFail ? 0 : 1
      }
    }
    #expect(failed > 100)
    #expect(safe > 15, "\(safe)")
    #expect(try !self.servos([.sg90], "usb").canFail)
    #expect(try self.servos([.mg996r, .mg996r], "usb").canFail)
    #expect(try !self.servos([.mg996r], nil).canFail)
  }

  // MARK: The rail

  @Test("At rest the rail carries the board and the idle servos")
  func atRest() throws {
    var servos = try servos([.sg90, .mg996r], "usb:resistance=0.5")
    #expect(servos.advance(to: .zero + .seconds(1)) == nil)
    let expected = 0.05 + ServoPlantData.sg90.idleAmperes + ServoPlantData.mg996r.idleAmperes
    #expect(abs(servos.amperes - expected) < 1e-12)
    #expect(abs(servos.volts - (5 - 0.5 * expected)) < 1e-12)
  }

  @Test("A supply never gives more than its voltage drives through its resistance")
  func shortCircuit() throws {
    for text in ["4xAA:resistance=3", "4xAA", "bec5V3A:limit=50", "usb:resistance=0"] {
      let supply = try Supply.parse(text)
      var servos = try servos([.mg996r, .mg996r, .mg996r], text)
      for target in [150.0, 30, 150, 30] {
        for _ in 0..<9 as Range<Int> {
          for index in 0..<3 {
            servos.take(pulse: Self.width(target), from: servos.now, servo: index)
          }
          let end = servos.now + .milliseconds(20)
          while servos.now < end {
            while servos.advance(to: servos.now + .milliseconds(1)) != nil {}
            let highest = supply.resistance > 0 ? supply.voltage / supply.resistance : .infinity
            #expect(servos.amperes <= min(highest, supply.limit) + 1e-9)
            let driven = servos.volts + servos.amperes * supply.resistance
            #expect(servos.volts >= 0 && driven <= supply.voltage + 1e-9, "\(text)")
          }
        }
      }
    }
  }

  @Test("A regulator keeps 5 V until the battery is too low for it")
  func regulator() throws {
    var servos = try servos([.sg90], "9V")
    _ = servos.advance(to: .zero + .milliseconds(10))
    #expect(servos.volts == 5)
    var low = try self.servos([.sg90], "9V:voltage=6.2")
    _ = low.advance(to: .zero + .milliseconds(10))
    #expect(low.volts < 4.3)
  }

  @Test("A sagging rail makes the servos slower, and the extremes are kept until asked for")
  func sag() throws {
    var ideal = try servos([.mg996r, .mg996r], nil)
    var weak = try servos([.mg996r, .mg996r], "bec5V3A:limit=0.7,apart")
    #expect(run(&ideal, [170]).isEmpty)
    #expect(run(&weak, [170]).isEmpty)
    let low = weak.takeExtremes()
    #expect(low.volts < 2 && abs(low.amperes - 0.7) < 1e-9)
    #expect(weak.takeExtremes().volts == weak.volts)
    #expect(abs(ideal.degrees(0) - 170) < 2)
    #expect(ideal.volts == 4.8)
  }

  @Test("A pulse counts when its falling edge comes, whenever it was handed over")
  func fallingEdge() throws {
    var early = try servos([.sg90], nil)
    early.take(pulse: 2_000, from: .zero + .milliseconds(50), servo: 0)
    _ = early.advance(to: .zero + .microseconds(52_000))
    #expect(early.plant(0).state == .idle && early.degrees(0) == 90)
    _ = early.advance(to: .zero + .microseconds(54_000))
    #expect(early.plant(0).state == .starting)
    var late = try servos([.sg90], nil)
    _ = late.advance(to: .zero + .milliseconds(60))
    late.take(pulse: 2_000, from: .zero + .milliseconds(50), servo: 0)
    _ = late.advance(to: .zero + .milliseconds(62))
    #expect(late.plant(0).state == .starting)
    // Values that are no widths.
    for width in [-1, 0, .nan, .infinity, -.infinity, 1e300] as [Double] {
      late.take(pulse: width, from: late.now, servo: 0)
      _ = late.advance(to: late.now + .milliseconds(30))
    }
  }

  @Test("Slices of time never change a result")
  func slices() throws {
    for (seed, supply) in ["usb", "4xAA", "9V", "bec5V3A:limit=2", "usb:apart"].enumerated() {
      var random = RandomStream(seed: UInt64(seed), stream: 3)
      var whole = try servos([.mg996r, .sg90], supply)
      var sliced = whole
      var (failures, slicedFailures): ([PowerFailure], [PowerFailure]) = ([], [])
      for _ in 0..<150 {
        for index in 0..<2 {
          let width = Double(random.draw(400...2_600))
          let edge = whole.now + .microseconds(random.draw(0...9_000))
          whole.take(pulse: width, from: edge, servo: index)
          sliced.take(pulse: width, from: edge, servo: index)
        }
        let end = whole.now + .microseconds(random.draw(9_000...40_000))
        while let failure = whole.advance(to: end) { failures.append(failure) }
        while sliced.now < end {
          let cut = min(end, sliced.now + .nanoseconds(random.draw(1...4_000_000)))
          while let failure = sliced.advance(to: cut) { slicedFailures.append(failure) }
        }
        #expect(whole == sliced, "\(supply)")
      }
      #expect(failures == slicedFailures)
    }
  }

  @Test("Time can go to the end of all time", arguments: [nil, "usb", "9V"])
  func endOfTime(supply: String?) throws {
    var servos = try servos([.sg90], supply)
    servos.take(pulse: 2_000, from: .zero, servo: 0)
    #expect(servos.advance(to: .distantFuture) == nil)
    #expect(servos.advance(to: .distantFuture) == nil)
    #expect(servos.now == .distantFuture && servos.degrees(0) > 92)
    var plant = ServoPlant(.sg90, random: RandomStream(seed: 1, stream: 0))
    plant.advance(to: .distantFuture, volts: 4.8)
    plant.advance(to: .distantFuture, volts: 4.8)
    #expect(plant.degrees == 90)
  }

  // MARK: The text

  @Test(arguments: [
    ("usb:resistance=0.4", "resistance 0.4"), ("4xAA:limit=2,voltage=6", "limit 2.0"),
    ("bec5V3A:apart", "apart"), ("9V:voltage=8.4", "voltage 8.4"),
  ])
  func parses(text: String, what: String) throws {
    let supply = try Supply.parse(text)
    let values = [
      "resistance \(supply.resistance)", "limit \(supply.limit)", "voltage \(supply.voltage)",
      supply.isApart ? "apart" : "",
    ]
    #expect(values.contains(what))
    #expect(try Supply.parse(supply.text) == supply && supply.text == text)
  }

  @Test(arguments: [
    ("", 1, "expected a supply (usb, 4xAA"), ("car", 1, #"found "car""#),
    ("usb:", 5, "expected resistance=, limit=, voltage= or apart"),
    ("usb:amps=3", 5, #"found "amps=3""#),
    ("usb:resistance=x", 16, "expected a number of ohms from 0 to 100, as in resistance=0.4"),
    ("usb:resistance=-1", 16, #"found "-1""#), ("usb:limit=0", 11, "from 0.1 to 100"),
    ("usb:limit=nan", 11, #"found "nan""#), ("usb:limit=1e3", 11, #"found "1e3""#),
    ("usb:apart,limit=2,apart", 19, #""apart" is stated twice"#),
    ("usb:limit=2,limit=2", 13, #""limit" is stated twice"#),
    ("usb:voltage=12", 13, "from 3 to 7.2"), ("9V:apart", 4, "too high for servos"),
    ("9V:voltage=5", 12, "from 6 to 20"), ("usb:apart=1", 5, #"found "apart=1""#),
  ])
  func refuses(text: String, column: Int, part: String) {
    let error = #expect(throws: SpecError.self) { try Supply.parse(text) }
    #expect(error?.column == column)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test("Every supply is parsed by its name, and has a summary and a source")
  func presets() {
    for preset in Supply.presets {
      #expect(!preset.summary.isEmpty && !preset.source.isEmpty)
      #expect((try? Supply.parse(preset.name)) == preset)
    }
  }
}
