import AVR
import ChipDevice
import Foundation
import Sketches
import TestSupport
import Testing
import Traces

@testable import Devices

/// Tests the calibration on models with known timing and on the prebuilt sketches.
struct CalibrationTests {
  /// The fields that the model of a firmware does not use, or that cannot be observed.
  private static func unmeasured(_ firmware: Firmware) -> Set<String> {
    let sketch = firmware.sketch
    if sketch.polls {
      return [
        "byteRead", "purgeRead", "pulseWrite", "angleRead", "bottomTurn", "step", "scanExit",
        "aimToneSetUp", "toneLength",
      ]
    }
    var fields: Set<String> = []
    if !sketch.purgesAtUnknown { fields.insert("purgeRead") }
    if sketch.numberCheck != .none { fields.insert("pulseWrite") }
    if sketch.toneLetters.isEmpty { fields.formUnion(["toneSetUp", "toneLength"]) }
    if !sketch.announcesAim { fields.insert("aimToneSetUp") }
    return fields
  }

  /// Another build of that sketch: each measurable figure is changed by up to a third.
  private static func build(_ firmware: Firmware, seed: UInt64) throws -> Timing {
    var timing = firmware.sketch.timing
    guard seed > 0 else { return timing }
    var generator = SeededGenerator(seed: seed)
    for field in Timing.Field.allCases
    where !unmeasured(firmware).contains(field.rawValue) {
      let change = Int64.random(in: -33...33, using: &generator)
      timing[field].nanoseconds += timing[field].nanoseconds / 100 * change
    }
    if firmware == .guarded { timing.startUp = timing.firstWrite }
    return timing
  }

  @Test(arguments: Firmware.allCases, UInt64(0)...4)
  func `A model's timing is measured correctly`(_ firmware: Firmware, _ seed: UInt64) throws {
    let timing = try Self.build(firmware, seed: seed)
    let found = try Calibration(of: ModelSource(timing: timing, of: firmware), name: "a", rounds: 8)
    #expect(found.firmware == firmware)
    for figure in found.figures {
      let field = try #require(Timing.Field(rawValue: figure.name))
      #expect(found.timing[field] == figure.value)
      let isMeasured = !Self.unmeasured(firmware).contains(figure.name)
      #expect((figure.samples != nil) == isMeasured, "\(figure.name)")
      // A drift adds up. Other outputs are stamped in whole microseconds.
      let isDrift = figure.name == "step" || figure.name == "pulsePeriod"
      let limit = isDrift ? Interval.nanoseconds(10) : .microseconds(1)
      let error = figure.value - timing[field]
      #expect(error.magnitude <= limit, "\(figure.name), seed \(seed): \(error.nanoseconds) ns off")
    }
  }

  @Test func `A sketch without a pause at its start can be measured`() throws {
    var timing = ClassicSketch.measuredTiming
    timing.startUp = timing.firstWrite
    let source = ModelSource(timing: timing, of: .classic)
    let found = try Calibration(of: source, name: "a", rounds: 4)
    #expect((found.timing.startUp - timing.startUp).magnitude <= .microseconds(1))
  }

  @Test func `Calibrating the wrong sketch is refused with a message`() throws {
    let source = ModelSource(timing: ClassicSketch.measuredTiming, of: .classic)
    for wrong in [Firmware.buzzer, .guarded] {
      do throws(DeviceError) {
        _ = try Calibration(of: source, firmware: wrong, name: "a", rounds: 2)
        Issue.record("a classic sketch was measured as \(wrong)")
      } catch {
        #expect(error.code == .unavailable)
        #expect(error.description.contains("from a \(wrong.rawValue) sketch"), "\(error)")
      }
    }
  }

  @Test func `The built-in timing of guarded is that of the prebuilt sketch`() throws {
    let found = try Calibration(of: Self.prebuilt("guarded"), name: "guarded", rounds: 32)
    #expect(found.firmware == .guarded)
    for figure in found.figures {
      let error = figure.value - figure.builtIn
      #expect(error.magnitude <= .microseconds(5), "\(figure.name): \(error.nanoseconds) ns off")
    }
    #expect(found.timing.pulsePeriod == .milliseconds(20))
  }

  @Test(arguments: [Firmware.classic, .guarded])
  func `A model with a build's timing behaves like that build`(_ firmware: Firmware) throws {
    let source = try Self.prebuilt(firmware.rawValue)
    let timing = try Calibration(of: source, name: "a", rounds: 1).timing
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let wanted = Self.writes(
      of: source.makeDevice(for: header, firmware: firmware, showsPulses: false))
    let found = Self.writes(
      of: Model(firmware, timing: timing, for: header, showsPulses: false))
    #expect(wanted.map(\.output) == found.map(\.output))
    #expect(wanted.count > 300)
    for (wanted, found) in zip(wanted, found) {
      let error = found.time - wanted.time
      #expect(error.magnitude <= .microseconds(60), "\(wanted): \(error.nanoseconds) ns off")
    }
  }

  /// A board's writes to its servo: aims that wait, a sweep of more than a cycle, aims during it.
  private static func writes(of device: some Device) -> [TimedOutput] {
    var device = device
    var recorder = Recorder()
    for index in 1...10 { device.send(Array("X\(index * 7).".utf8), at: .zero + .milliseconds(10)) }
    device.send(Array("L".utf8), at: .zero + .milliseconds(1_500))
    device.send(Array("X17.X175.L".utf8), at: .zero + .milliseconds(6_503))
    device.advance(to: .zero + .milliseconds(8_007), into: &recorder)
    return recorder.outputs.filter { $0.output.kind == .servo }
  }

  private static func prebuilt(_ name: String) throws -> AVRSource {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../firmware/\(name)/\(name).hex")
    let image = try ProgramImage(contents: Array(Data(contentsOf: url)), name: name)
    return AVRSource(AVRProgram(image, name: name))
  }

  /// The model of one firmware, regardless of the requested one.
  private struct ModelSource: DeviceSource {
    var timing: Timing?
    var of: Firmware

    var name: String { "model" }
    func observes(_ firmware: Firmware) -> Set<Output.Kind> { Set(Output.Kind.allCases) }
    func makeDevice(
      for header: Header, firmware: Firmware, showsPulses: Bool
    ) -> Model {
      Model(of, timing: timing, for: header, showsPulses: showsPulses)
    }
  }
}
