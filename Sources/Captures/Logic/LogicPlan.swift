import Traces

/// How a recording is converted: which channel is which line, and how each of them is received.
struct LogicPlan {
  struct Line: Hashable, Sendable {
    var bit: Int
    var baud: Int
    var isInverted: Bool
    /// A shorter pulse is a glitch, in nanoseconds.
    var glitchMax: Int64
  }

  var rx: Line?
  var tx: Line?
  var servo: Int?
  /// The time between two samples, in nanoseconds, rounded up; 1 if it is not known.
  var grain: Int64
  let trace: CaptureTrace

  /// The channels that are used.
  var mask: UInt64 {
    [rx?.bit, tx?.bit, servo].reduce(0) { mask, bit in bit.map { mask | 1 << UInt64($0) } ?? mask }
  }

  init(
    _ roles: LogicRoles, _ examined: LogicExamination, _ options: CaptureOptions
  ) {
    trace = CaptureTrace(options: options)
    let channels = examined.channels
    grain = examined.sampleRate.map { (1_000_000_000 + $0 - 1) / $0 } ?? 1
    rx = roles.rx.map {
      Self.line(channels[$0], $0, options.senderBaud ?? options.baud, options, .rx)
    }
    tx = roles.tx.map { Self.line(channels[$0], $0, options.baud, options, .tx) }
    servo = roles.servo
  }

  private static func line(
    _ channel: ChannelExamination, _ bit: Int, _ baud: Int, _ options: CaptureOptions,
    _ inversion: CaptureOptions.Inversion
  ) -> Line {
    let isInverted = isInverted(channel, options, inversion)
    let bits = max(Double(baud), channel.speed?.baud ?? 0)
    return Line(
      bit: bit, baud: baud, isInverted: isInverted, glitchMax: Int64(0.3 * 1e9 / bits))
  }

  /// Returns whether a line is inverted, by the option or else by its level at rest.
  static func isInverted(
    _ channel: ChannelExamination, _ options: CaptureOptions, _ line: CaptureOptions.Inversion
  ) -> Bool {
    if let inversion = options.inversion, inversion == line || inversion == .both { return true }
    return channel.isInverted
  }
}
