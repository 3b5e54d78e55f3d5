package import Turret

/// What the bench waits for between two turns, in addition to the network.
package struct TurnPlan: Hashable, Sendable {
  /// When the next turn is due even if nothing happens; nil for never.
  package var deadline: HostTime?
  /// Descriptors that request a turn when they become readable.
  package var descriptors: [CInt]
  /// A descriptor that is read for the bench: a board's port. On this path every microsecond
  /// counts.
  package var stream: CInt?

  package init(deadline: HostTime?, descriptors: [CInt], stream: CInt?) {
    self.deadline = deadline
    self.descriptors = descriptors
    self.stream = stream
  }
}
