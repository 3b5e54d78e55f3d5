public import Aim
public import TurretLink

/// What the head-up display shows.
public struct Display: Hashable, Sendable {
  /// A rectangle to draw, in points of the preview, y down.
  public struct Outline: Hashable, Sendable {
    public var box: Box
    /// The target is drawn in red, the others in yellow.
    public var isTarget: Bool
    /// The label and the confidence of an object; nil for a face.
    public var caption: String?
  }

  /// The colour of the connection's light.
  public enum Light: Hashable, Sendable {
    /// The turret follows.
    case green
    /// It will follow soon, or when it is this client's turn.
    case yellow
    case red
  }

  public private(set) var title = "Sentry mode"
  /// Both angles, or why there is no target.
  public private(set) var detail = "No targets"
  public private(set) var outlines: [Outline] = []
  /// The landmarks of the faces, in points of the preview, y down.
  public private(set) var dots: [Point] = []
  /// The state of the connection; nil before the first.
  public internal(set) var status: TurretLink.Status?

  public init() {}

  public var light: Light {
    switch status?.connection {
    case .connected: status?.control == .elsewhere ? .yellow : .green
    case .connecting: .yellow
    case .disconnected, .asleep, .ended, nil: .red
    }
  }

  /// The state of the connection as a sentence.
  public var connection: String {
    switch status?.connection {
    case nil: "Enter the gateway's address in the settings."
    case .connecting: "Connecting"
    case .connected where status?.control == .elsewhere:
      "Connected. Another client controls the turret."
    case .connected: "Connected"
    case .disconnected(let reason): "Not connected: \(reason)"
    case .asleep: "Not connected: the app is in the background."
    case .ended: "Not connected"
    }
  }

  /// The gateway's last notice or error; nil if there is none, or if `connection` already says it.
  public var notice: String? {
    guard let notice = status?.notice, status?.control != .elsewhere else { return nil }
    return notice.description
  }

  mutating func show(_ sighting: Sighting, settings: SentrySettings, trouble: Trouble?) {
    if let angles = sighting.angles {
      title = "Shooting"
      detail = "X: \(angles.x) | Y: \(angles.y)"
    } else {
      title = "Sentry mode"
      detail =
        trouble?.description ?? sighting.gate.map { Self.sentence($0, settings) }
        ?? "No targets"
    }
    outlines = sighting.others.map { Outline($0, isTarget: false) }
    // The last is drawn over the others.
    if let target = sighting.target { outlines.append(Outline(target, isTarget: true)) }
    dots = []
    guard settings.mode == .face, settings.landmarks else { return }
    for mark in sighting.others + [sighting.target].compactMap({ $0 }) { dots += mark.dots }
  }

  mutating func fail(_ trouble: Trouble) {
    clear()
    detail = trouble.description
  }

  mutating func clear() {
    let status = status
    self = Display()
    self.status = status
  }

  private static func sentence(_ reading: Gate.Reading, _ settings: SentrySettings) -> String {
    guard let gate = settings.options.require, !gate.label.isEmpty else {
      return "Enter a label in the settings."
    }
    switch reading {
    case .noResult: return "The model returned no labels."
    case .absent: return "No \(gate.label)"
    case .below(let confidence), .open(let confidence):
      return "\(gate.label): \(percent(confidence)) of \(percent(gate.least))"
    }
  }
}

extension Display.Outline {
  init(_ mark: Mark, isTarget: Bool) {
    box = mark.box
    self.isTarget = isTarget
    caption = mark.observation.label.map { "\($0) \(percent(mark.observation.confidence))" }
  }
}

extension Mark {
  /// The landmarks in the view: points, y down. They are normalized to the box, y up.
  var dots: [Point] {
    observation.landmarks.sorted { $0.key < $1.key }.flatMap { $0.value }.map {
      Point(box.x + $0.x * box.width, box.y + (1 - $0.y) * box.height)
    }
  }
}

/// Whole percent, rounded down: 59.9 % is not yet the 60 % that are required.
func percent(_ share: Double) -> String {
  share.isFinite ? "\(Int(min(max(share, 0), 1) * 100)) %" : "?"
}
