package import Engine
package import NIOCore
package import Sketches

/// A client on the network, as the bench sees it. Used only on its event loop.
package protocol Client: AnyObject {
  var id: ClientID { get }
  var transport: Transport { get }
  /// The other end, `ADDRESS:PORT`, for people.
  var address: String { get }
  /// The name that it gives itself; nil if it gives none.
  var name: String? { get }
  /// Whether its binary messages are pictures for a detector, and not commands.
  var sendsPictures: Bool { get }
  /// Whether sent data leaves soon. If not, the client does not read.
  var isWritable: Bool { get }
  /// Whether the client's data is read. If not, it waits in the network.
  var isReading: Bool { get set }

  /// Sends one message; over TCP, its bytes. While the client is not writable, sent data is
  /// buffered up to its limit, so check that first.
  func send(_ bytes: [UInt8], as kind: MessageKind)
  /// Sends complete frames that `OutboundFrame.text` prepared once for many clients; over TCP, any
  /// bytes.
  func send(prepared frames: ByteBuffer)
  /// Sends the reason and closes the connection. `left` follows in a later turn of the loop.
  /// Nothing more is received.
  func close(_ reason: Closing)
}

extension Client {
  package var name: String? { nil }
  package var sendsPictures: Bool { false }
}
