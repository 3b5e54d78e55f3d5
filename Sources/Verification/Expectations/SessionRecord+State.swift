package import Turret

// The state of the session so far.
extension SessionRecord {
  /// When silence breaks off a command or ends a line from the board; nil if nothing is open.
  package var silenceDeadline: Instant? {
    [splitter.deadline, replies.deadline].compactMap { $0 }.min()
  }

  /// What the sketch does, in the model; nil if that is unknown.
  package var activity: Activity? {
    setup.profile == nil ? activities.doing(at: complete)?.period.activity : nil
  }

  /// Whether the sketch is sweeping, in the model.
  package var isSweeping: Bool { isSweeping(at: complete) }

  func isSweeping(at instant: Instant) -> Bool {
    setup.profile == nil
      && activities.isSweeping(at: instant, polls: setup.firmware.sketch.polls)
  }

  /// The angle of the modelled shaft, in degrees.
  package var shaftDegrees: Double { own.shaft.degrees(at: complete) }
}
