package import Logging
package import Networking
package import TurretProtocol

/// What a sending loop does.
package struct SendingPlan {
  /// The network target of the commands; nil for none.
  package var target: SenderTarget?
  /// Where the place of the robot vision phone is taken; nil for nowhere.
  package var serving: Endpoint?
  package var form = VisionForm.fields
  package var log: Logger
  /// The following are called on the loop's thread.
  package var onState: (SenderState) -> Void = { _ in }
  package var onMessage: (GatewayMessage) -> Void = { _ in }
  /// Called with a sentence for people when clients of the robot vision phone were refused.
  package var onRefusal: (String) -> Void = { _ in }
  /// Called when a client has told the robot vision phone to shut down.
  package var onShutdown: (SendingLoop) -> Void = { $0.stop() }
  /// Called at the end, with the newest command that may not have arrived; nil if none is missing.
  package var onEnd: (Command?) -> Void = { _ in }
  /// Called with the addresses that were actually bound.
  package var onServing: ([Endpoint]) -> Void = { _ in }

  package init(log: Logger) { self.log = log }
}
