package import NIOCore

/// A client on the network, as the bench sees it. Used on its event loop only.
package protocol Client: AnyObject {
  var id: ClientID { get }
  var transport: Transport { get }
  /// The other end, `ADDRESS:PORT`, for people.
  var address: String { get }
  /// Whether what is sent goes out soon. Where it does not, the client does not read.
  var isWritable: Bool { get }
  /// Whether what it sends is read; where not, the network holds it.
  var isReading: Bool { get set }

  /// Sends one message; over TCP, its bytes. What is sent while it is not writable is held for it, up
  /// to its limit, so ask first.
  func send(_ bytes: [UInt8], as kind: MessageKind)
  /// Sends whole frames that `OutboundFrame.text` has prepared, once for many clients; over TCP, any bytes.
  func send(prepared frames: ByteBuffer)
  /// Says why and closes. `left` follows, in a later turn of the loop; nothing is received any more.
  func close(_ reason: Closing)
}
