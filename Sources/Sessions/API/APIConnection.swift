import SystemPackage

/// The connection between a session and its client.
protocol APIConnection: AnyObject {
  /// The path at which programs find it; nil if there is none.
  var path: String? { get }
  /// Whether the session ends when the client has left.
  var endsWithInput: Bool { get }
  /// The bytes of messages that the client has not read.
  var backlog: Int { get }
  /// Readable when there is something to look at.
  var descriptors: [FileDescriptor] { get }
  /// Takes what has arrived.
  func look() -> [APIArrival]
  /// Queues a message for the client. Without a client it is lost.
  func put(_ message: APIMessage)
  /// Writes as much as the client takes now.
  func flush()
  /// Disconnects a client that has left.
  func drop()
  /// Writes the rest and disconnects.
  func finish()
}
