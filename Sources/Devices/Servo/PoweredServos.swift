package import Sketches

/// Servos with the supply that they share with the board: what one draws, the others and the board
/// miss.
///
/// Time goes in steps of one millisecond, as in `ServoPlant`. In each step the rail's voltage and
/// the currents solve each other. Capacitors and the motors' inductance are left out: with them,
/// the rail would follow within a fraction of a step.
package struct PoweredServos: Hashable, Sendable {
  private struct Servo: Hashable, Sendable {
    var name: String
    var plant: ServoPlant
    /// Pulses whose falling edge is still to come, in order.
    var pulses: [Pulse] = []
  }

  private struct Pulse: Hashable, Sendable {
    var width: Double
    var end: Instant
  }

  private var servos: [Servo]
  private let supply: PowerSource?
  package private(set) var now = Instant.zero

  /// The voltage of the servos' rail. Without a supply, it is the nominal one of the first servo.
  package private(set) var volts: Double
  /// What the supply gives: to the servos, and to the board unless it is apart.
  package private(set) var amperes: Double
  private var lowestVolts: Double
  private var highestAmperes: Double

  /// The detectors, until the rail has recovered.
  private var isBoardDown = false
  private var isAdapterDown = false
  /// Since when the supply gives its limit without interruption.
  private var limitedSince: Instant?
  /// Until when a port that has switched off stays off.
  private var offUntil = Instant.zero
  /// Until when the board is held in reset, as far as its last failure could know.
  private var heldUntil = Instant.zero
  /// When the rail was last too low for the adapter; nil before.
  package private(set) var adapterLastDown: Instant?
  /// Whether it is a copy that looks for the end of a failure.
  private var looksAhead = false

  /// ATmega328P data sheet, BODLEVEL 101, as the extended fuse 0xFD of the Uno, the Nano and the
  /// Pro Mini sets it: 2.5 to 2.9 V, 2.7 V typically.
  package static let boardDetector = 2.7
  /// ATmega16U2 data sheet, BODLEVEL 100, as its default extended fuse 0xF4 sets it: 3.0 V.
  package static let adapterDetector = 3.0
  /// By how much the rail must rise above a detector's voltage: the ATmega data sheets, 50 mV.
  package static let hysteresis = 0.05
  /// How far ahead the end of a failure is looked for. One that lasts longer is reported again.
  private static let foresight = Interval.seconds(2)
  /// How long a port stays off that has switched off. Assumed: the host's driver switches it on
  /// again.
  package static let portOff = Interval.seconds(1)

  /// - Parameters:
  ///   - servos: each with a name for messages: its pin, or anything else.
  ///   - supply: nil for an ideal one of each servo's nominal voltage.
  ///   - angles: where each rests at time zero, in degrees; 90 if there are fewer.
  package init(
    _ servos: [(name: String, data: ServoPlantData)], supply: Supply?, seed: UInt64,
    restingAt angles: [Double] = []
  ) {
    self.servos = servos.enumerated().map { index, servo in
      Servo(
        name: servo.name,
        plant: ServoPlant(
          servo.data, restingAt: index < angles.count ? angles[index] : 90,
          random: RandomStream(seed: seed, stream: 0x5E_0000 + UInt64(index))))
    }
    self.supply = supply?.figures
    volts = servos.first?.data.nominalVolts ?? 0
    amperes = 0
    lowestVolts = volts
    highestAmperes = 0
    let rest = solve()
    (volts, amperes) = (rest.volts, rest.amperes)
    (lowestVolts, highestAmperes) = (volts, amperes)
  }

  package var count: Int { servos.count }
  package func plant(_ index: Int) -> ServoPlant { servos[index].plant }
  package func degrees(_ index: Int) -> Double { servos[index].plant.degrees }

  /// The lowest voltage and the highest current since this was last called.
  package mutating func takeExtremes() -> (volts: Double, amperes: Double) {
    defer { (lowestVolts, highestAmperes) = (volts, amperes) }
    return (lowestVolts, highestAmperes)
  }

  // MARK: Pulses

  /// Takes a pulse. The servo reacts to it when time has come to its falling edge; if time is
  /// already past that, at once.
  package mutating func take(
    pulse microseconds: Double, from risingEdge: Instant, servo index: Int
  ) {
    let width = microseconds > 0 ? min(microseconds, 20_000) : 0
    let end = risingEdge + Interval(nanoseconds: Int64(width * 1_000))
    servos[index].pulses.append(Pulse(width: width, end: max(end, now)))
  }

  // MARK: Time

  /// Advances to `end`, or to the first failure before it and returns that. Call again to go on.
  ///
  /// The board's restart is the caller's: while the board is held in reset, until the failure's
  /// `boardReturns`, it sends no pulses.
  package mutating func advance(to end: Instant) -> PowerFailure? {
    while true {
      let next = min(end, latchDue())
      guard now < end else { return nil }
      if let failure = run(to: next) { return failure }
    }
  }

  /// Lets the servos react to the pulses that have ended, and returns when the next one ends.
  private mutating func latchDue() -> Instant {
    var next = Instant.distantFuture
    for index in servos.indices {
      while let pulse = servos[index].pulses.first {
        guard pulse.end <= now else {
          next = min(next, pulse.end)
          break
        }
        servos[index].pulses.removeFirst()
        servos[index].plant.latch(pulse: pulse.width, at: pulse.end)
      }
    }
    return next
  }

  /// Advances by whole steps, in which no pulse ends.
  private mutating func run(to end: Instant) -> PowerFailure? {
    while true {
      let last = now.wholeSteps
      guard end - last >= ServoPlant.stepLength else { break }
      let step = isQuiet ? end.wholeSteps : last + ServoPlant.stepLength
      for index in servos.indices { servos[index].plant.prepareStep(at: step) }
      let rail = solve()
      for index in servos.indices {
        let own = supply == nil ? servos[index].plant.data.nominalVolts : rail.volts
        servos[index].plant.finishStep(at: step, volts: own)
        servos[index].plant.settle(at: step)
      }
      (volts, amperes) = (rail.volts, rail.amperes)
      lowestVolts = min(lowestVolts, volts)
      highestAmperes = max(highestAmperes, amperes)
      now = step
      if let failure = failure(rail) { return failure }
    }
    for index in servos.indices { servos[index].plant.settle(at: end) }
    now = end
    return nil
  }

  /// Whether nothing changes before the next pulse.
  private var isQuiet: Bool {
    guard now >= offUntil, limitedSince == nil, !isBoardDown, !isAdapterDown else { return false }
    // A failure that has not been noticed yet.
    if let supply, !supply.isApart, volts < Self.adapterDetector { return false }
    for index in servos.indices where !servos[index].plant.isQuiet { return false }
    return true
  }

  /// The rail in the prepared step.
  private func solve() -> PowerSource.Rail {
    guard let supply else {
      var sum = 0.0
      for index in servos.indices {
        sum += servos[index].plant.data.idleAmperes
        sum += servos[index].plant.nominalAmperes
      }
      return PowerSource.Rail(volts: volts, amperes: sum, isLimited: false)
    }
    guard now >= offUntil else {
      return PowerSource.Rail(volts: 0, amperes: 0, isLimited: false)
    }
    var base = supply.isApart ? 0 : Supply.boardAmperes
    var (slope, offset) = (0.0, 0.0)
    for index in servos.indices {
      base += servos[index].plant.data.idleAmperes
      let load = servos[index].plant.load
      slope += load.slope
      offset += load.offset
    }
    var rail = supply.rail(base: base, slope: slope, offset: offset)
    // A motor that would give current back gives none: it is left out, until those that are left
    // draw some. Each turn leaves one out at least.
    var used = servos.count
    while used > 0 {
      var (count, newSlope, newOffset) = (0, 0.0, 0.0)
      for index in servos.indices {
        let load = servos[index].plant.load
        guard load.slope * rail.volts > load.offset else { continue }
        count += 1
        newSlope += load.slope
        newOffset += load.offset
      }
      guard count < used else { break }
      used = count
      (slope, offset) = (newSlope, newOffset)
      rail = supply.rail(base: base, slope: slope, offset: offset)
    }
    return rail
  }

  // MARK: Failures

  private mutating func failure(_ rail: PowerSource.Rail) -> PowerFailure? {
    guard let supply else { return nil }
    if rail.isLimited {
      limitedSince = limitedSince ?? now - ServoPlant.stepLength
    } else {
      limitedSince = nil
    }
    if let trip = supply.tripTime, let since = limitedSince, now - since >= trip {
      limitedSince = nil
      offUntil = now + Self.portOff
      guard !supply.isApart else { return nil }
      (isBoardDown, isAdapterDown, adapterLastDown) = (true, true, now)
      return failure(.portOff, rail)
    }
    guard !supply.isApart else { return nil }
    let recovered = rail.volts - Self.hysteresis
    let isStillLow = isBoardDown && recovered <= Self.boardDetector
    if !isStillLow || now >= heldUntil { isBoardDown = false }
    if recovered > Self.adapterDetector { isAdapterDown = false }
    let isAdapterNew = rail.volts < Self.adapterDetector && !isAdapterDown
    if isAdapterNew { isAdapterDown = true }
    if isAdapterDown { adapterLastDown = now }
    if isStillLow || rail.volts < Self.boardDetector, !isBoardDown {
      isBoardDown = true
      return failure(.brownOut, rail)
    }
    return isAdapterNew ? failure(.adapterBrownOut, rail) : nil
  }

  /// When the rail is high enough for the board again, since a board that is held in reset sends no
  /// more pulses.
  private func recovery() -> Instant {
    var later = self
    later.looksAhead = true
    later.heldUntil = .distantFuture
    let end = now + Self.foresight
    while later.isBoardDown, later.now < end {
      _ = later.advance(to: later.now + ServoPlant.stepLength)
    }
    return later.now
  }

  private mutating func failure(
    _ kind: PowerFailure.Kind, _ rail: PowerSource.Rail
  ) -> PowerFailure {
    if kind != .adapterBrownOut, !looksAhead { heldUntil = recovery() }
    let active = servos.indices.filter { servos[$0].plant.state != .idle }
    return PowerFailure(
      time: now, kind: kind, volts: rail.volts, amperes: rail.amperes,
      servos: active.map { index in
        let plant = servos[index].plant
        return PowerFailure.Servo(
          index: index, name: servos[index].name, model: plant.data.name, state: plant.state)
      },
      boardReturns: kind == .adapterBrownOut ? nil : heldUntil)
  }

  /// Whether any pulses could lead to a failure. Decided from the worst case, in which every servo
  /// is reversed at full speed. If not, `advance` returns none, and can go in large slices.
  package var canFail: Bool {
    guard let supply, !supply.isApart else { return false }
    var base = Supply.boardAmperes
    var (slope, offset) = (0.0, 0.0)
    for servo in servos {
      let (data, motor) = (servo.plant.data, servo.plant.motor)
      // At full speed, the motor itself has the voltage that is left of the rail's.
      let emf = max(0, min(supply.voltage, supply.highest) - data.bridgeVolts)
      base += data.idleAmperes
      slope += motor.amperesPerVolt
      offset += motor.amperesPerVolt * (data.bridgeVolts - emf)
    }
    let rail = supply.rail(base: base, slope: slope, offset: offset)
    return rail.volts < Self.adapterDetector || rail.isLimited && supply.tripTime != nil
  }
}

