/// An Arduino Uno that runs a sketch: the receive ring, reset and bootloader, and the servo's pin.
package struct Board<S: Sketch>: Hashable, Sendable, Savable {
  /// A saved board leaves out whether pulses are reported: that belongs to the session.
  private enum CodingKeys: SavedKey {
    case sketch, ring, baud, sketchStart
  }

  package private(set) var sketch: S
  package private(set) var ring = RingBuffer()
  private let baud: Int
  /// When the bootloader starts the sketch. Bytes that arrive earlier are lost to the bootloader.
  private var sketchStart: Instant
  /// The next rising edge on the servo's pin; nil if pulses are not reported.
  private var nextEdge: Instant?

  /// Creates a board that is reset at `start`, without a bootloader. Its port runs at `baud` bits a
  /// second.
  package init(timing: Timing, baud: Int, startingAt start: Instant, showsPulses: Bool) {
    sketch = S(timing: timing, baud: baud, startingAt: start)
    self.baud = baud
    sketchStart = start
    nextEdge = showsPulses ? sketch.pulseTrain.first : nil
  }

  /// Creates a board that has already been running for some time at `instant`.
  package init(timing: Timing, baud: Int, runningAt instant: Instant, showsPulses: Bool) {
    self.init(timing: timing, baud: baud, startingAt: instant, showsPulses: showsPulses)
    sketch = S(timing: timing, baud: baud, runningAt: instant)
  }

  /// Continues at `instant` after the board was read from a file. Returns false if no board can be
  /// in this state at that instant.
  package mutating func resume(at instant: Instant, baud: Int, showsPulses: Bool) -> Bool {
    guard self.baud == baud, sketchStart != .distantFuture, sketch.isPossible(with: ring) else {
      return false
    }
    nextEdge = showsPulses ? sketch.pulseTrain.edge(notBefore: instant + .nanoseconds(1)) : nil
    return nextDeadline.map { $0 > instant } ?? true
  }

  /// When the board next does something if no further byte arrives; nil if never.
  package var nextDeadline: Instant? {
    guard let deadline = sketch.nextDeadline(ring) else { return nextEdge }
    guard let nextEdge else { return deadline }
    return min(deadline, nextEdge)
  }

  /// Receives a byte whose stop bit ends at `instant`, after doing everything due by then.
  @inline(__always)
  package mutating func receive(
    _ byte: UInt8, at instant: Instant, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    recorder.arrived(byte, at: instant)
    guard instant >= sketchStart else {
      recorder.put(.lost(byte, .booting), at: instant)
      return
    }
    let wasEmpty = ring.isEmpty
    guard ring.append(byte) else {
      sketch.lostByte()
      recorder.put(.lost(byte, .ringFull), at: instant)
      return
    }
    if wasEmpty { sketch.wake(at: instant) }
  }

  /// Restarts the board at `instant`. The bootloader owns the line for `deadTime`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    sketch.halt(at: instant, into: &recorder)
    recorder.clearedRing()
    self = Board(
      timing: sketch.timing, baud: baud, startingAt: instant + deadTime,
      showsPulses: nextEdge != nil)
  }

  /// Does everything due up to and including `end`.
  @inline(__always)
  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while let edge = nextEdge, edge <= end {
      sketch.advance(to: edge, reading: &ring, into: &recorder)
      if let pulse = sketch.commandedPulse {
        recorder.put(.pulse(microseconds: Double(pulse)), at: edge)
      }
      nextEdge = edge + sketch.pulseTrain.period
    }
    sketch.advance(to: end, reading: &ring, into: &recorder)
  }
}
