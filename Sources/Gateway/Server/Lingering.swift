import NIOCore

/// Ends a connection so that what was sent last arrives: its output is closed first, and it as a
/// whole when the other end has closed too, or has had the time to.
///
/// Closed at once, with bytes of the other end unread, the kernel would answer with a reset, and
/// that takes from the other end what it has not read yet.
///
/// A class, since closing can call back whoever owns this before `begin` returns.
final class Lingering {
  private var timer: Scheduled<Void>?

  var isOn: Bool { timer != nil }

  /// From now on what comes is to be thrown away.
  func begin(
    _ context: ChannelHandlerContext, in time: TimeAmount, cut: @escaping () -> Void
  ) {
    guard timer == nil else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time, cut)
    // The end of what comes is only noticed while reading.
    try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    context.close(mode: .output, promise: nil)
  }

  func end() { timer?.cancel() }
}
