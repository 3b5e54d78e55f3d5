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
}

extension Client {
  package var name: String? { nil }
  package var sendsPictures: Bool { false }
}

/// The name that a client gives itself as `?name=NAME`, for people who watch the session. It proves
/// nothing.
enum ClientName {
  /// In characters.
  private static let lengthMax = 32

  /// nil if there is none, if it is too long, or if it contains characters other than ASCII
  /// letters, digits, spaces and `-_.`.
  static func of(_ uri: String) -> String? {
    guard case .value(let name)? = RequestTarget(uri)?.item("name"),
      (1...lengthMax).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || " -_.".utf8.contains($0) })
    else { return nil }
    return name
  }
}

/// Counts the messages that a client misses because it does not read, and reports their number with
/// the next one.
struct MissedMessages: Hashable, Sendable {
  private var count = 0

  /// The messages to send to the client now, in order.
  mutating func pass(_ message: ClientMessage, isWritable: Bool) -> [ClientMessage] {
    guard isWritable else {
      count += 1
      return []
    }
    defer { count = 0 }
    return count > 0 ? [.missed(count), message] : [message]
  }
}
