import Sketches
import Testing
import Traces

/// Checks that the comparison detects what it is made for.
@Suite struct ComparisonTests {
  /// A named change to a session.
  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sketch: PrebuiltSketch
    var change: @Sendable (inout Session) -> Void

    init(
      _ name: String, _ sketch: PrebuiltSketch = .guarded,
      change: @escaping @Sendable (inout Session) -> Void
    ) {
      testDescription = name
      self.sketch = sketch
      self.change = change
    }
  }

  private static func stream(_ sketch: PrebuiltSketch) -> SentStream {
    func sent(_ milliseconds: Int64, _ text: String) -> Event {
      Event(.zero + .milliseconds(milliseconds), .receive(Array(text.utf8)))
    }
    return SentStream(
      sketch, seed: 0,
      inputs: [
        sent(1_100, "X45."), sent(1_200, "V?"), sent(1_300, "L"), sent(1_500, "X1"),
        sent(1_900, "zT"), sent(2_000, "X70."),
      ], notBefore: .zero)
  }

  private static func delay(_ kind: Output.Kind, by interval: Interval)
    -> @Sendable (inout Session) -> Void
  {
    { session in
      let index = session.outputs.lastIndex { $0.output.kind == kind }!
      session.outputs[index].time += interval
    }
  }

  static let changes = [
    Change("a servo write 101 us late", change: delay(.servo, by: .microseconds(101))),
    Change("a servo write 101 us early", change: delay(.servo, by: .microseconds(-101))),
    Change("a servo write missing") { session in
      session.outputs.remove(at: session.outputs.firstIndex { $0.output.kind == .servo }!)
    },
    Change("another angle") { session in
      let index = session.outputs.firstIndex { $0.output.kind == .servo }!
      session.outputs[index].output = .servo(degrees: 91, microseconds: 1_482)
    },
    Change("a tone missing") { session in
      session.outputs.removeAll { $0.output.kind == .tone }
    },
    Change("a byte lost", .classic) { session in
      var lost = session.outputs[0]
      lost.output = .lost(88, .ringFull)
      session.outputs.append(lost)
    },
    Change("another count in the status line") { session in
      let index = session.outputs.firstIndex { $0.output == .transmit(UInt8(ascii: "1")) }!
      session.outputs[index].output = .transmit(UInt8(ascii: "2"))
    },
    Change("a line 101 us late") { session in
      for index in session.outputs.indices where session.outputs[index].output.kind == .transmit {
        session.outputs[index].time += .microseconds(101)
      }
    },
    Change("a clock that runs another way") { session in
      let lines = SentLine.lines(in: session.outputs)
      let last = lines.last { $0.clock != nil }!
      // The fifth digit: 4 096 us.
      let start = session.outputs.firstIndex {
        $0.time == last.begin && $0.output.kind == .transmit
      }!
      session.outputs[start + 4].output = .transmit(UInt8(ascii: "f"))
    },
    Change("another fate") { $0.ledger[1].fate = .abandoned },
    Change("another command") { $0.ledger[5].command = 9 },
    Change("a scan that no byte ended", .classic) { session in
      let index = session.ledger.firstIndex { $0.endedScan }!
      session.ledger[index].endedScan = false
    },
    Change("a byte less") { $0.ledger.removeLast() },
  ]

  @Test(arguments: changes)
  func `Every kind of difference is found`(_ change: Change) throws {
    let stream = Self.stream(change.sketch)
    let timing = try change.sketch.timing()
    let model = Session(model: stream, timing: timing)
    var chip = model
    #expect(SessionComparison(model: model, chip: chip, of: stream).first == nil)
    change.change(&chip)
    #expect(SessionComparison(model: model, chip: chip, of: stream).first != nil)
    #expect(StreamTrial(stream, chip: chip, timing: timing).difference != nil)
  }

  @Test func `A complaint about the binary is a difference`() throws {
    let stream = Self.stream(.guarded)
    var chip = Session(model: stream, timing: try PrebuiltSketch.guarded.timing())
    chip.complaint = "sentry_wait"
    let trial = StreamTrial(stream, chip: chip, timing: try PrebuiltSketch.guarded.timing())
    #expect(trial.difference != nil)
  }

  /// An aim that arrives some microseconds after the classic sketch has looked, although the binary
  /// has seen it.
  @Test(arguments: [(5, true), (20, true), (45, true), (120, false), (5_000, false)])
  func `A byte that arrives as the sketch looks can count either way within 50 us`(
    _ microseconds: Int64, _ isAccepted: Bool
  ) throws {
    let timing = try PrebuiltSketch.classic.timing()
    let sweep = Event(.zero + .milliseconds(1_100), .receive([UInt8(ascii: "L")]))
    let earliest = Instant.zero + .seconds(3)
    let plain = SentStream(.classic, seed: 0, inputs: [sweep], notBefore: earliest)
    let writes = Session(model: plain, timing: timing).outputs(.servo)
    // The time from the look before a step to the step's write.
    let look = writes[writes.count / 2].time - timing.stepWrite
    let arrival = look + .microseconds(microseconds)
    let start = (arrival - ByteClock.byteTime(baud: 9_600)).roundedUpToMicrosecond
    let aim = Event(start, .receive(Array("X33.".utf8)))
    let stream = SentStream(.classic, seed: 0, inputs: [sweep, aim], notBefore: earliest)
    // Byte 0 is the L, byte 1 the X.
    let early = [1: Interval.microseconds(-microseconds - 30)]
    var chip = Session(model: stream, timing: timing, shifts: early)
    chip.ledger[1].arrived = stream.arrivals[1].end
    let model = Session(model: stream, timing: timing)
    #expect(SessionComparison(model: model, chip: chip, of: stream).first != nil)
    let trial = StreamTrial(stream, chip: chip, timing: timing)
    #expect((trial.difference == nil) == isAccepted)
    if isAccepted { #expect(trial.moved.count == 1) }
  }

  @Test func `A symbol list of another file is refused`() throws {
    let hex = try PrebuiltSketch.classic.contents()
    let list = "cksum \(SymbolList.checksum(hex)) \(hex.count)\n00800116 0000009d Serial\n"
    #expect(try SymbolList(list, of: hex, path: "a")["Serial"] == 0x116..<0x1B3)
    #expect(throws: SymbolList.Problem.self) { try SymbolList(list, of: hex + [10], path: "a") }
    // POSIX's own example is an empty file.
    #expect(SymbolList.checksum([]) == 4_294_967_295)
  }
}
