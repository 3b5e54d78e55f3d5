/// The addresses on which a server actually listens; a port of 0 has been replaced by the one
/// chosen.
package struct ListeningAddresses: Hashable, Sendable {
  package var webSocket: [Endpoint] = []
  package var tcp: [Endpoint] = []

  package init(webSocket: [Endpoint] = [], tcp: [Endpoint] = []) {
    self.webSocket = webSocket
    self.tcp = tcp
  }
}
