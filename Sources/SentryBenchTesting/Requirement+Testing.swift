import Turret
import Verification

extension Requirement {
  /// Throws `TurretError` if such an output, time or command is not possible.
  static func reaching(
    _ output: Output, within: Duration?, of command: String?, before: Duration?
  ) throws(TurretError) -> Requirement {
    var reach = Reach(try output.checked())
    if let within { reach.within = try Interval(within) }
    if let before { reach.before = try Instant(before) }
    if let command {
      guard let pattern = TextPattern(command) else {
        throw TurretError("expected a command of bytes, U+0000 to U+00FF")
      }
      reach.command = pattern
    }
    return .reaches(reach)
  }

  /// Throws `TurretError` if there are no outputs, or one that is not possible here.
  static func exactly(_ outputs: [Output]) throws(TurretError) -> Requirement {
    guard !outputs.isEmpty else { throw TurretError("expected at least one output") }
    var targets: [Target] = []
    for output in outputs {
      let target = try output.checked()
      if case .shaft = target {
        throw TurretError("a shaft moves all the time, so it cannot be in \"exactly\"")
      }
      if case .pin(let pin) = target, !pin.isLevel {
        throw TurretError("only the level of a pin can be in \"exactly\"")
      }
      targets.append(target)
    }
    return .exactly(targets)
  }
}
