import Sketches
import Traces

/// A byte that was sent on a disturbed wire, when it ends, and when it was written.
private struct SentFrame: Hashable, Sendable {
  var frame: FrameStart
  var end: Instant
  var written: Instant
}

/// One fault, and where it is.
struct FaultStage: Hashable, Sendable {
  private let spec: FaultSpec
  private var random: RandomStream
  private(set) var strikeCount = 0
  /// The wire as the bytes that come in occupy it.
  private var line: OccupiedLine
  /// The wire as the bytes that it lets through occupy it.
  private var passed: OccupiedLine
  /// The sender's speed before this fault, in bits a second.
  private var baud: Int
  private var wire: DisturbedWire
  /// What was sent on the disturbed wire and is not decided yet, and what a strike has replaced.
  private var sent = FIFO<SentFrame>()
  private var (took, gave): ([UInt8], [UInt8]) = ([], [])
  /// When the next thing happens, or the present one began; and when that ends.
  private var begin = Instant.distantFuture
  private var until = Instant.zero
  /// When the last bytes left.
  private var last = Instant.zero
  /// How many more bytes a burst takes.
  private var burst = 0
  /// The phase of an adapter's slots.
  private var phase = Interval.zero
  /// The second whose drift is known, and that drift, in millionths.
  private var second: Int64 = -1
  private var drift: Int64 = 0
  /// How far the time is known to have come.
  private var now = Instant.zero
  /// What is sent too far ahead of it to know what strikes until then, and what follows that.
  private var held = FIFO<FaultItem>()
  /// The number of bytes in it.
  private(set) var heldCount = 0
  private static let lookahead = Interval.seconds(60)

  init(_ spec: FaultSpec, _ random: RandomStream, baud: Int) {
    self.spec = spec
    self.random = random
    self.baud = baud
    line = OccupiedLine(baud: baud)
    passed = line
    wire = DisturbedWire(baud: baud)
    switch spec.effect {
    case .noise(let every), .reset(let every, _): begin = .zero + self.random.wait(mean: every)
    case .stall(let length, let every), .unplug(let length, let every, _):
      begin = .zero + self.random.wait(mean: every)
      until = begin + length
    case .adapter(let adapter, _) where adapter.hasSlots:
      phase = .nanoseconds(self.random.draw(0...(adapter.interval.nanoseconds - 1)))
    default: break
    }
  }

  /// When something happens without an input; nil if nothing does.
  var nextDeadline: Instant? {
    switch spec.effect {
    case .noise: min(begin, wire.nextDeadline ?? begin, heldUntil)
    case .flip: wire.nextDeadline
    case .reset: begin
    case .unplug: min(until, heldUntil)
    default: nil
    }
  }

  /// The number of bytes on a disturbed wire that are not decided yet, and when more is known.
  var undecidedCount: Int { sent.count + took.count - gave.count }
  var undecidedEnd: Instant? { undecidedCount == 0 ? nil : wire.nextDeadline }

  /// When what is held continues.
  private var heldUntil: Instant {
    guard let first = held.first else { return .distantFuture }
    return max(now, max(first.time, line.free) - .nanoseconds(Self.lookahead.nanoseconds / 2))
  }

  /// When the last byte that is held will have left; nil if none is.
  var heldEnd: Instant? {
    held.waiting.last.map { last in
      max(last.time, line.free) + .nanoseconds(Int64(heldCount) * line.byteTime.nanoseconds)
    }
  }

  private mutating func strike(
    _ kind: FaultStrike.Kind, at time: Instant, took: [UInt8] = [], gave: [UInt8] = [],
    _ output: inout FaultOutput
  ) {
    strikeCount += 1
    let strike = FaultStrike(kind, at: spec.place, took: took, gave: gave)
    output.events.append(Event(time.roundedUpToMicrosecond, .fault(strike)))
  }

