/// Receives what the server in place of the robot vision phone reports. All calls are made on its
/// event loop.
package protocol VisionServerOwner: AnyObject {
  /// Clients were closed because they sent something else, as a sentence for people. At most once a
  /// second.
  func refused(_ sentence: String)
  /// A client has ended the server. Called once.
  func shutDown()
}
