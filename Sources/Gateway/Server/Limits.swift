package import Turret

/// What one client, and all of them together, can take of the bench.
package struct Limits: Hashable, Sendable {
  /// Connections at once, watchers too.
  package var clientsMax = 64
  /// Bytes of one message, over all of its fragments.
  package var messageBytesMax = 65_536
  /// Messages a second from one client; it may save up one second's. nil: no limit.
  package var messagesPerSecondMax: Int? = 10_000
  /// Bytes on their way to a client that does not read; over it, the client is closed.
  package var outboundBytesMax = 262_144
  /// Bytes of a request before its upgrade.
  package var requestBytesMax = 16_384
  /// From the connection (with TLS, its handshake too) until the request is whole.
  package var requestTime = Interval.seconds(5)
  /// A client from which nothing has come for so long is closed; an answered ping is something. nil: no limit.
  package var idleTime: Interval? = .seconds(300)
  /// A ping is sent so often, and a client that has answered none for `pongTime` is gone.
  package var pingPeriod = Interval.milliseconds(500)
  package var pongTime = Interval.seconds(2)
  /// How long a closing handshake may take.
  package var closeTime = Interval.seconds(1)

  package init() {}
}
