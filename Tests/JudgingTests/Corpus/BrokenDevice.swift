import Devices
import Traces

@testable import Sketches

/// What a breakage can read and remember.
struct Memory: Sendable {
  var firmware = Firmware.classic
  var now = Instant.zero
  /// The sketch's current activity.
  var activity = Activity.idle
  /// The commanded angle, degrees.
  var degrees: UInt8 = 90
  /// The number of waiting bytes.
  var waitingCount = 0
  /// The sender's speed in bits per second.
  var baud = 9_600
  /// The digits of the number being read; nil outside of a number.
  var digits: [UInt8]?
  /// The arrival of its `X`.
  var since = Instant.zero
  /// The arrival of the previous byte, and its value.
  var previous = Instant.zero
  var previousByte: UInt8 = 0
  /// The planned end of the last tone.
  var toneEnd = Instant.zero
  /// For the breakage's own use.
  var count = 0
  var shift = Interval.zero
  var width = 0.0

  /// The value of the digits, with an upper limit.
  var value: Int { (digits ?? []).reduce(0) { min($0 * 10 + Int($1 - 0x30), 1_000_000) } }

  mutating func note(_ byte: UInt8) {
    let isX = byte == UInt8(ascii: "X")
    if digits != nil, byte >= 0x30, byte <= 0x39 {
      digits?.append(byte)
    } else if digits == nil || firmware == .guarded {
      if isX { since = now }
      digits = isX ? [] : nil
    } else if byte != 0xFF {
      digits = nil
    }
    previous = now
    previousByte = byte
  }
}

/// An output and its time.
struct Seen: Sendable {
  var time: Instant
  var output: Output
}

/// One way in which a model can be wrong.
struct Breakage: Sendable {
  /// Changes the timing.
  var timing: @Sendable (inout Timing) -> Void = { _ in }
  /// A sketch that replaces one of ours.
  var sketch: (instead: Firmware, type: any Sketch.Type)?
  /// The bytes that reach the ring instead of the one that arrives.
  var arrive: @Sendable (UInt8, inout Memory) -> [UInt8] = { byte, _ in [byte] }
  /// The instant at which they reach it.
  var hold: @Sendable (UInt8, Memory) -> Instant = { _, memory in memory.now }
  /// The outputs that are shown instead of one.
  var show: @Sendable (Seen, inout Memory) -> [Seen] = { seen, _ in [seen] }
  var hasBootloader = true
  /// Bytes sent during the bootloader's time reach the sketch after it.
  var keepsBootBytes = false
  /// Only the newest 63 of the held bytes are kept.
  var keepsNewest = false
  /// Bytes in the ring survive a reset.
  var keepsWaiting = false

  /// The broken device for a trace.
  func device(for header: Header, showsPulses: Bool) -> any Device {
    let firmware = header.firmware ?? .guarded
    let own = Boards(
      firmware, timing: nil, baud: header.baud, isRunning: false, showsPulses: false
    ).read(SketchType())
    if let sketch, sketch.instead == firmware {
      return device(sketch.type, header, firmware, showsPulses)
    }
    return device(own, header, firmware, showsPulses)
  }

  private func device<S: Sketch>(
    _: S.Type, _ header: Header, _ firmware: Firmware, _ showsPulses: Bool
  ) -> any Device {
    var timing = S.measuredTiming
    self.timing(&timing)
    return BrokenDevice<S>(self, timing, header, firmware, showsPulses)
  }
}

/// The type of the sketch on a board.
private struct SketchType: BoardQuery {
  func ask<S: Sketch>(_ board: Board<S>) -> any Sketch.Type { S.self }
}

/// A model with a fault.
struct BrokenDevice<S: Sketch>: RealTimeDevice {
  private let breakage: Breakage
  private var line: SerialLine
  private var board: Board<S>
  private var memory = Memory()
  private var held: [(byte: UInt8, time: Instant)] = []
  private var delivered: [UInt8] = []
  private var sketchStart = Instant.zero

