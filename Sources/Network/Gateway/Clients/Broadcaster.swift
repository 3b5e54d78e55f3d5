package import NIOCore
import Sketches
package import Traces

/// Sends the session's events to the watchers: lines of a trace, one per message.
///
/// Writing to a thousand watchers takes some milliseconds, for which the client in control must not
/// wait. So lines are collected for a while and written to a few watchers at a time, with pauses in
/// which the loop handles the others.
package final class Broadcaster {
  /// Lines are collected for this long after the start of the last round.
  private static let period = TimeAmount.milliseconds(25)
  /// How many watchers are written to without a pause; this takes about 50 us.
  private static let watchersAtOnce = 12
  private static let pause = TimeAmount.microseconds(100)
  /// The most bytes that are collected during a round. All watchers miss the lines beyond this.
  private static let bytesMax = 1 << 18

  private struct Watcher {
    let client: any Client
    /// The lines that it missed because it does not read.
    var missed = 0
  }

  /// The text sent to all watchers in one round.
  private struct Round {
    var frames: ByteBuffer
    var lines: Int
    /// The time of the first line.
    var time: Instant
    /// The index of the next watcher to write to in this round.
    var next: Int
  }

  /// nil until the first watcher can join.
  private var loop: (any EventLoop)?
  private var watchers: [Watcher] = []
  private var header: [UInt8] = []
  private var frames = ByteBuffer()
  private var lines = 0
  /// The time of the first of them.
  private var time = Instant.zero
  /// The lines that all watchers missed because there were too many.
  private var missedByAll = 0
  private var round: Round?
  private var lastRound: NIODeadline?
  private var isScheduled = false
  /// The lines that watchers missed, counted for each watcher.
  package private(set) var missed = 0

  package init(on loop: (any EventLoop)? = nil) { self.loop = loop }

  /// Runs on a loop from now on. Must be called before a watcher joins.
  package func run(on loop: any EventLoop) { self.loop = loop }

  package var count: Int { watchers.count }
  package var isHeard: Bool { !watchers.isEmpty }

  /// Sends the trace's header to the watchers, and keeps it for new ones. The start is unknown in
  /// it, because a new watcher has not seen the start.
  package func begin(_ header: Header) {
    var header = header
    header.set(start: .unknown)
    self.header.appendLine(header)
    self.header.removeLast()
    for watcher in watchers { watcher.client.send(prepared: OutboundFrame.text(self.header)) }
  }

  package func add(_ client: any Client) {
    // Added first, because a client whose first write fails is removed again.
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
    // A message does not require a line feed.
    line.removeLast()
    return OutboundFrame.text(line)
  }

  // MARK: Rounds

  private func schedule() {
    guard !isScheduled, round == nil, let loop else { return }
    isScheduled = true
    let bound = NIOLoopBound(self, eventLoop: loop)
    // The bench's present turn takes precedence.
    let earliest = lastRound.map { $0 + Self.period } ?? loop.now
    loop.scheduleTask(deadline: max(earliest, loop.now + .microseconds(1))) {
      bound.value.isScheduled = false
      bound.value.begin()
    }
  }

  private func begin() {
    guard lines > 0, isHeard else { return }
    lastRound = loop?.now
    if missedByAll > 0 {
      var note = Self.frame(Event(time, .missed(missedByAll)))
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
    guard var round, let loop else { return }
    let end = min(round.next + Self.watchersAtOnce, watchers.count)
    let part = (round.next..<end).compactMap { message(round, for: $0) }
    round.next = end
    self.round = round
    // Writing can reveal that a watcher is gone, which removes it.
    for (client, frames) in part { client.send(prepared: frames) }
    guard let next = self.round?.next, next < watchers.count else {
      self.round = nil
      if lines > 0 { schedule() }
      return
    }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: Self.pause) { bound.value.goOn() }
  }

  /// The text for a watcher; nil if it does not read and misses this round.
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
    var frames = Self.frame(Event(round.time, .missed(watchers[index].missed)))
    watchers[index].missed = 0
    frames.writeImmutableBuffer(round.frames)
    return (client, frames)
  }
}
