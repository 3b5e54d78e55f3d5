package import Networking

/// Uses a sending loop. All calls are made on the loop's thread.
package protocol SendingOwner: SenderOwner, VisionServerOwner {
  /// Everything is set up.
  func begin(_ loop: SendingLoop)
  /// Readings are served in place of the robot vision phone at these addresses.
  func serves(at addresses: [Endpoint])
}
