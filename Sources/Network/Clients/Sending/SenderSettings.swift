package import Sketches

/// How the connection to a target is kept.
package struct SenderSettings: Hashable, Sendable {
  /// The timeout for connecting.
  package var connectTime = Interval.seconds(2)
  /// The timeout from the connection until the server has accepted it, including TLS and the
  /// opening handshake.
  package var answerTime = Interval.seconds(3)
  /// If nothing arrives from the server's computer, not even the kernel's acknowledgements, the
  /// connection is given up after about this time; on Linux also if the server reads nothing for
  /// that long.
  package var silenceTime = Interval.seconds(4)
  /// How long waiting commands can take to be sent after a stop, including the closing handshake.
  /// If there was no connection yet, `connectTime` and `answerTime` apply.
  package var stopTime = Interval.seconds(1)
  /// The wait between attempts: the first one, and the maximum after doubling.
  package var backOffFirst = Interval.milliseconds(250)
  package var backOffMost = Interval.seconds(8)
  /// A connection that was open this long resets the wait; nil if only what arrives on it does.
  package var goodTime: Interval? = .seconds(1)
  /// The kernel's buffer for commands on their way, in bytes (the kernel doubles it). By default it
  /// would hold minutes of them for a target that does not read. nil for the kernel's default.
  package var kernelBufferBytes: Int? = 4_096
  /// The maximum length of a message from the server, in bytes.
  package var messageBytesMax = 65_536

  /// Over bare TCP, whether bytes are passed on as they arrive, instead of line by line.
  package var passesBytes = false

  package init() {}

  /// For a detector: pictures are much longer than commands, and it is usually on this computer, so
  /// that attempts to connect cost little.
  package static var detector: SenderSettings {
    var settings = SenderSettings()
    settings.kernelBufferBytes = nil
    settings.backOffMost = .seconds(2)
    return settings
  }

  /// For the robot vision phone: its answers have no lines, and a connection on which it does not
  /// answer is not good, however long it lasts.
  package static var phone: SenderSettings {
    var settings = SenderSettings()
    settings.kernelBufferBytes = nil
    settings.goodTime = nil
    settings.passesBytes = true
    return settings
  }
}
