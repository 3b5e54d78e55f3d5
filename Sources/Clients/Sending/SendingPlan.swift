package import Logging
package import Networking
package import TurretProtocol

/// What a sending loop does.
package struct SendingPlan {
  /// The network target of the commands; nil for none.
  package var target: SenderTarget?
  /// Where readings are served in place of the robot vision phone; nil for nowhere.
  package var serving: Endpoint?
  package var form = VisionForm.fields
  package var log: Logger

  package init(log: Logger) { self.log = log }
}
