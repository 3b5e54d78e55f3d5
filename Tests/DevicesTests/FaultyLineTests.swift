import Devices
import Sketches
import TestSupport
import Testing
import Traces

/// Faults on the way from a sender to the board.
@Suite("Faulty line") struct FaultyLineTests {
  /// What reaches the board of writes, each at a time in milliseconds, by `end` milliseconds.
  private func run(
    _ faults: [String], _ writes: [(Int64, String)], seed: UInt64 = 1, baud: Int = 9_600,
    until end: Int64 = 10_000
  ) throws -> [Event] {
    var line = try line(faults, seed: seed, baud: baud)
    var events: [Event] = []
    for (time, text) in writes {
      let event = Event(.zero + .milliseconds(time), .receive(Array(text.utf8)))
      line.take(event)
      while let next = line.next(by: event.time) { events.append(next) }
    }
    while let next = line.next(by: .zero + .milliseconds(end)) { events.append(next) }
    return events
  }

  private func line(_ faults: [String], seed: UInt64 = 1, baud: Int = 9_600) throws -> FaultyLine {
    FaultyLine(FaultPlan(try faults.flatMap { try FaultSpec.parse($0) }, seed: seed), baud: baud)
  }

  private func lines(_ events: [Event]) -> [String] { events.map { text($0) } }

