import Devices
import Engine
import Sessions
import Sketches
import Testing

/// The device that replaces the turret's board.
public struct Device: Sendable {
  private enum Kind {
    case model
    case chip(path: String, pins: [String])
  }

  private let kind: Kind

  /// A model of the sketch. This is the default.
  public static let model = Device(kind: .model)

  /// An emulated ATmega328P that runs your own build of a sketch.
  ///
  /// - Parameters:
  ///   - path: the path of an .elf or .hex file, for example `build/turret.elf`.
  ///   - pins: the pins whose levels the session records from its start on, such as `D7`. Those
  ///     that the profile names are recorded in any case, and others from the first rule about
  ///     them on.
  public static func chip(_ path: String, pins: [String] = []) -> Device {
    Device(kind: .chip(path: path, pins: pins))
  }

  /// Throws `TurretError` if the file cannot be read as a program, or if there is no such pin.
  func source() throws -> any DeviceSource {
    guard case .chip(let path, let names) = kind else { return ModelSource() }
    let pins = names.compactMap { BoardPin(name: $0) }.filter { $0.arduino != nil }
    guard pins.count == names.count else {
      throw TurretError("expected pins such as D7 or A0, found \(names.joined(separator: ", "))")
    }
    return try TurretError.translating { try ChipPrograms(path).read(watching: Set(pins)) }
  }
}

/// The sketch that runs on the turret's board.
public struct Firmware: RawRepresentable, Hashable, Sendable, CaseIterable,
  CustomStringConvertible
{
  /// Reads its port with `Serial.parseInt`, which waits for the end of a number.
  public static let classic = Firmware(.classic)
  /// Like `classic`, with a buzzer.
  public static let buzzer = Firmware(.buzzer)
  /// Reads one byte at a time, and drops a command that is broken off.
  public static let guarded = Firmware(.guarded)

  /// Every sketch that the bench models.
  public static var allCases: [Firmware] { HostedPlan.Sketch.allCases.map { Firmware($0) } }

  let sketch: HostedPlan.Sketch

  private init(_ sketch: HostedPlan.Sketch) { self.sketch = sketch }

  /// Creates the sketch with a name, such as `guarded`; nil if the bench does not model it.
  public init?(rawValue: String) {
    guard let sketch = HostedPlan.Sketch(rawValue: rawValue) else { return nil }
    self.sketch = sketch
  }

  /// The sketch's name, as in the header of a trace.
  public var rawValue: String { sketch.rawValue }
  public var description: String { rawValue }
}

extension HostedPlan {
  /// Throws `TurretError` if such a session is not possible.
  init(
    _ firmware: Firmware?, _ device: Device, profile: String?, baud: Int?, pulses: Bool,
    faults: [String], seed: UInt64?
  ) throws {
    let source = try device.source()
    var stated = StatedSession()
    stated.title = Test.current.map { $0.displayName ?? $0.name }
    stated.firmware = firmware?.sketch
    stated.profile = try TurretError.translating { try profile.map { try ProfileChoice($0) } }
    stated.baud = baud
    stated.showsPulses = pulses
    stated.seed = seed
    for fault in faults {
      do throws(SpecError) {
        try stated.faults.add(FaultSpec.parse(fault))
      } catch {
        throw TurretError("\(fault): \(error.description)")
      }
    }
    self.init(stated, on: source)
    let baud = session.baud
    let bauds = SerialLine.bauds
    guard bauds.contains(baud) else {
      throw TurretError(
        "expected a speed from \(bauds.lowerBound) to \(bauds.upperBound) baud, found \(baud)")
    }
  }
}
