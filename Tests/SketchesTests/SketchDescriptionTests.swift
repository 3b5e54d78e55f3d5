import Sketches
import Testing

/// A sketch's description is what other code relies on, so it must agree with the sketch's model.
@Suite struct SketchDescriptionTests {
  /// A model that has started, and is idle.
  private static func idle(_ firmware: Firmware) -> Model {
    var model = Model(firmware, baud: 9_600, showsPulses: false)
    var recorder = Recorder()
    model.advance(to: .zero + .seconds(2), into: &recorder)
    return model
  }

  /// Sends bytes to an idle sketch. Returns its outputs, the fates of the bytes and what it is
  /// doing.
  private static func play(
    _ text: [UInt8], on firmware: Firmware, for length: Interval
  ) -> (outputs: [Output], fates: [Fate], activity: Activity?) {
    var model = idle(firmware)
    var recorder = Recorder(ledger: Ledger())
    let now = Instant.zero + .seconds(2)
    model.send(text, at: now)
    model.advance(to: now + length, into: &recorder)
    let fates = (recorder.ledger ?? Ledger()).entries.map(\.fate)
    return (recorder.outputs.map(\.output), fates, model.activity)
  }

  @Test(arguments: Firmware.allCases)
  func `An idle sketch takes exactly the described bytes as commands`(_ firmware: Firmware) {
    let sketch = firmware.sketch
    for byte in UInt8.min...UInt8.max {
      let (_, fates, activity) = Self.play([byte], on: firmware, for: .milliseconds(3))
      let isCommand = sketch.beginsNumber(byte) || sketch.letter(byte) != nil
      #expect(fates == [isCommand ? .letter : .junk], "byte \(byte)")
      // Buzzer sounds its tone before it reads a number's digits.
      let reads = activity?.isReadingNumber == true
      #expect(reads == sketch.beginsNumber(byte), "byte \(byte)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Letters do what their description says`(_ firmware: Firmware) {
    for (byte, letter) in firmware.sketch.letters {
      let (outputs, _, activity) = Self.play([byte], on: firmware, for: .milliseconds(60))
      switch letter {
      case .scan: #expect(activity?.isScanning == true)
      case .tone(let hertz): #expect(outputs.first == .tone(hertz: Double(hertz)))
      case .status: #expect(outputs.contains { $0.kind == .transmit })
      case .telemetry:
        let (outputs, _, _) = Self.play([byte] + Array("X10.".utf8), on: firmware, for: .seconds(1))
        #expect(outputs.contains { $0.kind == .transmit })
      }
    }
  }

  @Test(arguments: Firmware.allCases)
  func `A scan stays within the described angles and reaches both ends`(_ firmware: Firmware) {
    let (outputs, _, _) = Self.play(Array("L".utf8), on: firmware, for: .seconds(5))
    let angles = outputs.compactMap { output in
      if case .servo(let degrees, _, _) = output { degrees } else { nil }
    }
    #expect(angles.min() == firmware.sketch.scan.lowerBound)
    #expect(angles.max() == firmware.sketch.scan.upperBound)
  }

  @Test(arguments: Firmware.allCases)
  func `A number over 180 is treated as described`(_ firmware: Firmware) {
    let (outputs, fates, _) = Self.play(Array("X200.".utf8), on: firmware, for: .seconds(1))
    let isAimed = outputs.contains { $0.kind == .servo }
    switch firmware.sketch.numberCheck {
    case .refuses: #expect(!isAimed && fates.last == .abandoned)
    case .ignoresOver180: #expect(!isAimed && fates.last == .terminator)
    case .none: #expect(isAimed)
    }
  }

  @Test(arguments: Firmware.allCases)
  func `The first aim sounds a tone only if described`(_ firmware: Firmware) {
    let (outputs, _, _) = Self.play(Array("X10.".utf8), on: firmware, for: .seconds(1))
    #expect(outputs.contains { $0.kind == .tone } == firmware.sketch.announcesAim)
  }

  @Test(arguments: Firmware.allCases)
  func `An unknown byte discards what waits only if described`(_ firmware: Firmware) {
    // The two bytes after the junk arrive while a number is being written.
    var model = Self.idle(firmware)
    var recorder = Recorder(ledger: Ledger())
    let now = Instant.zero + .seconds(2)
    model.send(Array("L".utf8), at: now)
    model.advance(to: now + .milliseconds(20), into: &recorder)
    model.send(Array("!ZX".utf8), at: now + .milliseconds(20))
    model.advance(to: now + .milliseconds(300), into: &recorder)
    let fates = (recorder.ledger ?? Ledger()).entries.map(\.fate)
    #expect(fates.contains(.purged) == firmware.sketch.purgesAtUnknown)
  }
}
