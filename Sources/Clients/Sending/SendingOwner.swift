import Networking

/// Receives the events of a connection to a target. All calls are made on its event loop.
protocol SendingOwner: AnyObject {
  /// The target has accepted the connection.
  func opened(_ link: SendingHandler)
  func received(_ message: [UInt8], _ kind: MessageKind, from link: SendingHandler)
  /// The socket accepts more again.
  func hasRoom(_ link: SendingHandler)
  /// The connection has ended, for this reason. Called once.
  func ended(_ link: SendingHandler, _ why: String)
}
