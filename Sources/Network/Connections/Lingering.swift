package import NIOCore

/// Ends a connection in such a way that the last data sent arrives: the output is closed first, and
/// the whole connection when the other end has closed it, too, or has had enough time.
///
/// If it were closed at once while data from the other end is unread, the kernel would send a
/// reset, and the other end would lose the data that it has not yet read.
///
/// A class, because closing can call back into the owner before `begin` returns.
package final class Lingering {
  private var timer: Scheduled<Void>?

  package init() {}

  package var isOn: Bool { timer != nil }

  /// From now on, received data must be discarded.
  package func begin(
    _ context: ChannelHandlerContext, in time: TimeAmount, cut: @escaping () -> Void
  ) {
    guard timer == nil else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time, cut)
    // The end of the input is only noticed while reading.
    try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    context.close(mode: .output, promise: nil)
  }

  package func end() { timer?.cancel() }
}
