import Testing

@testable import AVR

/// A short program, and its results after it has run.
struct SmallProgram: Sendable, CustomTestStringConvertible {
  /// What the data sheet says, or what was measured.
  let testDescription: String
  let source: String
  /// What R20, R21 and so on contain at the end.
  var results: [UInt8]
  /// The inputs from outside, in order of time.
  var inputs: [Input] = []

  /// The addresses of the PCA9685 on the two-wire bus.
  var drivers: [UInt8] = []

  /// A level or a voltage that is applied to a pin once all earlier instructions have begun.
  struct Input: Sendable {
    var cycle: UInt64
    var pin: Pin
    var microvolts: Int32

    /// `pin` is the Arduino's number.
    init(_ cycle: UInt64, _ pin: Int, _ isHigh: Bool) {
      self.init(cycle, pin, volts: isHigh ? 5 : 0)
    }

    init(_ cycle: UInt64, _ pin: Int, volts: Double) {
      self.cycle = cycle
      self.pin = Pin(arduino: pin)!
      microvolts = Int32((volts * 1e6).rounded())
    }
  }

  func with(_ inputs: [Input]) -> SmallProgram {
    var program = self
    program.inputs = inputs
    return program
  }

  /// - Parameter results: what R20, R21 and so on contain at the end.
  init(_ testDescription: String, _ source: String, _ results: UInt8...) {
    self.testDescription = testDescription
    self.source = source
    self.results = results
  }

  /// No program here takes a second.
  private static let cyclesMax: UInt64 = 16_000_000

  /// Runs the program to its end, both with and without skipped waits.
  func check() throws {
    let program = try Assembler(source)
    var cycles: [UInt64] = []
    for skipsWaiting in [false, true] {
      var chip = program.chip
      for address in drivers { _ = chip.attach("pca9685", at: .address(address)) }
      chip.skipsWaiting = skipsWaiting
      try run(&chip, to: program)
      let found = results.indices.map { chip[data: UInt16(20 + $0)] ?? 0 }
      #expect(found == results, "\(testDescription): \(source)")
      cycles.append(chip.cycle)
    }
    #expect(cycles[0] == cycles[1], "\(testDescription): skipping changes the time")
  }

  /// The changes of a pin while the program runs.
  func edges(of pin: Pin) throws -> [Edge] {
    let program = try Assembler(source)
    var chip = program.chip
    try run(&chip, to: program)
    return chip.takeEvents().compactMap {
      guard case .pin(pin, let isHigh) = $0.event else { return nil }
      return Edge($0.cycle, isHigh)
    }
  }

  /// The pulses of the drivers' channels while the program runs, such as `0x40:3 1500`.
  func channels() throws -> [String] {
    let program = try Assembler(source)
    var chip = program.chip
    for address in drivers { _ = chip.attach("pca9685", at: .address(address)) }
    try run(&chip, to: program)
    return chip.takeEvents().compactMap {
      guard case .part(let number, .pulses(let channel, let width, let period)) = $0.event else {
        return nil
      }
      let address = drivers[Int(number)]
      return "0x\(String(address, radix: 16)):\(channel) \(width)/\(period)"
    }
  }

  private func run(_ chip: inout ATmega328P, to program: Assembler) throws {
    let end = UInt16(try #require(program.labels["end"])) * 2
    for input in inputs {
      let endsEarly = chip.run(until: input.cycle, before: [end])
      #expect(!endsEarly, "\(testDescription): it ends early")
      switch input.microvolts {
      case 0: chip.drive(input.pin, false)
      case 5_000_000: chip.drive(input.pin, true)
      default: chip.apply(microvolts: input.microvolts, to: input.pin)
      }
    }
    let hasEnded = chip.run(until: Self.cyclesMax, before: [end])
    #expect(chip.fault == nil, "\(testDescription)")
    #expect(hasEnded, "\(testDescription): it does not end")
  }
}
