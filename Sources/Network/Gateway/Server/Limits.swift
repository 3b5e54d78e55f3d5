package import Sketches

/// How much of the bench's resources one client, and all of them together, can use.
package struct Limits: Hashable, Sendable {
  /// Simultaneous connections, including watchers.
  package var clientsMax = 64
  /// Bytes of one message, over all its fragments.
  package var messageBytesMax = 65_536
  /// Bytes of a binary message of a client that sends pictures, over all its fragments. More than a
  /// picture can have, so that a picture that is too large still gets an answer.
  package var pictureMessageBytesMax = 1_000_000
  /// Messages a second from one client, which can save up the unused ones of one second. nil for no
  /// limit.
  package var messagesPerSecondMax: Int? = 10_000
  /// Bytes waiting for a client that does not read. Above this, the client is closed.
  package var outboundBytesMax = 262_144
  /// Bytes of a request before its upgrade.
  package var requestBytesMax = 16_384
  /// The time from the connection, including the TLS handshake, until the request is complete.
  package var requestTime = Interval.seconds(5)
  /// A client from which nothing has arrived for this long is closed; an answer to a ping counts.
  /// nil for no limit.
  package var idleTime: Interval? = .seconds(300)
  /// How often a ping is sent. A client that has not answered any for `pongTime` counts as gone.
  package var pingPeriod = Interval.milliseconds(500)
  package var pongTime = Interval.seconds(2)
  /// The timeout for a closing handshake.
  package var closeTime = Interval.seconds(1)
  /// The slowest connection over which a page can still be received, in bytes a second.
  package var pageBytesPerSecondMin = 32_768

  package init() {}

  /// How long a client can take to receive this many bytes, and to close.
  func time(toSend count: Int) -> Interval {
    closeTime + .milliseconds(Int64(count) * 1_000 / Int64(max(pageBytesPerSecondMin, 1)))
  }
}