  /// Lets happen what happens by `end` without an input.
  mutating func advance(to end: Instant, _ output: inout FaultOutput) {
    while heldUntil <= end { release(&output) }
    now = max(now, end)
    switch spec.effect {
    case .noise:
      while begin <= end {
        sample(by: begin, &output)
        putSpike()
      }
      sample(by: end, &output)
    case .flip: sample(by: end, &output)
    case .reset(let every, let boot):
      while begin <= end {
        strike(.reset, at: begin, &output)
        output.events.append(Event(begin.roundedUpToMicrosecond, .reset(boot)))
        begin += random.wait(mean: every)
      }
    case .unplug: passWindows(to: end, &output)
    default: break
    }
  }

  /// Takes an item when the time is `instant`. Its own time can be later.
  mutating func take(_ item: FaultItem, at instant: Instant, _ output: inout FaultOutput) {
    now = max(now, instant)
    // It ends the break that all that is held waits for.
    if case .setting(let event) = item, case .senderBreak = event.kind,
      line.isInBreak(at: event.time)
    {
      return process(item, &output)
    }
    let count = held.isEmpty ? reachable(of: item) : 0
    guard let count else { return process(item, &output) }
    guard count > 0, case .bytes(var bytes) = item else { return hold(item) }
    let rest = WireBytes(bytes: Array(bytes.bytes[count...]), time: bytes.time)
    bytes.bytes.removeLast(rest.bytes.count)
    process(.bytes(bytes), &output)
    hold(.bytes(rest))
  }

  /// Returns how many bytes of an item are sent soon enough to know what strikes until then; nil if
  /// it can be taken as a whole.
  private func reachable(of item: FaultItem) -> Int? {
    switch spec.effect {
    case .noise, .unplug: break
    default: return nil
    }
    let end = now + Self.lookahead
    guard item.time <= end else { return 0 }
    guard case .bytes(let bytes) = item else { return nil }
    let room = end - max(bytes.time, line.free)
    let count = room < .zero ? 0 : room.nanoseconds / line.byteTime.nanoseconds + 1
    return count < bytes.bytes.count ? Int(count) : nil
  }

  private mutating func hold(_ item: FaultItem) {
    if case .bytes(let bytes) = item { heldCount += bytes.bytes.count }
    held.append(item)
  }

  private mutating func release(_ output: inout FaultOutput) {
    now = heldUntil
    let items = held.waiting
    (held, heldCount) = (FIFO(), 0)
    for item in items { take(item.delayed(to: now), at: now, &output) }
  }

  private mutating func process(_ item: FaultItem, _ output: inout FaultOutput) {
    switch item {
    case .setting(let event): set(event, &output)
    case .bytes(let bytes):
      switch spec.effect {
      case .drop, .burst, .unplug: remove(from: bytes, &output)
      case .dup(let chance): double(bytes, with: chance, &output)
      case .flip, .noise: disturb(bytes, &output)
      case .clock: takeClock(bytes, &output)
      case .cut(let count): cut(bytes, to: count, &output)
      case .merge, .delay, .jitter, .stall: postpone(bytes, &output)
      case .adapter(let adapter, let loss): forward(bytes, by: adapter, loss, &output)
      case .reset: output.items.append(item)
      }
    }
  }

  private mutating func set(_ event: Event, _ output: inout FaultOutput) {
    var event = event
    switch event.kind {
    case .baud(let speed):
      baud = speed
      line.baud = deviating(at: event.time)
      event.kind = .baud(line.baud)
    case .format(let format): line.format = format
    case .senderBreak(let length):
      line.sendBreak(lasting: length, at: event.time)
      passed.sendBreak(lasting: length, at: event.time)
    default: break
    }
    (passed.baud, passed.format) = (line.baud, line.format)
    wire.set(baud: line.baud, line.format)
    output.items.append(.setting(event))
  }

