/// How a client is connected to the bench.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case webSocket = "websocket"
  case tcp
}
