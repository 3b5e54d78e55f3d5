public import Aim
import Foundation

/// What the app aims at.
public enum Mode: String, Hashable, Sendable, CaseIterable, Codable {
  /// The largest face, found by Vision.
  case face
  /// Straight ahead, while a Core ML classifier is confident that it sees a label.
  case label
  /// The largest box of a Core ML detector.
  case object

  public var title: String {
    switch self {
    case .face: "Largest face"
    case .label: "Label"
    case .object: "Object"
    }
  }

  /// Whether the mode requires a Core ML model.
  public var needsModel: Bool { self != .face }

  /// The part of the picture that the detector sees. A classifier gets the square at the centre. A
  /// detector gets all of it, scaled to the model's shape, so that nothing at the edge is missed.
  public var crop: Crop { self == .label ? .square : .none }
}

/// What a detector looks for.
public struct Detection: Hashable, Sendable {
  public var mode: Mode
  public var landmarks: Bool
}

/// The camera in use.
public enum CameraSide: String, Hashable, Sendable, CaseIterable, Codable {
  case back, front

  public var title: String { self == .back ? "Back" : "Front" }
}

/// The user's settings, except the gateway's address.
public struct SentrySettings: Hashable, Sendable, Codable {
  public var mode = Mode.face
  public var side = CameraSide.back
  /// Turns the turret the other way, for one that is mounted the other way round.
  public var reversed = false
  /// Draws the outlines of eyes, nose and lips.
  public var landmarks = true
  /// The label of the modes `label` and `object`. Empty means any object, and no label.
  public var label = ""
  /// The minimum confidence of the modes `label` and `object`, 0...1.
  public var confidence = 0.4
  /// Of two boxes with the same label that overlap by more than this, the less confident is
  /// ignored; intersection over union, 0...1.
  public var overlap = 0.6

  public init() {}

  /// What `saved` returned earlier. Settings that this version cannot read are those of the first
  /// start.
  public init(saved: String) {
    let read = try? JSONDecoder().decode(Self.self, from: Data(saved.utf8))
    self = read ?? Self()
  }

  /// The settings as text, to be kept until the next start.
  public var saved: String {
    // JSON has no infinity and no NaN.
    guard confidence.isFinite, overlap.isFinite, let data = try? JSONEncoder().encode(self) else {
      return ""
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The options of the chain from observations to commands. Numbers that are out of range are
  /// replaced by the nearest that are not, so that the app always aims.
  public var options: AimOptions {
    var options = AimOptions()
    options.mirror = reversed
    // The preview fills the screen, and its sides are cut off.
    options.gravity = .aspectFill
    let name = trimmed(label)
    switch mode {
    case .face: options.stick = 1.2
    case .label: options.require = Gate(label: name, least: share(confidence, or: 0.4))
    case .object:
      options.stick = 1.2
      options.minConfidence = share(confidence, or: 0.4)
      options.maxOverlap = share(overlap, or: 0.6)
      options.label = name.isEmpty ? nil : name
    }
    return options
  }

  /// What the detector must do. If this changes, the detector is set up again.
  public var detection: Detection { Detection(mode: mode, landmarks: landmarks) }

  public var confidenceText: String { "Confidence at least \(percent(confidence))" }
  public var overlapText: String { "Overlap at most \(percent(overlap))" }

  private func share(_ value: Double, or usual: Double) -> Double {
    value.isNaN ? usual : min(max(value, 0), 1)
  }
}

/// Removes spaces and line ends from both ends: keyboards and copied text add them.
func trimmed(_ text: String) -> String {
  var rest = text[...]
  while rest.first?.isWhitespace == true { rest.removeFirst() }
  while rest.last?.isWhitespace == true { rest.removeLast() }
  return String(rest)
}