  /// Lets a byte through whose frame begins at `start`, or when the wire is free. `time` is when it
  /// was written.
  ///
  /// Bytes that follow each other on the wire need no time of their own, so it makes no difference
  /// in how many writes they were sent.
  private mutating func pass(
    _ byte: WireByte, at start: Instant, written time: Instant, _ output: inout FaultOutput
  ) {
    let isNext = start < passed.free + .microseconds(1)
    var piece = WireBytes(
      bytes: [], time: isNext || start == time ? time : start.roundedUpToMicrosecond)
    if byte.hasLowStop {
      // A framing error is that of the byte on the wire.
      piece.time = max(start, passed.free).roundedUpToMicrosecond
    } else if isNext, case .bytes(let before)? = output.items.last {
      piece = before
      output.items.removeLast()
    }
    piece.bytes.append(byte)
    piece.time = max(piece.time, last)
    last = piece.time
    _ = passed.send(at: piece.time)
    output.items.append(.bytes(piece))
  }

  // MARK: Bytes that are missing, or there twice

  private mutating func remove(from bytes: WireBytes, _ output: inout FaultOutput) {
    var lost: (bytes: [UInt8], time: Instant) = ([], bytes.time)
    let kind: FaultStrike.Kind =
      switch spec.effect {
      case .drop: .drop
      case .burst: .burst
      default: .unplug
      }
    func report(_ stage: inout FaultStage, _ output: inout FaultOutput) {
      if !lost.bytes.isEmpty { stage.strike(kind, at: lost.time, took: lost.bytes, &output) }
      lost.bytes = []
    }
    for byte in bytes.bytes {
      let start = line.send(at: bytes.time)
      if isLost(at: start, &output) {
        if lost.bytes.isEmpty { lost.time = start }
        lost.bytes.append(byte.byte)
      } else {
        report(&self, &output)
        pass(byte, at: start, written: bytes.time, &output)
      }
    }
    report(&self, &output)
  }

  private mutating func isLost(at start: Instant, _ output: inout FaultOutput) -> Bool {
    switch spec.effect {
    case .drop(let chance): return random.happens(with: chance)
    case .burst(let chance, let length):
      if burst == 0 {
        guard random.happens(with: chance) else { return false }
        // A geometric length, which is the number of draws until one ends it.
        burst = 1
        while burst < 100_000, !random.happens(with: 1 / length) { burst += 1 }
      }
      burst -= 1
      return true
    case .unplug:
      passWindows(to: start, &output)
      return begin <= start
    default: return false
    }
  }

  /// Moves on to the window that an instant is in, or that comes next.
  private mutating func passWindows(to instant: Instant, _ output: inout FaultOutput) {
    while until <= instant {
      switch spec.effect {
      case .stall(let length, let every):
        begin = until + random.wait(mean: every)
        until = begin + length
      case .unplug(let length, let every, let boot):
        strike(.unplug, at: until, &output)
        output.events.append(Event(until.roundedUpToMicrosecond, .reset(boot)))
        begin = until + random.wait(mean: every)
        until = begin + length
      default: return
      }
    }
  }

  private mutating func double(
    _ bytes: WireBytes, with chance: Double, _ output: inout FaultOutput
  ) {
    for byte in bytes.bytes {
      let start = line.send(at: bytes.time)
      pass(byte, at: start, written: bytes.time, &output)
      guard random.happens(with: chance) else { continue }
      let second = line.send(at: bytes.time)
      pass(WireByte(byte: byte.byte), at: second, written: bytes.time, &output)
      strike(.dup, at: start, took: [byte.byte], gave: [byte.byte, byte.byte], &output)
    }
  }

  private mutating func cut(_ bytes: WireBytes, to count: Int, _ output: inout FaultOutput) {
    var kept = bytes
    if bytes.bytes.count > count {
      kept.bytes = Array(bytes.bytes[..<count])
      strike(.cut, at: bytes.time, took: bytes.bytes[count...].map { $0.byte }, &output)
    }
    output.items.append(.bytes(kept))
  }

  // MARK: The level of the wire