  init(
    _ breakage: Breakage, _ timing: Timing, _ header: Header, _ firmware: Firmware,
    _ showsPulses: Bool
  ) {
    self.breakage = breakage
    line = SerialLine(baud: header.baud)
    board =
      header.start == .unknown
      ? Board(timing: timing, baud: header.baud, runningAt: .zero, showsPulses: showsPulses)
      : Board(timing: timing, baud: header.baud, startingAt: .zero, showsPulses: showsPulses)
    memory.firmware = firmware
    memory.baud = header.baud
  }

  var capabilities: DeviceCapabilities {
    .virtual(observing: Set(Output.Kind.allCases), reportsFates: true)
  }
  var nextDeadline: Instant? {
    [line.nextDeadline, board.nextDeadline, held.first?.time].compactMap { $0 }.min()
  }
  var activity: Activity? { board.sketch.activity }
  var waitingCount: Int? { board.ring.count }
  var onTheWayCount: Int { line.count }

  mutating func send(_ bytes: [UInt8], at instant: Instant) { line.send(bytes, at: instant) }

  mutating func setSenderBaud(_ baud: Int) {
    line.sender.baud = baud
    memory.baud = baud
  }

  mutating func setSenderFormat(_ format: LineFormat) { line.sender.format = format }

  mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    line.sendBreak(lasting: length, at: instant)
  }

  mutating func addFramingError(to byte: UInt8) { line.addFramingError(to: byte) }

  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {
    var inner = Recorder()
    let waiting = delivered.suffix(board.ring.count)
    let deadTime = breakage.hasBootloader ? deadTime : .zero
    board.reset(at: instant, deadTime: deadTime, into: &inner)
    sketchStart = instant + deadTime
    memory.digits = nil
    if breakage.keepsWaiting {
      held += waiting.map { ($0, sketchStart) }
    }
    show(inner, into: &recorder)
  }

  mutating func advance(to end: Instant, into recorder: inout Recorder) {
    var inner = Recorder()
    while let arrival = line.next(by: end) {
      deliver(by: arrival.end, &inner)
      board.advance(to: arrival.end, into: &inner)
      look(at: arrival.end)
      let bytes = breakage.arrive(arrival.byte, &memory)
      memory.note(arrival.byte)
      var time = max(breakage.hold(arrival.byte, memory), arrival.end)
      if breakage.keepsBootBytes { time = max(time, sketchStart) }
      held += bytes.map { ($0, max(time, held.last?.time ?? time)) }
      if breakage.keepsNewest && held.count > 63 { held.removeFirst(held.count - 63) }
      deliver(by: arrival.end, &inner)
      note(inner)
    }
    deliver(by: end, &inner)
    board.advance(to: end, into: &inner)
    look(at: end)
    show(inner, into: &recorder)
  }

  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }

  private mutating func deliver(by end: Instant, _ inner: inout Recorder) {
    while let first = held.first, first.time <= end {
      held.removeFirst()
      delivered.append(first.byte)
      board.receive(first.byte, at: first.time, into: &inner)
    }
  }

  private mutating func look(at instant: Instant) {
    memory.now = instant
    memory.activity = board.sketch.activity
    memory.waitingCount = board.ring.count
    memory.degrees = ServoLibrary.degrees(reading: board.sketch.commandedPulse ?? 1_472)
  }

  private mutating func note(_ inner: Recorder) {
    for seen in inner.outputs {
      if case .tone(let hertz) = seen.output, hertz > 0 {
        memory.toneEnd = seen.time + .milliseconds(160)
      }
    }
  }

  private mutating func show(_ inner: Recorder, into recorder: inout Recorder) {
    note(inner)
    for seen in inner.outputs {
      for changed in breakage.show(Seen(time: seen.time, output: seen.output), &memory) {
        recorder.put(changed.output, at: changed.time)
      }
    }
  }
}
