package import Turret

/// What the clients of a `VisionServer` can take of it.
package struct VisionServerLimits: Hashable, Sendable {
  /// Connections at once; one more is closed.
  package var clientsMax = 16
  /// A client that has asked nothing for so long is closed.
  package var idleTime = Interval.seconds(300)

  package init() {}
}
