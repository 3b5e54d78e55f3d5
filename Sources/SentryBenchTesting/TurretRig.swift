import Aim
import Devices
import Engine
import Judging
import SentryBenchModels
import Sessions
import Sketches

/// A turret that follows a face, as a closed loop in virtual time: faces that move, a camera, a
/// board, a servo with mass and its supply. The same scene always gives the same session.
///
///     @Test func `The tracker follows`() throws {
///       let figures = try TurretRig("visitor.yaml").follow { picture in
///         picture.faces.first.map { "X\(Int(60 + 60 * $0.middle))." }
///       }
///       #expect(figures.brokenRules.isEmpty && figures["error_95"] ?? 180 < 5)
///     }
public struct TurretRig: Sendable {
  /// A face as a detector found it, in shares of the picture's width and height, with the origin at
  /// the lower left.
  public struct Face: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    /// The place of its middle from left to right, 0...1.
    public var middle: Double { x + width / 2 }
  }

  /// What was found in a picture, when the tracking program gets it.
  public struct Picture: Hashable, Sendable {
    /// Since the session's start.
    public var time: Duration
    public var faces: [Face]
  }

  /// How well the turret followed the face.
  public struct Figures: Sendable {
    /// The figures of `sentrybench rig --json`, by their names. One that the session does not have
    /// is missing.
    public let values: [String: Double]
    /// The rules of the scene's file that are broken, with what happened.
    public let brokenRules: [String]

    public subscript(name: String) -> Double? { values[name] }
  }

  private let run: RigRun

  /// - Parameters:
  ///   - path: the file with the scene.
  ///   - settings: other values than those in the file: `["camera.delay": "120ms"]`.
  ///   - device: what runs the sketch.
  public init(_ path: String, settings: [String: String] = [:], device: Device = .model) {
    var run = RigRun(path) { named in
      if let named {
        throw TurretError(
          "\(path): a rig in a test has no device of its own, found \(named); pass it to TurretRig")
      }
      let source = try device.source()
      return DeviceChoice(source, firmware: nil, name: source.name)
    }
    run.settings = settings.sorted { $0.key < $1.key }.map { (path: $0.key, value: $0.value) }
    self.run = run
  }

  /// Lets the bench's own aim track, with the options in the file.
  ///
  /// - Throws: `TurretError` if the scene makes no sense, or the device failed.
  public func follow() throws -> Figures { try figures(of: .aim) }

  /// Lets a function track: it gets each picture, and returns the bytes to send, nil for none.
  ///
  /// - Throws: `TurretError` if the scene makes no sense, or the device failed; and what `track`
  ///   throws.
  public func follow(
    _ track: @escaping @Sendable (Picture) throws -> String?
  ) throws -> Figures {
    try figures(
      of: .function { frame in
        let faces = frame.found.compactMap { found in
          found.box.map { Face(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
        }
        let picture = Picture(time: .nanoseconds(Int64(frame.time * 1e9)), faces: faces)
        return try track(picture).map { try [UInt8](bytesOf: $0) } ?? []
      })
  }

  private func figures(of tracker: RigTracker) throws -> Figures {
    var run = run
    run.tracker = tracker
    let outcome = try TurretError.ofBench { try run.outcome() }
    return Figures(values: outcome.values, brokenRules: outcome.failures)
  }
}
