package import Networking

/// Uses a sending loop. All calls are made on the loop's thread.
package protocol SendingOwner: SenderOwner, VisionServerOwner {
  /// Everything is set up.
  func begin(_ loop: SendingLoop)
  /// The place of the robot vision phone was taken at these addresses.
  func serves(at addresses: [Endpoint])
}