/// A moment at which the power no longer sufficed.
package struct PowerFailure: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The rail fell below 2.7 V, or stays too low: the board's ATmega328P is held in reset. The
    /// adapter of an Uno, which has its detector at 3.0 V, is too.
    case brownOut
    /// The rail fell below 3.0 V but not below 2.7 V: an Uno's adapter, an ATmega16U2, restarts, so
    /// the computer loses the port. The board goes on.
    case adapterBrownOut
    /// The USB port gave more than it can for too long, and switched off: the board and its adapter
    /// have no power.
    case portOff
  }

  package struct Servo: Hashable, Sendable {
    package var index: Int
    package var name: String
    /// The servo's data: `sg90`.
    package var model: String
    package var state: ServoPlant.State
  }

  package var time: Instant
  package var kind: Kind
  /// The rail's voltage, and what the supply gave.
  package var volts: Double
  package var amperes: Double
  /// The servos whose motor was driven.
  package var servos: [Servo]
  /// When the rail is high enough for the board again; nil if the board goes on.
  package var boardReturns: Instant?

  /// The mark when the port of an adapter that had no power is back. The program that tracks is
  /// assumed to open it at once, and that restarts an Uno (DTR).
  package static let reopening = "the port is back: opening it restarted the board"

  /// What happened, in words: `2 mg996r starting, 2.0 A, 2.4 V`.
  package var text: String {
    var parts: [String] = []
    for state in [ServoPlant.State.starting, .stalled, .moving] {
      var models: [String] = []
      for servo in servos where servo.state == state && !models.contains(servo.model) {
        models.append(servo.model)
      }
      for model in models {
        let count = servos.filter { $0.state == state && $0.model == model }.count
        let word = state == .starting ? "starting" : state == .stalled ? "stalled" : "moving"
        parts.append("\(count) \(model) \(word)")
      }
    }
    parts.append("\(Self.tenths(amperes)) A")
    parts.append("\(Self.tenths(volts)) V")
    return parts.joined(separator: ", ")
  }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int64((max(number, 0) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
