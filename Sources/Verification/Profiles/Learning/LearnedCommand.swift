import Devices
import Turret

/// A command of a session, as a sketch took it.
struct LearnedCommand<D: Device>: Sendable {
  let bytes: [UInt8]
  /// The board before it.
  let trial: SketchTrial<D>
  /// What the command did; the same as silence if nothing followed.
  let effect: TrialEffect

  /// Whether it moved or switched something.
  var moves: Bool { effect.moves != trial.silence.moves }
  /// Whether anything observable followed.
  var isSeen: Bool { effect != trial.silence }
}
