package import Devices
package import Sketches
package import Traces

/// The servos of a session as machines with mass, and what feeds them. It follows the session's
/// pulses a little behind the board, and reports what the shaft and the supply do as events.
package struct ServoDrive: Sendable {
  private var servos: PoweredServos
  /// The pins of all servos, the session's own first, which is nil.
  private let pins: [BoardPin?]
  private let hasSupply: Bool
  /// Which of the servos have had a pulse, and the pins with pulses that have no servo.
  private var pulsed: [Bool]
  private var servoless: Set<BoardPin> = []
  /// How far it has advanced.
  package private(set) var now = Instant.zero
  /// How often it must advance: often if the supply can fail.
  private let stride: Interval
  /// When the port came back last, if that has been taken.
  private var returned: Instant?
  /// What has been reported of a shaft.
  private struct Shown {
    let index: Int
    let pin: BoardPin?
    /// The last event, and whether the shaft has moved since.
    var degrees: Double
    var isMoving = false
  }

  /// The session's own shaft, and the one that tilts if there is one.
  private var shown: [Shown]
  /// The last event of the supply.
  private var supply: (volts: Double, amperes: Double)?
  private var nextSupply = Instant.zero
  /// The time of the last event that has been reported. An input can be later than a failure that
  /// is noticed after it.
  private var latest = Instant.zero

  /// A shaft's movement by less is not shown, in degrees.
  private static let leastMove = 0.02
  private static let supplyStride = Interval.milliseconds(20)

  package init(_ plan: ServoPlan, seed: UInt64) {
    pins = [nil] + plan.others.keys.sorted().map { $0 }
    servos = PoweredServos(plan.named, supply: plan.supply, seed: seed)
    hasSupply = plan.supply != nil
    pulsed = pins.map { _ in false }
    stride = servos.canFail ? .milliseconds(1) : .milliseconds(5)
    shown = [Shown(index: 0, pin: nil, degrees: servos.degrees(0))]
    if let tilt = plan.tilt, let index = pins.firstIndex(of: tilt) {
      shown.append(Shown(index: index, pin: tilt, degrees: servos.degrees(index)))
    }
  }

  /// The angle of the session's own shaft, in degrees.
  package var degrees: Double { servos.degrees(0) }
  /// The angle of the shaft that tilts the turret; 90 if none does.
  package var tilt: Double { shown.count > 1 ? servos.degrees(shown[1].index) : 90 }

  /// Until when the computer has no port, because the board's adapter had too little voltage; nil
  /// if it always had enough.
  package var portReturns: Instant? {
    servos.adapterLastDown.map { $0 + PowerFailure.adapterAbsence }
  }

  /// Whether the port has come back since this was last called.
  mutating func takeReturnOfPort() -> Bool {
    guard let returns = portReturns, returns <= now, returns != returned else { return false }
    returned = returns
    return true
  }

  /// What there is to say at the end about servos and pulses that do not belong together.
  package var remarks: [String] {
    var lines: [String] = []
    for (pin, hasPulses) in zip(pins, pulsed) where !hasPulses {
      lines.append("The \(pin.map { "servo at \($0.name)" } ?? "servo") never got a pulse.")
    }
    guard hasSupply else { return lines }
    return lines
      + servoless.sorted().map { pin in
        "\(pin.name) got pulses, but the rig has no servo there: state it under servos, so that "
          + "the supply carries it."
      }
  }

  /// The next instant to which it must advance.
  package var nextStop: Instant {
    let step = stride.nanoseconds
    return Instant(nanoseconds: (now.nanoseconds / step + 1) * step)
  }

  /// Takes an event that has been reported: no later one of the shaft can be before it.
  package mutating func take(_ event: Event) {
    latest = max(latest, event.time)
    follow(event)
  }

  /// Follows an event of the board that will be reported in order with those of the shaft: a pulse
  /// moves a servo.
  mutating func follow(_ event: Event) {
    guard case .output(.pulse(let width, let pin)) = event.kind else { return }
    guard let index = pins.firstIndex(of: pin) else {
      if let pin { servoless.insert(pin) }
      return
    }
    pulsed[index] = true
    servos.take(pulse: width, from: event.time, servo: index)
  }

  /// Advances to an instant, or to a failure of the supply, which it returns.
  package mutating func advance(
    to end: Instant, _ emit: (Event) -> Void
  ) -> PowerFailure? {
    guard end > now else { return nil }
    if now == Instant.zero, shown[0].degrees == servos.degrees(0), supply == nil {
      for shaft in shown { emit(Event(.zero, Self.event(shaft))) }
    }
    let failure = servos.advance(to: end)
    let last = now
    now = failure.map { max($0.time, last) } ?? end
    show(since: last, emit)
    if hasSupply, failure != nil || now >= nextSupply {
      nextSupply = now + Self.supplyStride
      showSupply(emit)
    }
    return failure
  }

  /// Shows each shaft's way: where it stands before it moves, on its way, and where it rests.
  private mutating func show(since last: Instant, _ emit: (Event) -> Void) {
    for index in shown.indices {
      let move = abs(servos.degrees(shown[index].index) - shown[index].degrees)
      let begins = move >= Self.leastMove && !shown[index].isMoving
      if begins, last > .zero { emit(Event(max(last, latest), Self.event(shown[index]))) }
      shown[index].isMoving = move >= Self.leastMove
    }
    for index in shown.indices where shown[index].isMoving {
      shown[index].degrees = servos.degrees(shown[index].index)
      emit(Event(max(now, latest), Self.event(shown[index])))
    }
  }

  private static func event(_ shaft: Shown) -> Event.Kind {
    .shaft(rounded(shaft.degrees), on: shaft.pin)
  }

  /// Shows the lowest voltage and the highest current since the last time.
  private mutating func showSupply(_ emit: (Event) -> Void) {
    let extremes = servos.takeExtremes()
    let next = (volts: Self.rounded(extremes.volts), amperes: Self.rounded(extremes.amperes))
    if let supply, abs(supply.volts - next.volts) < 0.05, abs(supply.amperes - next.amperes) < 0.05
    {
      return
    }
    supply = next
    emit(Event(max(now, latest), .supply(volts: next.volts, amperes: next.amperes)))
  }

  fileprivate static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// The servos of a session and their supply, as they are stated.
package struct ServoPlan: Hashable, Sendable {
  /// The session's own servo, whose events name no pin.
  package var own: ServoPlantData
  package var others: [BoardPin: ServoPlantData] = [:]
  /// The one of these that tilts the turret; nil if it does not tilt.
  package var tilt: BoardPin?
  /// Nil: each servo has its nominal voltage, whatever it draws.
  package var supply: Supply?

  package init(_ own: ServoPlantData) { self.own = own }

  /// All servos by their names, the session's own first.
  var named: [(name: String, data: ServoPlantData)] {
    [(name: "servo", data: own)]
      + others.sorted { $0.key < $1.key }.map { (name: $0.key.name, data: $0.value) }
  }

  /// Why the servo that tilts is not one, if the session's own is at this pin; nil if it is.
  package func refusal(ofTiltBeside own: BoardPin) -> String? {
    guard tilt == own else { return nil }
    return "\(own.name) is the pin of the servo that pans: state that of the one that tilts, or "
      + "select the one that pans with --pin"
  }

  /// Why the board could never run; nil if it can.
  package var refusal: String? {
    guard let supply, !supply.isApart else { return nil }
    let volts = PoweredServos(named, supply: supply, seed: 0).volts
    let detectors = [
      ("board", "ATmega328P", PoweredServos.boardDetector),
      ("board's adapter", "ATmega16U2", PoweredServos.adapterDetector),
    ]
    for (name, chip, detector) in detectors where volts - PoweredServos.hysteresis <= detector {
      let needed = ServoDrive.rounded(detector + PoweredServos.hysteresis)
      let only = supply.regulator == nil ? "\(supply.name):apart" : "bec5V3A:apart"
      return "this supply gives \(String(shortest: (volts * 100).rounded(.down) / 100)) V with all "
        + "servos at rest, so the \(name) is always held in reset: its \(chip) requires more than "
        + "\(String(shortest: needed)) V. State less resistance, more voltage or a greater limit, "
        + "or power only the servos from it, for example \(only)"
    }
    return nil
  }
}

extension PowerFailure {
  /// How long an ATmega328P waits after the voltage has risen: the fuses of the Uno, the Nano and
  /// the Pro Mini let it start 65 ms later. Optiboot starts the sketch at once, since the restart
  /// is not an external one.
  private static let startUp = Interval.milliseconds(65)
  /// How long the computer needs until an adapter that was without power has its port again.
  /// Assumed.
  static let adapterAbsence = Interval.seconds(1)
  /// How long Optiboot owns the line when a program opens the port again, as for the fault
  /// `unplug`.
  static let bootTime = Interval.seconds(1)

  /// What the session records.
  var strike: FaultStrike {
    switch kind {
    case .brownOut: FaultStrike(.brownOut, at: .supply)
    case .adapterBrownOut: FaultStrike(.dropOut, at: .usb16u2)
    case .portOff: FaultStrike(.dropOut, at: .supply)
    }
  }

  var mark: String {
    switch kind {
    case .brownOut: "brown-out: \(text): the board restarted"
    case .adapterBrownOut: "brown-out of the adapter: \(text): an Uno's port is lost"
    case .portOff: "USB port off: \(text): the board had no power"
    }
  }

  /// How long the board does nothing from `now` on; nil if it goes on.
  func deadTime(from now: Instant) -> Interval? {
    boardReturns.map { max(.zero, $0 - now) + Self.startUp }
  }
}
