package import Sketches

/// A hobby servo as a machine: pulses come in, and the horn turns. An analog controller compares
/// each pulse with the potentiometer and drives a DC motor, which turns the horn through gears with
/// friction and play.
///
/// Time goes in steps of one millisecond from the start of the session, whatever the slices of
/// `advance` are, so slices never change a result. In a step the motor's speed is an exponential,
/// in closed form. Only additions, multiplications and divisions are used, so every machine
/// computes the same bits.
package struct ServoPlant: Hashable, Sendable {
  package enum State: UInt8, Hashable, Sendable, CaseIterable {
    case idle
    /// Driven, and it draws more than half of the current that it draws when blocked: it has just
    /// begun to turn, or turns back.
    case starting
    case moving
    /// Driven without turning: at an end stop, or the drive is too weak.
    case stalled
  }

  package let data: ServoPlantData
  let motor: Motor
  private var random: RandomStream

  /// The end of the last whole step.
  private var step: Instant
  /// Where `advance` has come to: less than a step after `step`.
  package private(set) var now: Instant

  /// The horn at `step`, in degrees.
  private var horn: Double
  /// The motor's side of the gears at `step`, in degrees at the horn.
  private var rotor: Double
  /// The motor's speed at `step`, in degrees a second at the horn.
  private var speed: Double

  /// Whether the motor is driven forwards, and until when.
  private var isForwards = true
  private var driveEnd = Instant.zero
  /// What was driven of the present step up to `counted`, in nanoseconds: forwards minus backwards.
  private var driven: Int64 = 0
  private var counted: Instant

  package private(set) var state = State.idle

  /// Creates a servo at rest at time zero.
  package init(_ data: ServoPlantData, restingAt degrees: Double = 90, random: RandomStream) {
    self.data = data
    motor = Motor(data)
    self.random = random
    step = .zero
    now = .zero
    counted = .zero
    horn = min(max(degrees, data.endStops.lowerBound), data.endStops.upperBound)
    rotor = horn
    speed = 0
  }

  static var stepLength: Interval { .milliseconds(1) }

  // MARK: What it shows

  /// The angle of the horn, in degrees: what the turret and its camera turn with.
  package var degrees: Double {
    guard speed != 0 else { return horn }
    let turned = rotor + speed * (now - step).seconds
    return dragged(by: min(max(turned, reach.lowerBound), reach.upperBound))
  }

  /// The speed of the motor, as degrees a second at the horn. The horn has it too, except while the
  /// motor crosses the play of the gears.
  package var degreesPerSecond: Double { speed }

  /// Where the horn is when the motor's side is at `rotor`: it stays until a tooth reaches it.
  private func dragged(by rotor: Double) -> Double {
    let play = data.backlash / 2
    return min(max(horn, rotor - play), rotor + play)
  }

  // MARK: Pulses

  /// Takes a pulse that ends at `fallingEdge`, to where the plant must have advanced. The
  /// controller compares its width with the potentiometer, and decides how long the motor is
  /// driven.
  package mutating func latch(pulse microseconds: Double, at fallingEdge: Instant) {
    count(to: max(fallingEdge, counted))
    // The sum of four even numbers is near enough to a normal distribution: its spread is 1 / √3.
    var noise = -2.0
    for _ in 0..<4 { noise += random.fraction() }
    let own = 544 + degrees * (1_856.0 / 180) + speed * data.damping
    let error = microseconds - own - noise * 1.7320508075688772 * data.noise
    let past = abs(error) - data.deadBand
    guard past > 0 else {
      driveEnd = counted
      return
    }
    let share = past / (data.proportionalBand - data.deadBand)
    let length = data.leastDrive + (data.longestDrive - data.leastDrive) * min(share, 1)
    isForwards = error > 0
    driveEnd = counted + Interval(nanoseconds: Int64(length * 1e9))
  }

  /// Counts what is driven of the present step up to an instant in it.
  private mutating func count(to instant: Instant) {
    let end = min(instant, driveEnd)
    if end > counted {
      let length = (end - counted).nanoseconds
      driven += isForwards ? length : -length
    }
    counted = max(counted, instant)
  }

  // MARK: Time

  /// Advances to `end`, with this voltage at its wires.
  package mutating func advance(to end: Instant, volts: Double) {
    while end - step >= Self.stepLength {
      // A servo at rest stays so until the next pulse: many steps at once.
      let next = isQuiet ? end.wholeSteps : step + Self.stepLength
      prepareStep(at: next)
      finishStep(at: next, volts: volts)
    }
    settle(at: end)
  }

  /// Counts what is driven of the step that ends at `end`.
  mutating func prepareStep(at end: Instant) { count(to: end) }

  /// Whether it will neither move nor be driven before the next pulse.
  var isQuiet: Bool { speed == 0 && driven == 0 && driveEnd <= counted }

  /// The share of the prepared step for which the motor is driven, from -1 to 1.
  var drive: Double { Double(driven) / 1e6 }

  /// Computes the step that was prepared.
  mutating func finishStep(at end: Instant, volts: Double) {
    defer { step = end }
    let share = drive
    driven = 0
    guard share != 0 || speed != 0 else {
      state = .idle
      return
    }
    let available = max(0, volts - data.bridgeVolts)
    let wasAtRest = speed == 0
    turn(applied: available * share)
    if share == 0 {
      state = .idle
    } else if speed == 0, wasAtRest {
      state = .stalled
    } else {
      let emf = (share > 0 ? speed : -speed) * motor.voltsPerSpeed
      state = emf < 0.5 * available ? .starting : .moving
    }
  }

  /// One step of the motor. Nothing but friction and the shorted winding holds it if it is not
  /// driven.
  private mutating func turn(applied: Double) {
    var direction = speed
    if direction == 0 {
      guard abs(applied) > motor.breakAwayVolts else { return }
      direction = applied
    }
    let friction = direction > 0 ? motor.frictionVolts : -motor.frictionVolts
    let final = (applied - friction) * motor.speedPerVolt
    // Friction acts against the turning. A motor at rest that it holds does not turn backwards.
    if speed == 0, (final > 0) != (direction > 0) { return }
    let change = (speed - final) * motor.lost
    var next = speed - change
    var turned = final * motor.stepSeconds + change * motor.timeConstant
    if speed != 0, (next > 0) != (speed > 0) || next == 0 {
      // It comes to a stop within the step. What it turns until then is, near enough, a triangle;
      // if it is driven backwards, it begins to turn back in the next step.
      let part = speed / (speed - next)
      turned = speed * part * motor.stepSeconds / 2
      next = 0
    }
    speed = next
    rotor += turned
    let reach = reach
    if rotor <= reach.lowerBound {
      rotor = reach.lowerBound
      speed = max(speed, 0)
    } else if rotor >= reach.upperBound {
      rotor = reach.upperBound
      speed = min(speed, 0)
    }
    horn = dragged(by: rotor)
  }

  /// How far the motor's side turns: the stops are at the horn, and the play comes on top.
  private var reach: ClosedRange<Double> {
    let play = data.backlash / 2
    return data.endStops.lowerBound - play...data.endStops.upperBound + play
  }

  /// Ends an advance at `end`, less than a step after the last one.
  mutating func settle(at end: Instant) { now = max(now, end) }

  // MARK: Current

  /// The current that it draws from a rail of this voltage, in amperes.
  package func amperes(volts: Double) -> Double {
    let load = load(share: driveEnd > now ? (isForwards ? 1 : -1) : 0)
    return data.idleAmperes + max(0, load.slope * volts - load.offset)
  }

  /// The motor's mean current in the prepared step, at the nominal voltage.
  var nominalAmperes: Double {
    let load = load
    return max(0, load.slope * data.nominalVolts - load.offset)
  }

  /// The motor's mean current in the prepared step is `slope * volts - offset`. If that is
  /// negative, it is none: a motor that turns faster than it is driven gives nothing back.
  var load: (slope: Double, offset: Double) { load(share: drive) }

  private func load(share: Double) -> (slope: Double, offset: Double) {
    let emf = (share < 0 ? -speed : speed) * motor.voltsPerSpeed
    let slope = abs(share) * motor.amperesPerVolt
    return (slope, slope * (data.bridgeVolts + emf))
  }
}