  private mutating func disturb(_ bytes: WireBytes, _ output: inout FaultOutput) {
    for byte in bytes.bytes {
      let start = line.send(at: bytes.time)
      // The instant itself may belong to a frame that ends as this one begins.
      sample(by: start - .microseconds(1), &output)
      var flips: UInt16 = 0
      var isStruck = false
      switch spec.effect {
      case .flip(let chance):
        for bit in 0..<line.format.bitCount where random.happens(with: chance) {
          flips |= 1 << UInt16(bit)
          isStruck = true
        }
      default:
        while begin < line.free {
          isStruck = true
          putSpike()
        }
      }
      guard isStruck || !wire.isReady(at: start) else {
        pass(byte, at: start, written: bytes.time, &output)
        continue
      }
      let frame = FrameStart(byte: byte, start: start)
      sent.append(SentFrame(frame: frame, end: line.free, written: bytes.time))
      wire.put(frame, flips: flips)
      sample(by: line.free, &output)
    }
  }

  /// Inverts the wire at the next instant of noise, for up to one bit.
  private mutating func putSpike() {
    guard case .noise(let every) = spec.effect else { return }
    let bit = 1_000_000_000 / Int64(line.baud)
    wire.invert(from: begin, for: .nanoseconds(random.draw(1...max(1, bit))))
    begin += random.wait(mean: every)
  }

  /// Lets through what is received of the disturbed wire by an instant, up to which it is known.
  private mutating func sample(by end: Instant, _ output: inout FaultOutput) {
    while let due = wire.nextDeadline, due <= end {
      while let frame = wire.next(by: due) { take(frame, &output) }
      guard wire.isIdle else { continue }
      while let missed = sent.first {
        took.append(missed.frame.byte.byte)
        sent.dropFirst()
      }
      report(at: due, &output)
    }
    // A frame whose start bit is inverted can be no edge at all.
    while wire.isIdle, let missed = sent.first, missed.end <= end {
      took.append(missed.frame.byte.byte)
      sent.dropFirst()
      report(at: missed.end, &output)
    }
  }

  /// Lets a byte through, as it was sent or in the place of others.
  ///
  /// One that is sampled from the frame of a single byte is known when that is sent. Any other is
  /// known when its frame has ended, and is passed on then: a byte's time late.
  private mutating func take(_ received: FrameStart, _ output: inout FaultOutput) {
    let near = Interval(nanoseconds: 250_000_000 / Int64(line.baud))
    let end = (received.start + line.byteTime).roundedUpToMicrosecond
    while let next = sent.first, next.frame.start <= received.start + near {
      sent.dropFirst()
      let isWhole = received.start + line.byteTime <= next.end + .nanoseconds(1)
      let time = isWhole ? received.start : end
      if next.frame.byte == received.byte, (next.frame.start - received.start).magnitude < near {
        report(at: time, &output)
        return pass(received.byte, at: time, written: isWhole ? next.written : time, &output)
      }
      took.append(next.frame.byte.byte)
      guard isWhole else { continue }
      gave.append(received.byte.byte)
      report(at: time, &output)
      return pass(received.byte, at: time, written: next.written, &output)
    }
    gave.append(received.byte.byte)
    report(at: end, &output)
    pass(received.byte, at: end, written: end, &output)
  }

  /// Reports what the noise or the inverted bits have changed.
  private mutating func report(at time: Instant, _ output: inout FaultOutput) {
    guard !took.isEmpty || !gave.isEmpty else { return }
    let kind: FaultStrike.Kind = if case .flip = spec.effect { .flip } else { .noise }
    strike(kind, at: time, took: took, gave: gave, &output)
    (took, gave) = ([], [])
  }

  // MARK: The sender's clock

  /// The speed with the clock's deviation at an instant, in bits a second.
  private mutating func deviating(at instant: Instant) -> Int {
    guard case .clock(let offset, let range) = spec.effect else { return baud }
    if range > 0 {
      while second < instant.nanoseconds / 1_000_000_000 {
        second += 1
        drift = random.draw(-range...range)
      }
    }
    let speed = (Int64(baud) * (1_000_000 + offset + drift) + 500_000) / 1_000_000
    return min(max(Int(clamping: speed), SerialLine.bauds.lowerBound), SerialLine.bauds.upperBound)
  }

