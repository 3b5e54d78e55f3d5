/// How a client reaches the bench.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case webSocket = "websocket"
  case tcp
}
