package import Networking

/// Uses the connection to a detector. All calls are made on its event loop.
package protocol DetectorOwner: AnyObject {
  /// The detector is ready or away. Each of several failures in a row is reported; the end after
  /// `stop()` is not.
  func changed(_ state: DetectorState)
  /// A detector that is ready has sent a message.
  func received(_ message: [UInt8], _ kind: MessageKind)
}
