/// Receives the reports of the server that takes the place of the robot vision phone. All calls are
/// made on its event loop.
package protocol VisionServerOwner: AnyObject {
  /// Clients were closed because they sent neither `VISION` nor `SHUTDOWN`. `sentence` is the
  /// message for people. Called at most once a second.
  func refused(_ sentence: String)
  /// A client has ended the server. Called once.
  func shutDown()
}
