package import Sketches
package import Traces

/// The way from a sender to the board's pin with its faults. It takes the sender's inputs in order,
/// and gives what reaches the board, with an event for each fault that struck. It is a value: its
/// random numbers come from the plan's seed, and a copy is a snapshot.
///
///     line.take(event)
///     while let event = line.next(by: now) { use(event) }
///
/// What it gives is the input of an ordinary session, so that its trace replays without it.
package struct FaultyLine: Hashable, Sendable {
  private var stages: [FaultStage] = []
  /// What has passed all faults, in order of time.
  private var queue = FIFO<Event>()
  /// The time of the last bytes or setting that passed all faults. Nothing after is earlier.
  private var lastItem = Instant.zero
  /// The number of bytes in it.
  private var queuedCount = 0
  /// The time of the last event that was given. A frame under way as the speed changes can end
  /// before it.
  private var lastGiven = Instant.zero
  private let plan: FaultPlan

  /// - Parameters:
  ///   - baud: the sender's speed in bits a second until it changes it.
  ///   - isReturn: whether the sender is the board. Only the faults on that way act.
  package init(_ plan: FaultPlan, baud: Int, isReturn: Bool = false) {
    self.plan = FaultPlan(plan.specs.filter { $0.isReturn == isReturn }, seed: plan.seed)
    var seen: [String: UInt64] = [:]
    for spec in self.plan.specs {
      // The stream of a fault depends on its text alone, so that another fault changes nothing.
      let stream = spec.text.utf8.fingerprint
      let earlier = seen[spec.text] ?? 0
      seen[spec.text] = earlier + 1
      stages.append(
        FaultStage(
          spec, RandomStream(seed: plan.seed, stream: stream &+ earlier &* 0x9E37_79B9),
          baud: baud))
    }
  }

  /// The number of bytes that it holds back.
  package var count: Int { stages.reduce(queuedCount) { $0 + $1.undecidedCount + $1.heldCount } }

  package var hasStruck: [Bool] { stages.map { $0.strikeCount > 0 } }

  package var unstruck: [FaultSpec] {
    zip(plan.specs, stages).filter { $1.strikeCount == 0 }.map { $0.0 }
  }

  /// When something reaches the board if nothing more is sent; nil if nothing does.
  package var nextDeadline: Instant? {
    let next = stageDeadline
    return queue.first.map { min(next ?? $0.time, $0.time) } ?? next
  }

  private var stageDeadline: Instant? {
    var next: Instant?
    for stage in stages {
      if let due = stage.nextDeadline { next = next.map { min($0, due) } ?? due }
    }
    return next
  }

  /// Returns when all that is on its way will have reached the board if nothing more is sent;
  /// `last` if nothing arrives later than that, and `limit` if it takes longer.
  package func arrivalEnd(after last: Instant, limit: Instant = .distantFuture) -> Instant {
    var (line, end) = (self, last)
    // One fault can delay what another has let through.
    for _ in 0...stages.count + 1 {
      while line.next(by: end) != nil {}
      guard let late = line.pendingEnd, late > end else { break }
      end = min(late, limit)
    }
    return end
  }

  /// The time of the last event that is known to be on its way; nil if there is none.
  package var pendingEnd: Instant? {
    stages.reduce(queue.waiting.last?.time) { end, stage in
      [end, stage.undecidedEnd, stage.heldEnd].compactMap { $0 }.max()
    }
  }

  /// Takes an event. It must not be earlier than the one before it.
  package mutating func take(_ event: Event) {
    advance(to: event.time)
    switch event.kind {
    case .receive(let bytes):
      let bytes = WireBytes(bytes: bytes.map { WireByte(byte: $0) }, time: event.time)
      pass([.bytes(bytes)], from: 0, at: event.time)
    // The sender's settings keep their place among its bytes.
    case .baud, .format, .senderBreak: pass([.setting(event)], from: 0, at: event.time)
    default: insert(event)
    }
  }

  /// Returns the next event that reaches the board by `end`; nil if there is none. All inputs up to
  /// `end` must have been taken.
  package mutating func next(by end: Instant) -> Event? {
    // Strike by strike: those of a long time without an input would fill the memory.
    while let due = stageDeadline, due <= end, queue.first.map({ due < $0.time }) ?? true {
      advance(to: due)
    }
    guard let first = queue.first, first.time <= end else { return nil }
    if case .receive(let bytes) = first.kind { queuedCount -= bytes.count }
    lastGiven = first.time
    return queue.removeFirst()
  }

  /// Lets happen what happens without an input.
  private mutating func advance(to end: Instant) {
    for index in stages.indices {
      guard let due = stages[index].nextDeadline, due <= end else { continue }
      var output = FaultOutput()
      stages[index].advance(to: end, &output)
      for event in output.events { insert(event) }
      pass(output.items, from: index + 1, at: end)
    }
  }

  private mutating func pass(_ items: [FaultItem], from first: Int, at now: Instant) {
    var items = items
    for index in first..<max(first, stages.count) where !items.isEmpty {
      var output = FaultOutput()
      for item in items { stages[index].take(item, at: now, &output) }
      for event in output.events { insert(event) }
      items = output.items
    }
    for item in items { enqueue(item) }
  }

  private mutating func enqueue(_ item: FaultItem) {
    switch item {
    case .setting(var event):
      lastItem = max(event.time, lastItem)
      event.time = lastItem
      insert(event)
    case .bytes(let bytes):
      guard let first = bytes.bytes.first else { return }
      lastItem = max(bytes.time, lastItem)
      queuedCount += bytes.bytes.count
      insert(Event(lastItem, .receive(bytes.values)))
      if first.hasLowStop { insert(Event(lastItem, .framingError(on: .rx, first.byte))) }
    }
  }

  /// Inserts an event after all that are not later.
  private mutating func insert(_ event: Event) {
    var event = event
    event.time = max(event.time, lastGiven)
    guard let last = queue.waiting.last, last.time > event.time else { return queue.append(event) }
    queue.insert(event, at: queue.indexOfFirst { $0.time > event.time })
  }
}

enum FaultItem: Hashable, Sendable {
  case bytes(WireBytes)
  /// A change of the sender's speed or format, or a break.
  case setting(Event)

  var time: Instant {
    switch self {
    case .bytes(let bytes): bytes.time
    case .setting(let event): event.time
    }
  }

  /// Returns the same, but not before an instant.
  func delayed(to instant: Instant) -> FaultItem {
    switch self {
    case .bytes(var bytes):
      bytes.time = max(bytes.time, instant)
      return .bytes(bytes)
    case .setting(var event):
      event.time = max(event.time, instant)
      return .setting(event)
    }
  }
}

/// What a fault lets through, and the events that it causes.
struct FaultOutput {
  var items: [FaultItem] = []
  var events: [Event] = []
}
