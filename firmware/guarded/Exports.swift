// The C functions around the single `GuardedSketch`, which the C++ layer of the sketch calls.
//
// Compiled together with Sources/Guarded into one module for the ATmega328P. Actions are passed to
// `sentry_action`, which the layer provides. `now` is the value of `micros()`.

nonisolated(unsafe) private var sketch = GuardedSketch()
/// The line being sent, how many of its bytes have been sent, and the line after it.
nonisolated(unsafe) private var line: Line?
nonisolated(unsafe) private var sent: UInt8 = 0
nonisolated(unsafe) private var waiting: Line?

/// Carries out the sketch's decision. In C: `void sentry_action(uint16_t pulse_us, int32_t hertz)`.
/// A pulse of 0 leaves the servo unchanged, and -1 hertz the buzzer.
@_extern(c, "sentry_action") private func boardAct(_ pulseMicroseconds: UInt16, _ hertz: Int32)
/// Returns the free bytes in the transmit buffer. In C: `uint8_t sentry_room(void)`.
@_extern(c, "sentry_room") private func boardRoom() -> UInt8
/// Puts a byte into the transmit buffer. In C: `void sentry_send(uint8_t byte)`.
@_extern(c, "sentry_send") private func boardSend(_ byte: UInt8)

@_cdecl("sentry_begin") public func begin() {
  sketch = GuardedSketch()
  line = nil
  waiting = nil
  boardAct(ServoPulse.microseconds(of: sketch.degrees), -1)
}

@_cdecl("sentry_receive") public func receive(_ byte: UInt8, _ now: UInt32) {
  carryOut(sketch.receive(byte, at: now).action)
}

/// Does one thing that is due. Returns false if nothing was due.
@_cdecl("sentry_tick") public func tick(_ now: UInt32) -> Bool {
  guard let tick = sketch.tick(at: now) else { return false }
  carryOut(tick.action)
  return true
}

/// Sends one byte of a line. Returns false if there was none. Computing a whole status line would
/// delay received bytes and steps for too long, so it is sent between them.
@_cdecl("sentry_speak") @inline(never) public func speak() -> Bool {
  guard let speaking = line else { return false }
  boardSend(speaking.byte(at: sent))
  sent = sent &+ 1
  if sent == speaking.count {
    line = waiting
    waiting = nil
    sent = 0
  }
  return true
}

/// Returns the microseconds until `sentry_tick` has something to do: 0 if it has already,
/// 0xFFFFFFFF if it has nothing to do until a byte arrives.
@_cdecl("sentry_wait") public func wait(_ now: UInt32) -> UInt32 {
  sketch.microsecondsToDeadline(from: now) ?? UInt32.max
}

@_cdecl("sentry_lost") public func lost() { sketch.lostByte() }

private func carryOut(_ action: Action) {
  let pulse = action.degrees.map { ServoPulse.microseconds(of: $0) } ?? 0
  let hertz = action.hertz.map { Int32($0) } ?? -1
  if pulse != 0 || hertz >= 0 { boardAct(pulse, hertz) }
  if let next = action.line { say(next) }
}

/// Queues a line after those being sent, or drops it. Sending it at once would take 2 ms, during
/// which bytes and steps would have to wait.
@inline(never) private func say(_ next: Line) {
  var needed = next.count
  if let line { needed = needed &+ line.count &- sent }
  if let waiting { needed = needed &+ waiting.count }
  guard boardRoom() >= needed else { return sketch.droppedLine() }
  guard line != nil else {
    line = next
    return
  }
  // There is room for a third line only if all of them are short.
  while waiting != nil { _ = speak() }
  waiting = next
}
