import Sketches
import TestSupport
import Testing

struct CommandQueueTests {
  private let client = ClientID(1)

  private func commands(_ text: String) -> [Command] {
    var parser = CommandParser(for: .guarded)
    return parser.take(Array(text.utf8)).compactMap(\.command)
  }

  private func drain(_ queue: inout CommandQueue) -> String {
    var text = ""
    while let next = queue.next() { text += String(decoding: next.command.bytes, as: UTF8.self) }
    return text
  }

  @Test(arguments: [
    ("", "", ""),
    ("X10.", "q", "X10."),
    ("X10.X20.X30.", "qrr", "X30."),
    ("X10.X10.", "qr", "X10."),
    ("LLL", "qmm", "L"),
    ("X10.L", "qq", "X10.L"),
    ("LX10.", "qq", "LX10."),
    // The aim takes effect last.
    ("X10.LX20.", "qqr", "LX20."),
    ("X10.TX20.", "qqr", "TX20."),
    // Commands that the aim separated are merged when it is removed.
    ("LX10.LX20.", "qqqr", "LX20."),
    ("TLX10.LCX20.", "qqqqqr", "TLCX20."),
    ("LX10.TX20.", "qqqr", "LTX20."),
    // Only adjacent `L`s are merged; an aim or a tone keeps them apart.
    ("LX10.L", "qqq", "LX10.L"),
    ("LTL", "qqq", "LTL"),
    ("TT", "qq", "TT"),
    ("X10.TOC?V", "qqqqqq", "X10.TOC?V"),
  ])
  func `The newest aim is sent last, adjacent L's merge, and the rest keep their order`(
    put: String, outcomes: String, sent: String
  ) {
    var queue = CommandQueue()
    let words: [CommandQueue.Outcome: String] = [
      .queued: "q", .replaced: "r", .merged: "m", .overflow: "o",
    ]
    var found = ""
    for command in commands(put) { found += words[queue.put(command, from: client)] ?? "" }
    #expect(found == outcomes)
    #expect(queue.count == commands(sent).count)
    #expect(queue.isEmpty == sent.isEmpty)
    #expect(drain(&queue) == sent)
    #expect(queue.isEmpty)
  }

