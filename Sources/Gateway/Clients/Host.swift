/// What the server brings its clients to. All calls come on the event loop.
package protocol Host: AnyObject {
  /// A client that may send commands.
  func joined(_ client: any Client)
  /// A message from it; over TCP, some bytes.
  func received(_ bytes: [UInt8], as kind: MessageKind, from client: any Client)
  /// All that had come has been handed over.
  func receivedAll()
  func left(_ client: any Client, _ departure: Departure)

  /// A client of `/events`: it hears what happens and is not heard.
  func watcherJoined(_ watcher: any Client)
  func watcherLeft(_ watcher: any Client, _ departure: Departure)

  /// A request or a client was refused, with this HTTP status.
  func refused(_ status: Int)
  /// For `/health`: a JSON object, and whether all is well.
  func health() -> (json: String, isWell: Bool)
  /// For `/metrics`: Prometheus' text format.
  func metrics() -> String
}
