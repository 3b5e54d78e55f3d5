/// What arrives from a session's client.
enum APIArrival: Hashable, Sendable {
  /// A line from another program.
  case line(APILines.Line)
  /// A request from this program.
  case request(APIRequest.ID, APIRequest)
  /// The client has left, or standard input has ended.
  case left
}
