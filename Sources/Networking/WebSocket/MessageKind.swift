/// The two kinds of WebSocket messages (RFC 6455, 5.6).
package enum MessageKind: Hashable, Sendable {
  /// UTF-8.
  case text
  case binary
}
