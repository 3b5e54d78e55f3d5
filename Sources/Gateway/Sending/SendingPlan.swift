package import Logging

/// What a sending stage is to do.
package struct SendingPlan {
  /// Where commands go on the network; nil: nowhere.
  package var target: SenderTarget?
  /// Where the robot vision phone is played; nil: it is not.
  package var serving: Endpoint?
  package var form = VisionForm.fields
  package var log: Logger
  /// These are called on the stage's thread.
  package var onState: (SenderState) -> Void = { _ in }
  package var onNotice: (SenderNotice) -> Void = { _ in }
  /// With a sentence for people: clients of the robot vision phone were refused.
  package var onRefusal: (String) -> Void = { _ in }
  /// The robot vision phone was told to shut down.
  package var onShutdown: (SendingStage) -> Void = { $0.stop() }
  /// At the end, with the newest command that may not have arrived; nil: none is missing.
  package var onEnd: ([UInt8]?) -> Void = { _ in }
  /// With the addresses that are really bound.
  package var onServing: ([Endpoint]) -> Void = { _ in }

  package init(log: Logger) { self.log = log }
}
