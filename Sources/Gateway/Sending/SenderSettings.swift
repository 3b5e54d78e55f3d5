package import Turret

/// How a target of commands is kept.
package struct SenderSettings: Hashable, Sendable {
  /// How long connecting may take.
  package var connectTime = Interval.seconds(2)
  /// From the connection until the server has taken it: TLS and the opening handshake.
  package var answerTime = Interval.seconds(3)
  /// A server from whose computer nothing comes any more, not even the kernel's acknowledgements, is given
  /// up after about so long; on Linux, also one that reads nothing for so long.
  package var silenceTime = Interval.seconds(4)
  /// What waits when it is stopped has so long to be sent, the closing handshake included; where there was no
  /// connection yet, `connectTime` and `answerTime`.
  package var stopTime = Interval.seconds(1)
  /// Between attempts: the first wait, and the longest that doubling it comes to.
  package var backOffFirst = Interval.milliseconds(250)
  package var backOffMost = Interval.seconds(8)
  /// A connection that lasted so long was a good one: the waits begin anew.
  package var goodTime = Interval.seconds(1)
  /// Bytes of one message from the server.
  package var messageBytesMax = 65_536

  package init() {}
}
