package import Turret

/// How much of a `VisionServer` its clients can use.
package struct VisionServerLimits: Hashable, Sendable {
  /// Simultaneous connections; further ones are closed.
  package var clientsMax = 16
  /// A client that has sent no request for this long is closed.
  package var idleTime = Interval.seconds(300)

  package init() {}
}
