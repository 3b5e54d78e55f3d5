import Engine
import Judging
import Sessions
import Sketches
public import Testing

// What a test expects of its turret.
extension Turret {
  /// Waits until the turret does something, in time. Expectations are met in the order in which
  /// they are stated: each searches from the match of the previous one onwards.
  ///
  /// - Parameters:
  ///   - within: how long it can take, from the first byte of `command`; without a command, from
  ///     the last byte that was sent before.
  ///   - command: the next such command that the sender sends. `*` stands for any text.
  ///   - before: the output must come earlier than this in the session.
  /// - Returns: when it happened, since the session's start; nil if it failed.
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  @discardableResult public func expect(
    _ output: Output, within: Duration? = nil, of command: String? = nil,
    before: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration? {
    try await state(
      .reaching(output, within: within, of: command, before: before), sourceLocation)
  }

  /// Waits until the turret does these things in this order, and nothing of their kinds between
  /// them.
  ///
  /// - Returns: when the last of them happened, since the session's start; nil if it failed.
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  @discardableResult public func expect(
    exactly outputs: Output..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration? {
    try await state(.exactly(outputs), sourceLocation)
  }

  /// States a rule about the session as a whole.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func expect(
    _ rule: SessionRule, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    _ = try await state(try rule.requirement(), sourceLocation)
  }

  /// States that none of these has happened, and that none happens until the end.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func never(
    _ mishaps: Mishap..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await expect(.never(mishaps), sourceLocation: sourceLocation)
  }

  /// States that a pin never does this: always, or while the sketch does something. `output` is
  /// `.pin`, `.pinPulse` or `.duty`.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func never(
    _ output: Output, while activity: SketchActivity? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await expect(.never(output, while: activity), sourceLocation: sourceLocation)
  }

  private func state(
    _ requirement: Requirement, _ location: SourceLocation
  ) async throws -> Duration? {
    let rule = verdicts.rule(requirement, at: location)
    return verdicts.take(try await ask(.expect(rule, patience: patience)))
  }
}
