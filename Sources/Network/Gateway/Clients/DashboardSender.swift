package import NIOCore
package import Sketches
package import Traces

/// Sends messages to dashboards. Used only on the event loop.
///
/// The client in control must not wait for many dashboards, so a few are written to at a time. A
/// dashboard that does not read gets only the newest message when it reads again.
package final class DashboardSender {
  /// How many dashboards are written to without a pause, as for watchers.
  private static let dashboardsAtOnce = 12
  private static let pause = TimeAmount.microseconds(100)
  /// A dashboard receives at least one message in this time.
  private static let heartbeat = TimeAmount.milliseconds(900)

  private struct Dashboard {
    let client: any Client
    /// The number of the message that it shows; nil before the first.
    var shown: Int?
  }

  private var loop: (any EventLoop)?
  private var dashboards: [Dashboard] = []
  private var message: DashboardMessage?
  /// The number of the message.
  private var number = 0
  /// What has changed since the message before it.
  private var change = ByteBuffer()
  /// The whole message; nil until a dashboard needs it.
  private var snapshot: ByteBuffer?
  private var lastSent = NIODeadline.uptimeNanoseconds(0)
  /// The index of the next dashboard to write to; nil if all have been.
  private var next: Int?
  /// The messages that dashboards missed because they do not read, counted for each dashboard.
  package private(set) var missed = 0

  package init(on loop: (any EventLoop)? = nil) { self.loop = loop }

  /// Runs on a loop from now on. Must be called before a dashboard joins.
  package func run(on loop: any EventLoop) { self.loop = loop }

  package var count: Int { dashboards.count }
  package var isWatched: Bool { !dashboards.isEmpty }

  func has(_ client: any Client) -> Bool { dashboards.contains { $0.client.id == client.id } }

  /// Whether a dashboard will receive the whole of the next message: a new one, or one that did not
  /// read.
  package var needsHistory: Bool { dashboards.contains { $0.shown != number } }

  package func add(_ client: any Client) { dashboards.append(Dashboard(client: client)) }

  /// Returns whether it was one of them.
  @discardableResult
  package func remove(_ client: any Client) -> Bool {
    guard let index = dashboards.firstIndex(where: { $0.client.id == client.id }) else {
      return false
    }
    dashboards.remove(at: index)
    if let next, index < next { self.next = next - 1 }
    return true
  }

  /// Sends everything to each dashboard with the next message.
  package func startOver() { for index in dashboards.indices { dashboards[index].shown = nil } }

  package func show(_ message: DashboardMessage) {
    guard isWatched, let loop else { return }
    let text = self.message.flatMap { message.change(since: $0) }
    let isDue = loop.now - lastSent >= Self.heartbeat
    guard text != nil || isDue || dashboards.contains(where: { $0.shown == nil }) else { return }
    self.message = message
    lastSent = loop.now
    number += 1
    change = OutboundFrame.text(text ?? message.heartbeat)
    snapshot = nil
    // A round that has not ended begins again: what it has not written is out of date.
    let isBusy = next != nil
    next = 0
    if !isBusy { goOn() }
  }

  private func goOn() {
    guard let first = next, let loop else { return }
    let end = min(first + Self.dashboardsAtOnce, dashboards.count)
    let part = (first..<end).compactMap { message(for: $0) }
    next = end < dashboards.count ? end : nil
    // Writing can reveal that a dashboard is gone, which removes it.
    for (client, message) in part { client.send(prepared: message) }
    guard next != nil else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: Self.pause) { bound.value.goOn() }
  }

  /// The text for a dashboard; nil if it shows the newest message or does not read, or if it joined
  /// after that message was made.
  private func message(for index: Int) -> (client: any Client, message: ByteBuffer)? {
    guard let message, dashboards[index].shown != number else { return nil }
    let client = dashboards[index].client
    guard client.isWritable else {
      missed += 1
      return nil
    }
    if dashboards[index].shown == number - 1 {
      dashboards[index].shown = number
      return (client, change)
    }
    guard let whole = snapshot ?? message.snapshot.map({ OutboundFrame.text($0) }) else {
      return nil
    }
    snapshot = whole
    dashboards[index].shown = number
    return (client, whole)
  }
}

/// What dashboards show at an instant: the members of a JSON object.
///
/// A dashboard first receives all of them, and from then on those that have changed.
package struct DashboardMessage: Hashable, Sendable {
  /// The session's time.
  package var time: Instant
  package var members: [JSONValue.Member]
  /// A member that is sent only to a dashboard that receives everything; nil if there is none at
  /// present.
  package var history: JSONValue?
  /// A member that has another value where everything is sent; nil for none.
  package var whole: JSONValue.Member?

  package init(
    time: Instant, members: [JSONValue.Member], history: JSONValue? = nil,
    whole: JSONValue.Member? = nil
  ) {
    self.time = time
    self.members = members
    self.history = history
    self.whole = whole
  }

  /// Everything; nil without the history.
  package var snapshot: [UInt8]? {
    history.map { history in
      text(
        members.map { $0.key == whole?.key ? whole ?? $0 : $0 } + [.init("history", history)])
    }
  }

  /// Returns what has changed since an earlier message; nil if only the time has.
  package func change(since old: DashboardMessage) -> [UInt8]? {
    let changed = members.filter { member in old[member.key] != member.value }
    return changed.isEmpty ? nil : text(changed)
  }

  /// The time alone, which shows that the bench is running.
  package var heartbeat: [UInt8] { text([]) }

  private subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  private func text(_ members: [JSONValue.Member]) -> [UInt8] {
    var text: [UInt8] = []
    JSONValue.object([.init("time", .seconds(time))] + members).append(to: &text)
    return text
  }
}