  @Test func `Sixteen other commands and an aim can wait, in any order of arrival`() {
    for aimFirst in [true, false] {
      var queue = CommandQueue()
      if aimFirst { #expect(queue.put(.aim(1), from: client) == .queued) }
      for _ in 0..<16 { #expect(queue.put(.tone(0x54), from: client) == .queued) }
      #expect(queue.put(.tone(0x54), from: client) == .overflow)
      #expect(queue.put(.lost, from: client) == .overflow)
      #expect(queue.put(.aim(2), from: client) == (aimFirst ? .replaced : .queued))
      #expect(queue.put(.aim(3), from: client) == .replaced)
      #expect(queue.put(.query(0x3F), from: client) == .overflow)
      #expect(queue.count == 17)
      #expect(queue.next()?.command == .tone(0x54))
      #expect(queue.put(.lost, from: client) == .queued)
      #expect(queue.put(.lost, from: client) == .merged)
      #expect(queue.counts.overflowed == 3)
    }
  }

  @Test func `A full queue still merges an L into the last one in it`() {
    var queue = CommandQueue()
    for _ in 0..<15 { _ = queue.put(.tone(0x54), from: client) }
    #expect(queue.put(.lost, from: client) == .queued)
    #expect(queue.put(.lost, from: client) == .merged)
    #expect(queue.counts.overflowed == 0)
  }

  @Test func `An aim that was sent is not replaced`() {
    var queue = CommandQueue()
    _ = queue.put(.aim(1), from: client)
    _ = queue.put(.lost, from: client)
    #expect(queue.next()?.command == .aim(1))
    #expect(queue.put(.aim(2), from: client) == .queued)
    #expect(drain(&queue) == "LX2.")
  }

  @Test func `The queue knows the client of each command, and of merged L's the first one`() {
    var queue = CommandQueue()
    _ = queue.put(.aim(1), from: ClientID(1))
    _ = queue.put(.lost, from: ClientID(2))
    _ = queue.put(.lost, from: ClientID(3))
    _ = queue.put(.aim(2), from: ClientID(4))
    #expect(queue.next()?.from == ClientID(2))
    #expect(queue.next()?.from == ClientID(4))
    #expect(queue.next() == nil)
  }

  @Test func `Removed commands are returned in order and counted`() {
    var queue = CommandQueue()
    for command in commands("TX10.L") { _ = queue.put(command, from: client) }
    #expect(queue.removeAll().map(\.command) == commands("TX10.L"))
    #expect(queue.isEmpty)
    #expect(queue.removeAll().isEmpty)
    #expect(queue.put(.aim(5), from: client) == .queued)
    #expect(queue.counts.queued == 4)
    #expect(queue.counts.removed == 3)
    #expect(queue.counts.sent == 0)
  }

  @Test func `Removing a client's commands merges those they separated, and finds the aim`() {
    var queue = CommandQueue()
    let other = ClientID(2)
    #expect(queue.put(.lost, from: other) == .queued)
    for command in commands("TX10.") { _ = queue.put(command, from: client) }
    #expect(queue.put(.lost, from: other) == .queued)
    #expect(queue.removeAll(from: client).map(\.command) == commands("TX10."))
    #expect(queue.counts.merged == 1)
    #expect(queue.put(.aim(5), from: client) == .queued)
    #expect(queue.put(.tone(0x54), from: client) == .queued)
    #expect(queue.removeAll(from: other).map(\.command) == [.lost])
    #expect(queue.put(.aim(6), from: client) == .replaced)
    #expect(queue.removeAll(from: other).isEmpty)
    #expect(drain(&queue) == "TX6.")
  }

  /// Compares with a plain list of the expected commands, drained at random.
  @Test(arguments: 0..<60)
  func `No other command is lost or moved in any sequence of additions and drains`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var queue = CommandQueue()
    var puts = 0
    var others: [Command] = []
    var sent: [Command] = []
    var lastAim: Command?
    for _ in 0..<500 {
      let isSlow = seed % 3 == 0
      if Int.random(in: 0..<(isSlow ? 6 : 2), using: &generator) == 0 {
        if let next = queue.next() { sent.append(next.command) }
        continue
      }
      let command =
        [
          Command.aim(.random(in: 0...180, using: &generator)), .lost, .tone(0x54), .tone(0x4F),
          .query(0x3F),
        ].randomElement(using: &generator)!
      puts += 1
      let outcome = queue.put(command, from: client)
      switch command {
      case .aim:
        lastAim = command
        #expect(outcome == .queued || outcome == .replaced)
      case .lost, .tone, .query, .own:
        #expect(outcome != .replaced)
        #expect(outcome != .merged || command == .lost)
        if outcome == .queued { others.append(command) }
      }
      #expect(queue.count <= CommandQueue.countMax + 1)
    }
    let waiting = queue.count
    let counts = queue.counts
    #expect(
      puts == counts.sent + waiting + counts.replaced + counts.merged + counts.overflowed,
      "seed \(seed)")
    while let next = queue.next() { sent.append(next.command) }
    #expect(sent.last(where: \.isAim) == lastAim, "seed \(seed)")
    // Apart from `L`s, some of which were merged, the order is that of the additions.
    #expect(
      sent.filter { !$0.isAim && $0 != .lost } == others.filter { $0 != .lost }, "seed \(seed)")
    #expect(queue.counts.sent == sent.count)
    // An `L` between two other commands is still there, once or more, whether merged or not.
    #expect(Self.withoutRepeats(sent) == Self.withoutRepeats(others), "seed \(seed)")
  }

  /// The commands without aims, and every run of `L`s as one.
  private static func withoutRepeats(_ commands: [Command]) -> [Command] {
    commands.filter { !$0.isAim }.reduce(into: []) { found, command in
      if command != .lost || found.last != .lost { found.append(command) }
    }
  }
}

extension Command {
  fileprivate var isAim: Bool {
    if case .aim = self { return true }
    return false
  }
}
