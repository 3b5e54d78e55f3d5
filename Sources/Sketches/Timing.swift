/// The durations of the steps of one build of a sketch. Another build can supply its own.
///
/// Measured on an ATmega328P at 16 MHz: Arduino core 1.8.7, Servo library, avr-gcc 5.4 -Os, unless
/// a figure's comment states otherwise. "Stored" is the moment a new pulse is in the servo
/// library's table.
package struct Timing: Hashable, Sendable, Codable {
  /// From reset to storing the first servo write (90 degrees).
  package var firstWrite = Interval.zero
  /// From reset to the first look at the receive ring.
  package var startUp = Interval.zero
  /// Taking one waiting byte from the ring.
  package var byteRead = Interval.zero
  /// Discarding one waiting byte.
  package var purgeRead = Interval.zero
  /// From taking the end of a number to storing the angle: mostly one 32-bit division.
  package var angleWrite = Interval.zero
  /// The same for a value that the servo library takes as microseconds, without a division.
  package var pulseWrite = Interval.zero
  /// From taking `L` to the first look at the ring: mostly reading the angle back from the servo
  /// library, another 32-bit division.
  package var angleRead = Interval.zero
  /// How much longer the step at the bottom of a scan takes, because the angle is read back there.
  package var bottomTurn = Interval.zero
  /// One step of a scan, from stored to stored.
  package var step = Interval.zero
  /// From the look at the ring before a step to storing the step. In `guarded`, from the instant at
  /// which a step or a silence is due to the moment it is done.
  package var stepWrite = Interval.zero
  /// From the look that ends a scan to taking the byte.
  package var scanExit = Interval.zero
  /// From taking `T`, `O` or `C` to the sound: `tone()` sets up Timer 2.
  package var toneSetUp = Interval.zero
  /// From taking the first `X` to the 900 Hz sound.
  package var aimToneSetUp = Interval.zero
  package var toneLength = Interval.zero
  /// From reset to the first rising edge on the servo's pin.
  package var firstPulse = Interval.zero
  /// From one rising edge to the next.
  package var pulsePeriod = Interval.zero

  /// Creates a timing in which no step takes time.
  package init() {}

  /// Why no sketch can have this timing, as a sentence about the fields; nil if one can.
  ///
  /// The lower limits are far below the times of any of these sketches. They limit the work per
  /// second.
  package var problem: String? {
    let longest = Interval.seconds(60)
    for field in Field.allCases where self[field] < .zero || self[field] > longest {
      return "expected \(field.rawValue) to be from 0 to 60 seconds"
    }
    if startUp < firstWrite { return "expected startUp not to be before firstWrite" }
    if firstPulse <= firstWrite { return "expected firstPulse to be after firstWrite" }
    if step < stepWrite { return "expected step not to be shorter than stepWrite" }
    if step < .microseconds(100) { return "expected step to be at least 100 microseconds" }
    if pulsePeriod < .milliseconds(1) { return "expected pulsePeriod to be at least a millisecond" }
    return nil
  }

  package subscript(field: Field) -> Interval {
    get {
      switch field {
      case .firstWrite: firstWrite
      case .startUp: startUp
      case .byteRead: byteRead
      case .purgeRead: purgeRead
      case .angleWrite: angleWrite
      case .pulseWrite: pulseWrite
      case .angleRead: angleRead
      case .bottomTurn: bottomTurn
      case .step: step
      case .stepWrite: stepWrite
      case .scanExit: scanExit
      case .toneSetUp: toneSetUp
      case .aimToneSetUp: aimToneSetUp
      case .toneLength: toneLength
      case .firstPulse: firstPulse
      case .pulsePeriod: pulsePeriod
      }
    }
    set {
      switch field {
      case .firstWrite: firstWrite = newValue
      case .startUp: startUp = newValue
      case .byteRead: byteRead = newValue
      case .purgeRead: purgeRead = newValue
      case .angleWrite: angleWrite = newValue
      case .pulseWrite: pulseWrite = newValue
      case .angleRead: angleRead = newValue
      case .bottomTurn: bottomTurn = newValue
      case .step: step = newValue
      case .stepWrite: stepWrite = newValue
      case .scanExit: scanExit = newValue
      case .toneSetUp: toneSetUp = newValue
      case .aimToneSetUp: aimToneSetUp = newValue
      case .toneLength: toneLength = newValue
      case .firstPulse: firstPulse = newValue
      case .pulsePeriod: pulsePeriod = newValue
      }
    }
  }
}

extension Timing {
  /// All fields in order. The raw values are their names in a timing file.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case firstWrite, startUp, byteRead, purgeRead, angleWrite, pulseWrite, angleRead,
      bottomTurn, step, stepWrite, scanExit, toneSetUp, aimToneSetUp, toneLength, firstPulse,
      pulsePeriod
  }
}
