/// Receives what a sender of commands reports. All calls are made on its event loop.
package protocol SenderOwner: AnyObject {
  /// The connection has changed. The end after `stop()` is not reported.
  func changed(_ state: SenderState)
  /// The gateway has sent a message.
  func received(_ message: GatewayMessage)
}