  private func text(_ event: Event) -> String {
    var line: [UInt8] = []
    line.appendLine(event)
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  // MARK: What each does

  @Test(arguments: [
    ("drop:100%", [#"[1.000000, "x-fault", "drop", "wire", "XY", ""]"#]),
    (
      "dup:100%",
      [
        #"[1.000000, "x-fault", "dup", "wire", "X", "XX"]"#,
        #"[1.000000, "rx", "XXYY"]"#, #"[1.002084, "x-fault", "dup", "wire", "Y", "YY"]"#,
      ]
    ),
    (
      "cut:1",
      [#"[1.000000, "x-fault", "cut", "network", "Y", ""]"#, #"[1.000000, "rx", "X"]"#]
    ),
    ("cut:2", [#"[1.000000, "rx", "XY"]"#]),
    (
      "merge:20ms",
      [#"[1.000000, "x-fault", "merge", "network"]"#, #"[1.020000, "rx", "XY"]"#]
    ),
    (
      "delay:5ms", [#"[1.000000, "x-fault", "delay", "wire"]"#, #"[1.005000, "rx", "XY"]"#]
    ),
    (
      "clock:-2%",
      [
        #"[1.000000, "x-fault", "clock", "wire"]"#, #"[1.000000, "baud", 9408]"#,
        #"[1.000000, "rx", "XY"]"#,
      ]
    ),
    (
      "burst:100%",
      [#"[1.000000, "x-fault", "burst", "wire", "XY", ""]"#]
    ),
  ])
  func `A fault gives what it states`(_ fault: String, _ expected: [String]) throws {
    #expect(lines(try run([fault], [(1_000, "XY")])) == expected)
  }

  @Test func `The wire is idle where a byte is lost, and the rest keeps its time`() throws {
    for seed in UInt64(1)...40 {
      let events = try run(["drop:30%"], [(1_000, "ABCDEFGH")], seed: seed)
      for event in events {
        guard case .receive(let bytes) = event.kind, let first = bytes.first else { continue }
        let place = Int64(first - UInt8(ascii: "A"))
        // 1 041 666.7 ns a byte, and pieces begin in whole microseconds.
        let start = Interval.nanoseconds(place * 10_000_000_000 / 9_600)
        let begin = Instant.zero + .seconds(1) + start
        let late: Interval = event.time - begin
        #expect(late >= .zero && late < .microseconds(2), "seed \(seed), \(text(event))")
      }
    }
  }

  @Test func `A write that waits for the one before it is sent when the wire is free`() throws {
    let events = try run(["delay:3ms±3ms"], (0..<50).map { (1_000 + 2 * $0, "X") })
    let bytes = events.filter { if case .receive = $0.kind { true } else { false } }
    #expect(bytes.count == 50)
    #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  // MARK: Frames

  /// The bits of "U" (0x55) on the wire, the start bit first: 0 1010 1010 1.
  @Test func `An inverted bit is another byte, a framing error, or moves the frame`() throws {
    var found: Set<String> = []
    for seed in UInt64(1)...400 {
      let events = try run(["flip:3%"], [(1_000, "U")], seed: seed)
      let received = events.flatMap { event -> [UInt8] in
        if case .receive(let bytes) = event.kind { bytes } else { [] }
      }
      let strikes = events.compactMap { event -> FaultStrike? in
        if case .fault(let strike) = event.kind { strike } else { nil }
      }
      let hasFramingError = events.contains { event in
        if case .framingError(on: .rx, _) = event.kind { true } else { false }
      }
      if strikes.isEmpty {
        #expect(received == [0x55] && !hasFramingError, "seed \(seed)")
        found.insert("nothing")
      } else if hasFramingError {
        found.insert("framing error")
      } else if received.isEmpty {
        found.insert("no byte")
      } else if received.count == 1, (received[0] ^ 0x55).nonzeroBitCount == 1 {
        found.insert("a bit")
      } else {
        found.insert("another byte")
      }
    }
    #expect(found.isSuperset(of: ["nothing", "framing error", "a bit", "another byte"]))
  }

  @Test func `Without its start bit a frame begins at its next falling edge`() throws {
    var counts: [[UInt8]: Int] = [:]
    for seed in UInt64(1)...3_000 {
      let events = try run(["flip:1%"], [(1_000, "?")], seed: seed)
      // "?" is 0 1111 1100 1 on the wire: without the start bit, the next falling edge is that of
      // its seventh data bit, 7 bits later. Ten bits after that, it is known what was received.
      for event in events where event.time == Instant.zero + .microseconds(1_001_771) {
        if case .receive(let bytes) = event.kind { counts[bytes, default: 0] += 1 }
      }
    }
    // Then come a 0, the stop bit, and the idle line: 0xFE.
    #expect(counts.max { $0.value < $1.value }?.key == [0xFE], "\(counts)")
  }

  @Test func `A byte without any edge is lost, and that is said`() throws {
    // 0xFF is one low bit, its start bit. Some of the seeds invert that one alone.
    var lostCount = 0
    for seed in UInt64(1)...60 {
      var line = try line(["flip:0.05"], seed: seed)
      line.take(Event(.zero + .seconds(1), .receive([0xFF])))
      var events: [Event] = []
      while let next = line.next(by: .zero + .seconds(2)) { events.append(next) }
      #expect(line.count == 0)
      let isThere = events.contains { if case .receive = $0.kind { true } else { false } }
      if !isThere { lostCount += 1 }
      #expect(isThere || line.unstruck.isEmpty, "seed \(seed)")
    }
    #expect(lostCount > 0)
  }

  @Test(arguments: Seeds.first(40))
  func `A new speed under noise does not turn time back`(seed: UInt64) throws {
    var line = try line(["noise:500/s"], seed: seed, baud: 300)
    var last = Instant.zero
    for event in [
      Event(.zero + .milliseconds(1_610), .baud(115_200)),
      Event(.zero + .seconds(2), .receive(Array("X90.".utf8))),
      Event(.zero + .milliseconds(2_100), .baud(300)),
    ] {
      while let next = line.next(by: event.time) {
        #expect(next.time >= last)
        last = next.time
      }
      line.take(event)
    }
    while let next = line.next(by: .zero + .seconds(3)) {
      #expect(next.time >= last)
      last = next.time
    }
  }

  @Test func `Noise on an idle wire is a byte, or nothing if it is too short`() throws {
    // So seldom that hardly a spike strikes the frame that another one has begun.
    let events = try run(["noise:1/s"], [], until: 1_000_000)
    let strikes = events.filter { $0.kind.extra == .fault }
    let bytes = events.compactMap { event -> [UInt8]? in
      if case .receive(let bytes) = event.kind { bytes } else { nil }
    }
    // About 1000 spikes; those that cover two of a start bit's samples count.
    #expect((200...900).contains(bytes.count))
    #expect(strikes.count == bytes.count)
    // A second spike within the frame that one has begun, about once in 1000, is a low bit in it.
    #expect(bytes.allSatisfy { $0.count == 1 && $0[0].nonzeroBitCount >= 7 })
    #expect(bytes.count { $0 != [0xFF] } <= 2)
  }

  // MARK: Adapters

  @Test func `An adapter with flow control loses nothing, however much is written`() throws {
    for adapter in ["ft232r", "ch340", "cp2102", "16u2"] {
      let text = String(repeating: "X90.L", count: 400)
      let events = try run(["adapter:\(adapter)"], [(1_000, text)])
      #expect(received(events) == text, "\(adapter)")
      #expect(losses(events).isEmpty, "\(adapter)")
    }
  }

  @Test func `A bridge without flow control loses what finds 63 bytes waiting`() throws {
    let events = try run(["adapter:bridge"], [(1_000, String(repeating: "x", count: 200))])
    // 200 bytes arrive in 17.4 ms, in which 16 or 17 leave.
    #expect((79...82).contains(received(events).utf8.count))
    #expect(received(events).utf8.count + losses(events).count == 200)
    #expect(events.contains { text($0).contains(#""overflow", "bridge", "x", """#) })
  }

  @Test func `A radio loses whole packets of 20 bytes`() throws {
    let text = String((0..<200).map { Character(Unicode.Scalar(UInt8(0x21 + $0 / 20))) })
    for seed in UInt64(1)...20 {
      let events = try run(["adapter:hm-10,loss=30%"], [(1_000, text)], seed: seed)
      for event in events {
        guard case .fault(let strike) = event.kind, strike.isLoss else { continue }
        #expect(strike.took.count == 20 && Set(strike.took).count == 1 && strike.place.isAdapter)
      }
      #expect(received(events).utf8.count + losses(events).count == 200, "seed \(seed)")
    }
  }

  @Test func `Every adapter says what it is, what it can lose, and who says so`() {
    for adapter in Adapter.all {
      #expect(!adapter.summary.isEmpty && !adapter.losses.isEmpty && !adapter.source.isEmpty)
    }
  }

  private func received(_ events: [Event]) -> String {
    String(
      decoding: events.flatMap { event -> [UInt8] in
        if case .receive(let bytes) = event.kind { bytes } else { [] }
      }, as: UTF8.self)
  }

  private func losses(_ events: [Event]) -> [UInt8] {
    events.flatMap { event -> [UInt8] in
      if case .fault(let strike) = event.kind, strike.isLoss { strike.took } else { [] }
    }
  }

  // MARK: What always holds

  static let all = [
    "drop:5%", "dup:5%", "burst:2%,length=4", "flip:1e-2", "noise:20/s", "clock:+3%±1%", "cut:4",
    "merge:20ms", "delay:5ms±3ms", "stall:300ms,every=1s", "net:jitter=30ms", "reset:1/s",
    "unplug:500ms,every=1s", "adapter:ft232r", "adapter:ch340", "adapter:cp2102", "adapter:16u2",
    "adapter:hm-10,loss=5%", "adapter:bridge", "mix:long-cheap-cable", "mix:clone-nano",
    "mix:phone-over-wifi", "mix:bluetooth", "mix:weak-supply", "mix:tired-crystal",
  ]

  /// Random writes, in order of time.
  private func writes(_ generator: inout SeededGenerator) -> [Event] {
    var time = Instant.zero + .milliseconds(200)
    let words = ["X45.", "X120.", "L", "?", "X9", "\u{0}\u{7F}UU", "X1X2X3X4X5X6X7X8.", "T"]
    return (0..<60).map { _ in
      time += .microseconds(Int64.random(in: 0...90_000, using: &generator))
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: return Event(time, .baud([4_800, 9_600, 19_200].randomElement(using: &generator)!))
      case 1: return Event(time, .reset(.milliseconds(10)))
      case 2: return Event(time, .mark("a note"))
      default:
        let text = words.randomElement(using: &generator)!
        return Event(time, .receive(Array(text.utf8)))
      }
    }
  }

  private func pass(_ writes: [Event], _ line: inout FaultyLine, steps: Int64 = 0) -> [Event] {
    var events: [Event] = []
    var now = Instant.zero
    func drain(to end: Instant) {
      // In smaller pieces of time, too, which must not change anything.
      while steps > 0, now + .microseconds(steps) < end {
        now += .microseconds(steps)
        while let event = line.next(by: now) { events.append(event) }
      }
      now = end
      while let event = line.next(by: end) { events.append(event) }
    }
    for event in writes {
      drain(to: event.time - .nanoseconds(1))
      line.take(event)
      drain(to: event.time)
    }
    drain(to: .zero + .seconds(30))
    return events
  }

  @Test(arguments: all)
  func `Each byte is delivered, lost with an event or changed with one`(_ fault: String) throws {
    for seed in UInt64(1)...12 {
      var generator = SeededGenerator(seed: seed)
      let sent = writes(&generator)
      for faults in [[fault], [fault, Self.all.randomElement(using: &generator)!]] {
        var line = try line(faults, seed: seed)
        let events = pass(sent, &line)
        #expect(
          zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time },
          "\(faults) seed \(seed): time goes back")
        var counts = [Int](repeating: 0, count: 256)
        for event in sent {
          if case .receive(let bytes) = event.kind { for byte in bytes { counts[Int(byte)] += 1 } }
        }
        for event in events {
          switch event.kind {
          case .receive(let bytes): for byte in bytes { counts[Int(byte)] -= 1 }
          case .fault(let strike):
            for byte in strike.took { counts[Int(byte)] -= 1 }
            for byte in strike.gave { counts[Int(byte)] += 1 }
          default: break
          }
        }
        // Noise at the very end can still be on its way.
        #expect(counts.allSatisfy { $0 >= 0 }, "\(faults) seed \(seed)")
        #expect(counts.reduce(0, +) == line.count, "\(faults) seed \(seed)")
        if !faults.contains(where: { $0.hasPrefix("noise") || $0.hasPrefix("mix") }) {
          #expect(line.count == 0, "\(faults) seed \(seed)")
        }
        let others = { (events: [Event]) in
          events.filter { $0.kind == .mark("a note") || $0.kind == .reset(.milliseconds(10)) }
        }
        #expect(others(events) == others(sent), "\(faults) seed \(seed)")
      }
    }
  }

  /// A byte as it reaches the board: when its frame begins, in microseconds, and whether its stop
  /// bit is low.
  private struct Arrived: Equatable {
    var byte: UInt8
    var start: Int64
    var hasLowStop = false
  }

  private func arrived(_ events: [Event]) -> [Arrived] {
    var line = OccupiedLine(baud: 9_600)
    var all: [Arrived] = []
    // A framing error is that of the first byte of the write before it.
    var first = 0
    for event in events {
      switch event.kind {
      case .baud(let baud): line.baud = baud
      case .receive(let bytes):
        first = all.count
        for byte in bytes {
          let start = line.send(at: event.time)
          all.append(Arrived(byte: byte, start: start.nanoseconds / 1_000))
        }
      case .framingError(_, let byte):
        #expect(first < all.count && all[first].byte == byte)
        if first < all.count { all[first].hasLowStop = true }
      default: break
      }
    }
    return all
  }

  static let keepingValues = all.filter { fault in
    !["flip", "noise", "cable", "weak", "tired"].contains { fault.contains($0) }
  }

  @Test(arguments: keepingValues)
  func `The bytes of writes that wait for each other keep their order`(_ fault: String) throws {
    for seed in UInt64(1)...40 {
      var generator = SeededGenerator(seed: seed)
      var time = Instant.zero + .milliseconds(200)
      var value: UInt8 = 0
      let sent = (0..<50).map { _ -> Event in
        time += .microseconds(Int64.random(in: 0...3_000, using: &generator))
        let count = UInt8.random(in: 1...5, using: &generator)
        defer { value += count }
        return Event(time, .receive((0..<count).map { value + $0 }))
      }
      var line = try line([fault], seed: seed)
      let bytes = arrived(pass(sent, &line)).map { $0.byte }
      #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed): \(bytes)")
    }
  }

  @Test func `A command that lost a byte is not overtaken by the next one`() throws {
    var line = try line(["drop:10%"], seed: 3)
    let sent = [(1_500_000, "X45."), (1_500_500, "X120."), (1_501_000, "X70.")].map {
      Event(.zero + .microseconds($0), .receive(Array($1.utf8)))
    }
    #expect(received(pass(sent, &line)) == "X45.120.X70.")
  }

  @Test(arguments: [
    ["drop:10%"], ["dup:10%"], ["burst:3%,length=4"], ["flip:2e-2"], ["noise:300/s"],
    ["clock:-2%±2%"], ["unplug:20ms,every=60ms,boot=1ms"], ["delay:3ms"],
    ["flip:1e-2", "drop:5%", "noise:50/s"],
  ])
  func `The same bits on the wire are the same bytes, in however many writes they were sent`(
    _ faults: [String]
  ) throws {
    for seed in UInt64(1)...40 {
      var generator = SeededGenerator(seed: seed)
      var (whole, cut): ([Event], [Event]) = ([], [])
      var line = OccupiedLine(baud: 9_600)
      for _ in 0..<12 {
        let time = (line.free + .milliseconds(Int64.random(in: 0...90, using: &generator)))
          .roundedUpToMicrosecond
        let bytes = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        whole.append(Event(time, .receive(bytes)))
        var last = time
        for byte in bytes {
          let start = line.send(at: time)
          // It is written when the wire is free, or earlier: no fault here makes it faster.
          if Bool.random(using: &generator) { last = start }
          if last == cut.last?.time, Bool.random(using: &generator),
            case .receive(let before)? = cut.last?.kind
          {
            cut[cut.count - 1].kind = .receive(before + [byte])
          } else {
            cut.append(Event(last, .receive([byte])))
          }
        }
      }
      var (once, parts) = try (self.line(faults, seed: seed), self.line(faults, seed: seed))
      let (a, b) = (arrived(pass(whole, &once)), arrived(pass(cut, &parts)))
      #expect(a.map { $0.byte } == b.map { $0.byte }, "seed \(seed)")
      #expect(a.map { $0.hasLowStop } == b.map { $0.hasLowStop }, "seed \(seed)")
      #expect(zip(a, b).allSatisfy { abs($0.start - $1.start) <= 2 }, "seed \(seed)")
    }
  }

  @Test func `A frame without its start bit is sampled into the next, however it was written`()
    throws
  {
    let text = Array("KLMNOPQR".utf8)
    let times = [0, 1_041_667, 2_083_333, 3_125_000, 4_166_667, 5_208_333, 6_250_000, 7_291_667]
    let eight = zip(times, text).map {
      Event(.zero + .milliseconds(1_500) + .nanoseconds(Int64($0)), .receive([$1]))
    }
    for sent in [[Event(.zero + .milliseconds(1_500), .receive(text))], eight] {
      var line = try line(["flip:2%"], seed: 17)
      let bytes = arrived(pass(sent, &line))
      #expect(bytes.map { $0.byte } == Array("KLMNOPT".utf8) + [0xEA])
      #expect(bytes.filter { $0.hasLowStop }.map { $0.byte } == [UInt8(ascii: "T")])
    }
  }

  // MARK: From the board

  @Test(arguments: [
    (
      "drop:100%,on=tx",
      [#"[1.000000, "tx", "o"]"#, #"[1.000000, "x-fault", "drop", "wire-tx", "o", ""]"#]
    ),
    (
      "dup:100%,on=tx",
      [#"[1.000000, "tx", "o"]"#, #"[1.000000, "x-fault", "dup", "wire-tx", "o", "oo"]"#]
    ),
    (
      "delay:5ms,on=tx",
      [#"[1.000000, "tx", "o"]"#, #"[1.000000, "x-fault", "delay", "wire-tx"]"#]
    ),
  ])
  func `A fault on the way from the board leaves what is at its pin`(
    _ fault: String, _ expected: [String]
  ) throws {
    let plan = FaultPlan(try FaultSpec.parse(fault))
    var line = try #require(ReturnLine(plan, baud: 9_600))
    var events: [Event] = []
    line.pass(Event(.zero + .seconds(1), .output(.transmit(UInt8(ascii: "o"))))) {
      events.append($0)
    }
    line.advance(to: .zero + .seconds(2)) { events.append($0) }
    #expect(lines(events) == expected)
    let count = fault.hasPrefix("drop") ? 0 : fault.hasPrefix("dup") ? 2 : 1
    #expect(
      line.takeArrived().map { $0.byte } == [UInt8](repeating: UInt8(ascii: "o"), count: count))
    // What is sent to the board passes as it was sent.
    var sent = FaultyLine(plan, baud: 9_600)
    let event = Event(.zero + .seconds(1), .receive([1, 2, 3]))
    #expect(pass([event], &sent) == [event])
  }

  @Test
  func `What the board sends is disturbed in order, and no byte is forgotten`() throws {
    for fault in ["drop:20%", "dup:20%", "burst:10%", "flip:3e-2", "noise:100/s", "delay:5ms±3ms"] {
      for seed in UInt64(1)...10 {
        let plan = FaultPlan(try FaultSpec.parse("\(fault),on=tx"), seed: seed)
        var line = try #require(ReturnLine(plan, baud: 9_600))
        var clock = ByteClock(baud: 9_600, startingAt: .zero + .seconds(1))
        var events: [Event] = []
        var sent = 0
        for value in UInt8(0)...200 {
          let event = Event(clock.instant, .output(.transmit(value)))
          line.pass(event) { events.append($0) }
          clock.advance()
          sent += 1
        }
        line.advance(to: .zero + .seconds(3)) { events.append($0) }
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }, "\(plan)")
        for event in events {
          guard case .fault(let strike) = event.kind else { continue }
          #expect(strike.isReturn && strike.losses(at: event.time).isEmpty)
          sent += strike.gave.count - strike.took.count
        }
        let arrived = line.takeArrived()
        #expect(arrived.count == sent, "\(plan)")
        #expect(zip(arrived, arrived.dropFirst()).allSatisfy { $0.start < $1.start }, "\(plan)")
        #expect(events.contains { $0.kind.extra == .fault }, "\(plan)")
      }
    }
  }

  @Test(arguments: all)
  func `The same seed gives the same events, in pieces of time of any size`(
    _ fault: String
  ) throws {
    var differs = false
    for seed in UInt64(1)...6 {
      var generator = SeededGenerator(seed: seed)
      let sent = writes(&generator)
      var (once, again, other) = try (
        line([fault], seed: seed), line([fault], seed: seed), line([fault], seed: seed + 100)
      )
      let events = pass(sent, &once)
      #expect(pass(sent, &again, steps: 7_777) == events, "seed \(seed)")
      #expect(again == once, "seed \(seed)")
      if pass(sent, &other) != events { differs = true }
    }
    let drawsNothing = ["cut:4", "merge:20ms", "adapter:bridge"].contains(fault)
    #expect(differs != drawsNothing)
  }

  @Test func `A fault that does not strike changes nothing`() throws {
    for fault in ["drop:1e-9", "dup:1e-9", "flip:1e-12", "cut:100", "burst:1e-9", "noise:1e-6/s"] {
      var generator = SeededGenerator(seed: 3)
      let sent = writes(&generator)
      var line = try line([fault])
      #expect(pass(sent, &line) == sent, "\(fault)")
      #expect(line.unstruck.map { $0.text } == [fault])
      let note = FaultPlan(line.unstruck, seed: 1).note(unstruck: line.unstruck)
      #expect(note == "\(fault) never struck (seed 1).")
    }
  }

  @Test func `Another fault after it does not change where a fault strikes`() throws {
    var generator = SeededGenerator(seed: 9)
    let sent = writes(&generator)
    func drops(_ faults: [String]) throws -> [FaultStrike] {
      var line = try line(faults)
      return pass(sent, &line).compactMap { event in
        if case .fault(let strike) = event.kind, strike.kind == .drop { strike } else { nil }
      }
    }
    let alone = try drops(["drop:5%"])
    #expect(!alone.isEmpty)
    #expect(try drops(["drop:5%", "noise:20/s", "dup:10%"]) == alone)
    // Two of the same kind draw different numbers.
    #expect(try drops(["drop:5%", "drop:5%"]).count > alone.count)
  }

  @Test(arguments: all)
  func `A disturbed session replays to itself without a draw`(_ fault: String) throws {
    for seed in UInt64(1)...6 {
      for firmware in Firmware.allCases {
        var generator = SeededGenerator(seed: seed)
        let sent = writes(&generator)
        var line = try line([fault], seed: seed)
        let disturbed = pass(sent, &line).filter { $0.time <= Instant.zero + .seconds(10) }
        let first = replayed(disturbed, on: firmware)
        #expect(replayed(first, on: firmware) == first, "\(firmware), seed \(seed)")
        #expect(first.filter { $0.output == nil } == disturbed, "\(firmware), seed \(seed)")
      }
    }
  }

  private func replayed(_ events: [Event], on firmware: Firmware) -> [Event] {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let model = Model(firmware, for: header, showsPulses: false)
    var replay = Replay(
      model, until: .zero + .seconds(12), kinds: [.servo, .tone, .transmit, .lost])
    var result: [Event] = []
    for event in events { replay.take(event) { result.append($0) } }
    replay.finish(after: .zero + .seconds(12)) { result.append($0) }
    return result
  }

  @Test func `The length of waits has the mean that was requested`() throws {
    // 2 000 restarts in 1 000 s.
    let events = try run(["reset:2/s,boot=0s"], [], until: 1_000_000)
    let resets = events.count { if case .reset = $0.kind { true } else { false } }
    #expect((1_850...2_150).contains(resets))
  }

  // MARK: Specs

  @Test(arguments: [
    ("reorder", 1, "cannot reorder bytes"), ("reorder:3", 1, "cannot reorder bytes"),
    ("dorp:1%", 1, #"expected a fault, found "dorp"; there are drop:1%"#), ("", 1, "found \"\""),
    ("drop", 5, "expected a value, as in drop:1%"), ("drop:", 6, "expected a value"),
    ("drop:0%", 6, "above 0%"), ("drop:101%", 6, "up to 100%"), ("drop:-1%", 6, "a chance"),
    ("drop:nan", 6, "a chance"), ("drop:0x1", 6, "a chance"), ("drop:1%,x=2", 9, "after it"),
    ("noise:5", 7, "how often"), ("noise:0/s", 7, "how often"), ("noise:2000/s", 7, "1000/s"),
    ("clock:3", 7, "a deviation"), ("clock:+30%", 7, "-20% to +20%"),
    ("clock:0%", 7, "other than 0"),
    ("clock:+1%±-1%", 11, "without a sign"), ("cut:0", 5, "a number of bytes"),
    ("cut:x", 5, "a number of bytes"), ("merge:20", 7, "with its unit"),
    ("merge:0ms", 7, "with its unit"), ("delay:5ms±9ms", 11, "a delay is not negative"),
    ("stall:1s,every=x", 16, "with its unit"), ("net:latency=3ms", 5, "net:jitter=30ms"),
    ("net", 4, "net:jitter=30ms"), ("adapter:ftdi", 9, "ft232r, ch340"),
    ("adapter:ft232r,loss=1%", 16, "after it"), ("mix:none", 5, "long-cheap-cable"),
    ("mix", 4, "long-cheap-cable"), ("burst:1%,length=0", 17, "from 1 to 10000"),
    ("unplug:5000s", 8, "from 1us to 3600s"),
    ("drop:1%,on=sda", 12, "on=rx, on the way to the board"),
    ("stall:1s,on=tx", 13, "drop, dup, burst, flip, noise, delay"),
    ("mix:bluetooth,on=tx", 18, "no line to choose"),
  ])
  func `A spec that makes no sense is refused with its column and what there is`(
    _ text: String, _ column: Int, _ message: String
  ) {
    let error = #expect(throws: SpecError.self) { try FaultSpec.parse(text) }
    #expect(error?.column == column, "\(error?.message ?? "")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: FaultName.allCases)
  func `Each fault is in the list, and its usage can be written as it is shown`(
    _ name: FaultName
  ) throws {
    #expect(FaultName.list.contains(name.usage))
    let plain = name.usage.replacing("[", with: "").replacing("]", with: "")
      .replacing("adapter:NAME", with: "adapter:hm-10").replacing("NAME", with: "bluetooth")
    #expect(try !FaultSpec.parse(plain).isEmpty)
  }

  @Test func `Each mixture consists of faults`() throws {
    for mix in FaultName.mixtures {
      #expect(
        try FaultSpec.parse("mix:\(mix.name)").map { $0.text } == mix.faults, "\(mix.name)")
    }
  }
}