extension Instant {
  /// The end of the last step that has ended at this instant.
  var wholeSteps: Instant {
    Instant(nanoseconds: nanoseconds - nanoseconds % ServoPlant.stepLength.nanoseconds)
  }
}

/// The constants of the motor equation, all at the horn.
///
/// Voltage: `volts = resistance * amperes + voltsPerSpeed * speed`. Torque: `torque constant *
/// amperes - friction = inertia * acceleration`. So the speed approaches `(volts - friction volts)
/// / voltsPerSpeed` as an exponential with the time constant `inertia * resistance / (torque
/// constant * voltsPerSpeed)`.
struct Motor: Hashable, Sendable {
  let amperesPerVolt: Double
  /// Volts per degree a second.
  let voltsPerSpeed: Double
  let speedPerVolt: Double
  /// The voltage that friction takes while it turns.
  let frictionVolts: Double
  /// The voltage above which it begins to turn.
  let breakAwayVolts: Double
  /// Seconds.
  let timeConstant: Double
  let stepSeconds = 0.001
  /// The part of a difference of speed that a step takes away: `1 - exp(-step / time constant)`.
  let lost: Double

  init(_ data: ServoPlantData) {
    let volts = data.nominalVolts - data.bridgeVolts
    let resistance = volts / data.stallAmperes
    amperesPerVolt = 1 / resistance
    frictionVolts = resistance * data.runningAmperes
    breakAwayVolts = frictionVolts * data.breakAway
    voltsPerSpeed = (volts - frictionVolts) / data.degreesPerSecond
    speedPerVolt = 1 / voltsPerSpeed
    timeConstant = data.timeConstant * (1 + data.loadInertia / data.ownInertia)
    guard timeConstant > 0.00001 else {
      lost = 1
      return
    }
    // Eight terms of the series are exact to the last bits if x is small; what two steps of half
    // the length take away follows from what one does.
    var (x, halvings) = (stepSeconds / timeConstant, 0)
    while x > 0.1 {
      x /= 2
      halvings += 1
    }
    var sum = 0.0
    for n in stride(from: 8.0, through: 1, by: -1) { sum = x / n * (1 - sum) }
    for _ in 0..<halvings { sum *= 2 - sum }
    lost = sum
  }
}
