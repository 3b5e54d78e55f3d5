import Devices
import Sketches
import States
import TestSupport
import Testing
import Traces

/// A device that was saved and restored continues as if nothing had happened.
@Suite struct StateTests {
  @Test(arguments: Firmware.allCases, [false, true])
  func `A replay split at a saved state equals an uninterrupted one`(
    _ firmware: Firmware, _ showsPulses: Bool
  ) throws {
    for seed in UInt64(1)...40 {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: showsPulses, &generator)
      let whole = try session.whole
      for instant in session.instants(of: whole, &generator) {
        let (first, state) = try session.events(until: instant)
        let rest = try session.events(from: state)
        guard first + rest != whole else { continue }
        let pair = zip(first + rest, whole).first { $0 != $1 }
        Issue.record(
          "\(firmware), seed \(seed), \(instant): \(String(describing: pair))")
        return
      }
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Saving a restored device gives the same text`(_ firmware: Firmware) throws {
    for seed in UInt64(1)...15 {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: false, &generator)
      for instant in session.instants(of: try session.whole, &generator) {
        let text = try session.events(until: instant).state
        let file = try StateFile(text: text, path: "state")
        let device = try file.restore(as: Model.self, showsPulses: false)
        #expect(
          try StateFile(device, firmware, baud: file.baud, at: file.time).text == text,
          "seed \(seed)")
      }
    }
  }

  @Test func `A state includes bytes on the line, in the ring and on their way out`() throws {
    let session = StateSession(
      .guarded, [Event](script: "1500 ?X45. | 1506 ?XL"), end: .zero + .seconds(3))
    let (_, state) = try session.events(until: .zero + .microseconds(1_508_000))
    let text = String(decoding: state, as: UTF8.self)
    #expect(text.contains(#""bytes": "?XL", "sent": 1"#))
    let file = try StateFile(text: state, path: "state")
    let device = try file.restore(as: Model.self, showsPulses: false)
    #expect(device.onTheWayCount == 2)
  }

  @Test func `A state in the published format can always be read`() throws {
    // If this fails because a name has changed, the version of the format must be increased.
    let file = try StateFile(text: Array(Self.written.utf8), path: "state")
    #expect(file.firmware == .guarded && file.time == .zero + .milliseconds(1_509))
    let device = try file.restore(as: Model.self, showsPulses: false)
    #expect(device.activity == .readingNumber(45))
    #expect(
      try String(
        decoding: StateFile(device, .guarded, baud: 9_600, at: file.time).text, as: UTF8.self)
        == Self.written)
  }

  static let written = #"""
    {"format": "sentry-state", "version": 2, "device": "model", "firmware": "guarded", \#
    "baud": 9600, "time": 1.509, "state": {"line": {"sender": {"baud": 9600, "queue": [], \#
    "bytes": "5.?", "sent": 1, "sendingBaud": 9600, "clock": {"instant": 1508841666, \#
    "remainder": 6400, "whole": 1041666, "part": 6400, "baud": 9600}}, "receiver": {"baud": \#
    9600, "frames": [], "listening": 0}}, "boards": {"guarded": {"_0": {"sketch": \#
    {"timing": {"firstWrite": 200000, "startUp": 200000, "byteRead": 3200, "purgeRead": 0, \#
    "angleWrite": 62800, "pulseWrite": 0, "angleRead": 0, "bottomTurn": 0, "step": \#
    15000000, "stepWrite": 62800, "scanExit": 0, "toneSetUp": 10000, "aimToneSetUp": 0, \#
    "toneLength": 160000000, "firstPulse": 20150000, "pulsePeriod": 20003000}, \#
    "pulseTrain": {"first": 20150000, "period": 20003000}, "start": 0, "sketch": \#
    {"reading": {"number": {"value": 45, "digits": 2, "since": 1502086}}, "sweep": {"next": \#
    92, "isRising": true}, "nextStep": 1512086, "isSounding": true, "toneEnd": 1661044, \#
    "announcesNext": true, "reportsWrites": true, "accepted": 2, "refused": 0, "lost": 0, \#
    "droppedLines": 0, "degrees": 91}, "state": {"polling": {}}, "clock": 1508844866, \#
    "speech": {"lines": [], "said": 0}, "transmitter": {"ring": "", "clock": {"instant": 1508607133, "remainder": 3200, \#
    "whole": 1041666, "part": 6400, "baud": 9600}}, "stored": 1482, "reported": 1482, \#
    "hertz": 800}, "ring": "", "baud": 9600, "sketchStart": 0}}}}}

    """#

  @Test(arguments: [
    (#""next": 92, "isRising": true"#, #""next": 161, "isRising": true"#),
    // The angle would fall below zero.
    (#""next": 92, "isRising": true"#, #""next": 19, "isRising": false"#),
    (#""degrees": 91"#, #""degrees": 181"#), (#""stored": 1482"#, #""stored": 543"#),
    (#""step": 15000000"#, #""step": 0"#), (#""clock": 1508844866"#, #""clock": null"#),
    (#""sendingBaud": 9600"#, #""sendingBaud": 0"#), (#""start": 0"#, #""start": 2000000000"#),
    // Something is due before the state's time.
    (#""nextStep": 1512086"#, #""nextStep": 1508000"#),
  ])
  func `A state that no device can have is refused`(_ old: String, _ new: String) throws {
    let damaged = Self.written.replacing(old, with: new)
    #expect(damaged != Self.written)
    let file = try StateFile(text: Array(damaged.utf8), path: "state")
    #expect(throws: TraceError.self) { try file.restore(as: Model.self, showsPulses: false) }
  }

  @Test(arguments: Firmware.allCases)
  func `A damaged state is refused or runs`(_ firmware: Firmware) throws {
    var (refused, ran) = (0, 0)
    for seed in UInt64(1)...30 {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: false, &generator)
      let instant = try #require(
        session.instants(of: try session.whole, &generator).randomElement(using: &generator))
      let state = try session.events(until: instant).state
      for _ in 0..<40 {
        let damaged = StateSession<ModelSource>.damaged(state, &generator)
        if try runs(damaged) { ran += 1 } else { refused += 1 }
      }
    }
    #expect(refused > 300 && ran > 100, "\(refused) refused, \(ran) ran")
  }

  @Test(arguments: Firmware.allCases)
  func `A state with any number in place of one of its own is refused or runs`(
    _ firmware: Firmware
  ) throws {
    var (refused, ran) = (0, 0)
    for seed in UInt64(1)...6 {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: false, &generator)
      let instant = try #require(
        session.instants(of: try session.whole, &generator).randomElement(using: &generator))
      let state = try session.events(until: instant).state
      for changed in try JSONValue.contents(of: state, path: "state").withOtherNumbers(&generator) {
        if try runs(Array(changed.text.utf8)) { ran += 1 } else { refused += 1 }
      }
    }
    #expect(refused > 300 && ran > 30, "\(refused) refused, \(ran) ran")
  }

  /// Returns false if the state is refused. In whatever state a device is, it must handle any input.
  private func runs(_ state: [UInt8]) throws -> Bool {
    var device: Model
    var now: Instant
    do throws(TraceError) {
      let file = try StateFile(text: state, path: "state")
      device = try file.restore(as: Model.self, showsPulses: true)
      now = file.time
    } catch {
      return false
    }
    var recorder = Recorder()
    for text in ["", "X45.", "L?V", "X1", "T\u{FF}"] {
      device.send(Array(text.utf8), at: now)
      now += .milliseconds(300)
      device.advance(to: now, into: &recorder)
    }
    device.setSenderBaud(4_800)
    device.reset(at: now, deadTime: .milliseconds(10), into: &recorder)
    device.advance(to: now + .seconds(2), into: &recorder)
    for seen in recorder.outputs {
      guard case .servo(let degrees, _, _) = seen.output else { continue }
      #expect(degrees <= 180, "\(String(decoding: state, as: UTF8.self))")
    }
    return true
  }
}
