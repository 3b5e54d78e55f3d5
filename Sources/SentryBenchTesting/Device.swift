import Devices
import Engine
import Platform
public import SentryBenchModels
import Sessions
import Sketches
import Traces

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
    return try TurretError.ofBench { try ChipPrograms(path).read(watching: Set(pins)) }
  }
}

extension VirtualTurret {
  /// Creates a turret that is switched on at time 0.
  ///
  /// The parameters are those of `Turret.run`. `patience` is in virtual time.
  ///
  /// - Throws: `TurretError` if such a turret is not possible.
  public convenience init(
    _ firmware: SentryBenchModels.Firmware? = nil, device: Device = .model, profile: String? = nil,
    baud: Int? = nil, pulses: Bool = false, faults: [String] = [], seed: UInt64? = nil,
    patience: Duration = .seconds(5)
  ) throws {
    let stated = try StatedSession(
      firmware, profile: profile, baud: baud, pulses: pulses, faults: faults, seed: seed)
    try self.init(stated, on: try device.source(), patience: patience, open: openTrace)
  }
}

/// Opens a trace that a rule names.
func openTrace(_ path: String) throws(TraceError) -> TraceReader { try TraceReader(path: path) }

extension StatedSession {
  /// Throws `TurretError` if there is no such profile or fault.
  init(
    _ firmware: SentryBenchModels.Firmware?, profile: String?, baud: Int?, pulses: Bool,
    faults: [String],
    seed: UInt64?
  ) throws {
    try self.init(firmware, baud: baud, pulses: pulses, faults: faults, seed: seed)
    self.profile = try TurretError.ofBench { try profile.map { try ProfileChoice($0) } }
  }
}

extension TurretError {
  /// Returns the result of `body`. The errors of the bench become this one.
  static func ofBench<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try translating(body)
    } catch let failure as Failure {
      throw TurretError(failure.message)
    }
  }
}
