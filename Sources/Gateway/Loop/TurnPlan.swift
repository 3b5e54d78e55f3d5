package import Devices

/// What the bench waits for between two turns, beside the network.
package struct TurnPlan: Hashable, Sendable {
  /// When the next turn is due though nothing happens; nil: never.
  package var deadline: HostTime?
  /// Descriptors that ask for a turn when they are readable.
  package var descriptors: [CInt]
  /// A descriptor that is read for the bench: a board's port. It is the way on which every microsecond
  /// counts.
  package var stream: CInt?

  package init(deadline: HostTime?, descriptors: [CInt], stream: CInt?) {
    self.deadline = deadline
    self.descriptors = descriptors
    self.stream = stream
  }
}
