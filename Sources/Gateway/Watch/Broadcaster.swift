package import NIOCore
package import Traces
import Turret

/// Tells the watchers what happens: lines of a trace, each a message.
///
/// A thousand watchers take some milliseconds to write to, which the client in control must not
/// wait for. So lines are gathered for a while, and written to a few watchers at a time, with
/// pauses in which the loop sees to the others.
package final class Broadcaster {
  /// Lines are gathered for so long after the last round began.
  private static let period = TimeAmount.milliseconds(25)
  /// So many are written to in one go: some 50 us.
  private static let watchersAtOnce = 12
  private static let pause = TimeAmount.microseconds(100)
  /// So much is gathered at most while a round is under way; beyond it lines are missed by all.
  private static let bytesMax = 1 << 18

  private struct Watcher {
    let client: any Client
    /// Lines that it was not sent, as it does not read.
    var missed = 0
  }

  /// What all are sent in one round.
  private struct Round {
    var frames: ByteBuffer
    var lines: Int
    /// The time of the first line.
    var time: Instant
    /// The last that were sent it have lower numbers than this.
    var next: Int
  }

  private let loop: any EventLoop
  private var watchers: [Watcher] = []
  private var header: [UInt8] = []
  private var frames = ByteBuffer()
  private var lines = 0
  /// The time of the first of them.
  private var time = Instant.zero
  /// Lines that nobody was sent, as there were too many.
  private var missedByAll = 0
  private var round: Round?
  private var lastRound: NIODeadline?
  private var isScheduled = false
  /// Lines that were not sent to watchers, each counted for each.
  package private(set) var missed = 0

  package init(on loop: any EventLoop) { self.loop = loop }

  package var count: Int { watchers.count }
  /// Whether anybody hears what is published.
  package var isHeard: Bool { !watchers.isEmpty }

  /// The trace's first line, for those who come. A watcher has not seen the start.
  package func begin(_ header: Header) {
    var header = header
    header.set(start: .unknown)
    self.header.appendLine(header)
    self.header.removeLast()
    for watcher in watchers { watcher.client.send(prepared: OutboundFrame.text(self.header)) }
  }

  package func add(_ client: any Client) {
    // First: one that turns out to be gone at the first word is removed again.
    watchers.append(Watcher(client: client))
    if !header.isEmpty { client.send(prepared: OutboundFrame.text(header)) }
  }

  package func remove(_ client: any Client) {
    guard let index = watchers.firstIndex(where: { $0.client.id == client.id }) else { return }
    watchers.remove(at: index)
    if let next = round?.next, index < next { round?.next -= 1 }
    if watchers.isEmpty {
      frames.clear()
      lines = 0
      missedByAll = 0
    }
  }

  /// Something has happened.
  package func publish(_ event: Event) {
    guard isHeard else { return }
    guard frames.readableBytes < Self.bytesMax else {
      missedByAll += 1
      return
    }
    var frame = Self.frame(event)
    frames.writeBuffer(&frame)
    if lines == 0 { time = event.time }
    lines += 1
    schedule()
  }

  private static func frame(_ event: Event) -> ByteBuffer {
    var line: [UInt8] = []
    line.appendLine(event)
    // A message needs no line feed.
    line.removeLast()
    return OutboundFrame.text(line)
  }

  // MARK: Rounds

  private func schedule() {
    guard !isScheduled, round == nil else { return }
    isScheduled = true
    let bound = NIOLoopBound(self, eventLoop: loop)
    // The bench's turn, which is under way, comes first in any case.
    let earliest = lastRound.map { $0 + Self.period } ?? loop.now
    loop.scheduleTask(deadline: max(earliest, loop.now + .microseconds(1))) {
      bound.value.isScheduled = false
      bound.value.begin()
    }
  }

  private func begin() {
    guard lines > 0, isHeard else { return }
    lastRound = loop.now
    if missedByAll > 0 {
      var note = Self.frame(Event(time, .other("\"x-missed\", \(missedByAll)")))
      frames.writeBuffer(&note)
      missed += missedByAll * watchers.count
    }
    round = Round(frames: frames, lines: lines + missedByAll, time: time, next: 0)
    frames = ByteBuffer()
    missedByAll = 0
    lines = 0
    goOn()
  }

  private func goOn() {
    guard var round else { return }
    let end = min(round.next + Self.watchersAtOnce, watchers.count)
    let part = (round.next..<end).compactMap { message(round, for: $0) }
    round.next = end
    self.round = round
    // Writing may find that one is gone, which removes it.
    for (client, frames) in part { client.send(prepared: frames) }
    guard let next = self.round?.next, next < watchers.count else {
      self.round = nil
      if lines > 0 { schedule() }
      return
    }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: Self.pause) { bound.value.goOn() }
  }

  /// What a watcher is sent; nil: it does not read, and misses this round.
  private func message(
    _ round: Round, for index: Int
  ) -> (client: any Client, frames: ByteBuffer)? {
    let client = watchers[index].client
    guard client.isWritable else {
      watchers[index].missed += round.lines
      missed += round.lines
      return nil
    }
    guard watchers[index].missed > 0 else { return (client, round.frames) }
    var frames = Self.frame(
      Event(round.time, .other("\"x-missed\", \(watchers[index].missed)")))
    watchers[index].missed = 0
    frames.writeImmutableBuffer(round.frames)
    return (client, frames)
  }
}