  private mutating func takeClock(_ bytes: WireBytes, _ output: inout FaultOutput) {
    for byte in bytes.bytes {
      let begin = max(bytes.time, line.free)
      let speed = deviating(at: begin)
      if speed != line.baud {
        line.baud = speed
        passed.baud = speed
        strike(.clock, at: begin, &output)
        last = max(last, begin == bytes.time ? begin : begin.roundedUpToMicrosecond)
        output.items.append(.setting(Event(last, .baud(speed))))
      }
      pass(byte, at: line.send(at: bytes.time), written: bytes.time, &output)
    }
  }

  // MARK: Bytes that are late

  private mutating func postpone(_ bytes: WireBytes, _ output: inout FaultOutput) {
    var late = bytes
    var kind = FaultStrike.Kind.delay
    switch spec.effect {
    case .merge(let length):
      kind = .merge
      if bytes.time > until { until = (bytes.time + length).roundedUpToMicrosecond }
      late.time = until
    case .delay(let length, let spread):
      late.time += length + .nanoseconds(random.draw(-spread.nanoseconds...spread.nanoseconds))
    case .jitter(let most):
      kind = .jitter
      late.time += .nanoseconds(random.draw(0...most.nanoseconds))
    default:
      kind = .stall
      passWindows(to: bytes.time, &output)
      if begin <= bytes.time { late.time = until }
    }
    late.time = max(late.time.roundedUpToMicrosecond, last)
    last = late.time
    if late.time == bytes.time.roundedUpToMicrosecond {
      late.time = bytes.time
    } else {
      strike(kind, at: bytes.time, &output)
    }
    output.items.append(.bytes(late))
  }

  // MARK: Adapters

  /// Passes bytes through an adapter. The computer has written them at once.
  private mutating func forward(
    _ bytes: WireBytes, by adapter: Adapter, _ loss: Double, _ output: inout FaultOutput
  ) {
    var isLate = false
    var piece = WireBytes(bytes: [], time: bytes.time)
    var rest = bytes.bytes.map { WireByte(byte: $0.byte) }[...]
    while !rest.isEmpty {
      var packet = Array(rest.prefix(adapter.packetSize))
      rest = rest.dropFirst(packet.count)
      var time = max(bytes.time, last)
      if !adapter.overflows {
        // The packet waits until it fits.
        let room = Int64(adapter.bufferSize - packet.count) * line.byteTime.nanoseconds
        time = max(time, line.free - .nanoseconds(room))
      }
      time = slot(at: time, of: adapter)
      last = time + adapter.interval
      isLate = isLate || time > bytes.time
      if loss > 0, random.happens(with: loss) {
        strike(.radio, at: time, took: packet.map { $0.byte }, &output)
        continue
      }
      if adapter.overflows {
        let waiting = max(0, (line.free - time).nanoseconds - 1) / line.byteTime.nanoseconds
        if waiting >= Int64(adapter.bufferSize) {
          strike(.overflow, at: time, took: packet.map { $0.byte }, &output)
          packet = []
        }
      }
      guard !packet.isEmpty else { continue }
      // What finds the wire busy follows back to back.
      if piece.bytes.isEmpty || time > line.free {
        if !piece.bytes.isEmpty { output.items.append(.bytes(piece)) }
        piece = WireBytes(bytes: [], time: time == bytes.time ? time : time.roundedUpToMicrosecond)
      }
      for _ in packet { _ = line.send(at: piece.time) }
      piece.bytes += packet
    }
    if !piece.bytes.isEmpty { output.items.append(.bytes(piece)) }
    if isLate { strike(.packet, at: bytes.time, &output) }
  }

  /// Returns the first instant from `time` on at which an adapter takes a packet.
  private func slot(at time: Instant, of adapter: Adapter) -> Instant {
    guard adapter.hasSlots else { return time }
    let interval = adapter.interval.nanoseconds
    let past = (time - .zero - phase).nanoseconds
    let count = past <= 0 ? 0 : (past + interval - 1) / interval
    return .zero + phase + .nanoseconds(count * interval)
  }
}
