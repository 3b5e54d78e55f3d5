import SystemPackage

/// The connection between a session and its client.
protocol APIConnection: AnyObject {
  /// The path through which other programs connect; nil if there is none.
  var path: String? { get }
  /// Whether the session ends when the client has left.
  var endsWithInput: Bool { get }
  /// The bytes of messages that the client has not read.
  var backlog: Int { get }
  /// One of them becomes readable when `look` has something to return.
  var descriptors: [FileDescriptor] { get }
  /// Returns what has arrived since the last call.
  func look() -> [APIArrival]
  /// Queues a message for the client. Without a client, the message is discarded.
  func put(_ message: APIMessage)
  /// Writes as much as the client accepts now.
  func flush()
  /// Disconnects a client that has left.
  func drop()
  /// Writes the rest and disconnects.
  func finish()
}
