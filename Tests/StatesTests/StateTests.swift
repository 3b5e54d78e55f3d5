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
        let device = try ModelSource().restore(file, showsPulses: false)
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
    #expect(text.contains(#""bytes", 3, 63, 88, 76, "sent", 1"#))
    let file = try StateFile(text: state, path: "state")
    let device = try ModelSource().restore(file, showsPulses: false)
    #expect(device.onTheWayCount == 2)
  }

  @Test func `A state whose text has changed is refused, and one of another version`() throws {
    let session = StateSession(.guarded, [], end: .zero + .seconds(1))
    let state = try session.events(until: .zero + .milliseconds(300)).state
    let text = String(decoding: state, as: UTF8.self)
    for (old, new, message) in [
      ("\"hertz\", 0", "\"hertz\", 1", "the file is damaged, or another build has written it"),
      ("\"version\": 4", "\"version\": 2", "save the state again with this version"),
      ("\"checksum\"", "\"sum\"", "the file is damaged"),
    ] {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      #expect {
        _ = try StateFile(text: Array(changed.utf8), path: "state")
      } throws: { "\($0)".contains(message) }
    }
  }

  /// Somebody has rewritten them, and their checksums.
  @Test(arguments: Firmware.allCases)
  func `A state with other numbers is refused or runs`(_ firmware: Firmware) throws {
    var (refused, ran) = (0, 0)
    for seed in Seeds.first(20) {
      var generator = SeededGenerator(seed: seed)
      let session = StateSession(firmware, showsPulses: false, &generator)
      let instant = try #require(
        session.instants(of: try session.whole, &generator).randomElement(using: &generator))
      let list = try RewrittenState.list(of: session.events(until: instant).state)
      for _ in 0..<50 {
        if runs(RewrittenState.text(of: list, &generator)) { ran += 1 } else { refused += 1 }
      }
    }
    #expect(refused > 300 && ran > 50, "\(refused) refused, \(ran) ran")
  }

  /// Returns false if the state is refused. In whatever state a device is, it must handle any input.
  private func runs(_ state: [UInt8]) -> Bool {
    var device: Model
    var now: Instant
    do throws(TraceError) {
      let file = try StateFile(text: state, path: "state")
      device = try ModelSource().restore(file, showsPulses: true)
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
    return true
  }
}
