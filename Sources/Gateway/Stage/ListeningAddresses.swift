/// Where a server really listens: the port of one that asked for any is filled in.
package struct ListeningAddresses: Hashable, Sendable {
  package var webSocket: [Endpoint] = []
  package var tcp: [Endpoint] = []

  package init(webSocket: [Endpoint] = [], tcp: [Endpoint] = []) {
    self.webSocket = webSocket
    self.tcp = tcp
  }
}
