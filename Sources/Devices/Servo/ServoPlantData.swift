/// Figures of a servo: from its data sheet and from measurements that others published, and where
/// neither exists, assumed. `source` says which is which.
///
/// The figures of the motor hold at `nominalVolts`; the motor equation gives them at any other.
package struct ServoPlantData: Hashable, Sendable {
  package var name: String
  /// The voltage at the servo's wires for which the figures hold.
  package var nominalVolts: Double
  /// The speed without load.
  package var degreesPerSecond: Double
  /// In newton metres. Only the effect of a load's inertia depends on it.
  package var stallTorque: Double
  /// The motor's current when it is blocked. It draws as much for a moment when it starts.
  package var stallAmperes: Double
  /// The motor's current when it turns without load.
  package var runningAmperes: Double
  /// The current of the controller alone.
  package var idleAmperes: Double
  /// What the transistors of the bridge take of the voltage.
  package var bridgeVolts: Double
  /// How long it takes without load from rest to 63 % of its speed, in seconds: the inertia of the
  /// motor and the gears.
  package var timeConstant: Double
  /// What the horn carries, in kilogram square metres.
  package var loadInertia: Double
  /// How much more torque than to turn it takes to begin to turn, as a factor.
  package var breakAway: Double
  /// The play of the gears, in degrees at the horn, from one end to the other.
  package var backlash: Double
  /// The range of the horn, in degrees.
  package var endStops: ClosedRange<Double>
  /// The largest difference between a pulse and the controller's own that does not drive the motor,
  /// in microseconds.
  package var deadBand: Double
  /// The smallest difference that drives the motor all the time, in microseconds.
  package var proportionalBand: Double
  /// How much longer the controller's own pulse is for each degree a second, in microseconds: the
  /// resistor from the motor to the potentiometer, which lets a fast horn brake earlier.
  package var damping: Double
  /// How long the motor is driven after a pulse that is just outside the dead band, in seconds.
  package var leastDrive: Double
  /// How long the motor is driven at most after a pulse, in seconds. It is longer than a frame of
  /// 20 ms, so that a large difference drives the motor without a gap.
  package var longestDrive: Double
  /// The noise of the potentiometer, in microseconds, as a standard deviation.
  package var noise: Double
  /// Where the figures come from, and which of them are assumed.
  package var source: String

  /// The inertia of the motor and the gears at the horn, in kilogram square metres, from the time
  /// constant and the constants of the motor.
  package var ownInertia: Double {
    let volts = nominalVolts - bridgeVolts
    let resistance = volts / stallAmperes
    let torquePerAmpere = stallTorque / (stallAmperes - runningAmperes)
    let voltsPerDegree = (volts - resistance * runningAmperes) / degreesPerSecond
    let voltsPerRadian = voltsPerDegree * 57.29577951308232
    return timeConstant * torquePerAmpere * voltsPerRadian / resistance
  }

  /// A turret of 120 g and 10 cm with its camera, turned about its middle: 0.12 kg * (0.1 m)² / 12.
  package static let turret = 1e-4

  /// - Speed, torque, dead band: Tower Pro SG90 data sheet: 0.1 s/60 degrees and 1.8 kgf cm at 4.8
  ///   V, 10 us.
  /// - Currents: idle 5 to 10 mA, running 100 to 250 mA, blocked 650 mA (kpower.com/blog/3185).
  /// - `bridgeVolts`: what remains of 4.8 V. OpenServoCore measured the motor of an SG90's copy
  ///   (4.2 ohm, 7 960 rpm/V) and counted its teeth (234.7 : 1): at 600 degrees a second the motor
  ///   itself has 2.95 V (github.com/OpenServoCore/open-servo-core, docs/sg90-clones).
  /// - `timeConstant`, `proportionalBand`, `damping`, `leastDrive`: fitted to steps that J. Grant
  ///   measured with a gyroscope (github.com/JasperGrant/SG-90-Servo-Characterization):
  ///   docs/guide/servos.md.
  /// - Assumed: everything else.
  package static let sg90 = ServoPlantData(
    name: "sg90", nominalVolts: 4.8, degreesPerSecond: 600, stallTorque: 0.177, stallAmperes: 0.65,
    runningAmperes: 0.1, idleAmperes: 0.006, bridgeVolts: 1.2, timeConstant: 0.055,
    loadInertia: turret, breakAway: 1.2, backlash: 1, endStops: 0...180, deadBand: 10,
    proportionalBand: 370, damping: 0.09, leastDrive: 0.006, longestDrive: 0.022, noise: 1.5,
    source: "data sheet: speed, torque, dead band; published: currents; fitted to measured steps: "
      + "time constant, proportional band; assumed: play, friction, noise, load")

  /// - Speed, torque, dead band: Tower Pro MG90S data sheet: 0.1 s/60 degrees and 1.8 kgf cm at
  ///   4.8 V, 5 us.
  /// - `timeConstant`, `proportionalBand`: so that it takes about as long for 45 and 90 degrees as
  ///   A. Joachimsmeyer measured (github.com/ArminJo/ServoEasing): docs/guide/servos.md.
  /// - Assumed: else the motor and the controller of the SG90, in gears of metal with less play.
  package static let mg90s = ServoPlantData(
    name: "mg90s", nominalVolts: 4.8, degreesPerSecond: 600, stallTorque: 0.177, stallAmperes: 0.65,
    runningAmperes: 0.1, idleAmperes: 0.006, bridgeVolts: 1.2, timeConstant: 0.03,
    loadInertia: turret, breakAway: 1.2, backlash: 0.6, endStops: 0...180, deadBand: 5,
    proportionalBand: 250, damping: 0.09, leastDrive: 0.003, longestDrive: 0.022, noise: 1,
    source: "data sheet: speed, torque, dead band; fitted to measured times: time constant, "
      + "proportional band; assumed: all else, as of the sg90")

  /// - Speed, torque: Tower Pro: 0.19 s/60 degrees and 9.4 kgf cm at 4.8 V, 0.15 s and 11 kgf cm at
  ///   6 V; these two speeds also say how much voltage the bridge and friction take. Dead band:
  ///   data sheet, 5 us.
  /// - `stallAmperes`: most sellers' 2.5 A at 6 V, which is 2 A at 4.8 V. Tower Pro says 1.4 A.
  /// - `runningAmperes`, `idleAmperes`: of the MG995, which has the same motor: 170 mA and 10 mA at
  ///   4.8 V.
  /// - `endStops`: Copies turn 180 degrees (howtomechatronics.com measured 0.6 to 2.3 ms for it);
  ///   the data sheet says 120.
  /// - Assumed: everything else. `timeConstant` is an estimate from a rotor of 8 g and 11 mm behind
  ///   gears of 272 : 1. No measured step of an MG996R was found.
  package static let mg996r = ServoPlantData(
    name: "mg996r", nominalVolts: 4.8, degreesPerSecond: 316, stallTorque: 0.922, stallAmperes: 2,
    runningAmperes: 0.17, idleAmperes: 0.01, bridgeVolts: 0.2, timeConstant: 0.05,
    loadInertia: turret, breakAway: 1.2, backlash: 0.5, endStops: 0...180, deadBand: 5,
    proportionalBand: 370, damping: 0.09, leastDrive: 0.004, longestDrive: 0.022, noise: 1,
    source: "data sheet: speed, torque, dead band; published: currents, range; assumed: time "
      + "constant, proportional band, play, friction, noise, load. No measured step was found")

  package static let presets = [sg90, mg90s, mg996r]
}

extension ServoPlantData {
  /// The preset of a name, which is also that of a `ServoData`; nil if there is none.
  package init?(_ name: String) {
    guard let preset = Self.presets.first(where: { $0.name == name }) else { return nil }
    self = preset
  }
}
