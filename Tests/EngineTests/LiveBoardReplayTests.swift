import Devices
import Engine
import Sketches
import TestSupport
import Testing
import Traces

/// A replay gives what a live session recorded, for any input and any timing of the passes.
@Suite struct LiveBoardReplayTests {
  @Test(arguments: Firmware.allCases, [false, true])
  func `A session of random inputs at random times replays to the same bytes`(
    _ firmware: Firmware, _ showsPulses: Bool
  ) throws {
    for seed in UInt64(1)...60 {
      var stage = Stage(firmware, showsPulses: showsPulses)
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<Int.random(in: 1...120, using: &generator) { stage.turn(&generator) }
      stage.finish()
      #expect(stage.events.contains { $0.isInput || $0.output != nil }, "seed \(seed)")
      try stage.expectReplay("\(firmware), seed \(seed)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `A device without a deadline has nothing left to do`(_ firmware: Firmware) {
    for seed in UInt64(1)...300 {
      var generator = SeededGenerator(seed: seed)
      var stage = Stage(firmware, showsPulses: false)
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        stage.now += .microseconds(Int64.random(in: 0...5_000, using: &generator))
        let aim = "X\(Int.random(in: 0...180, using: &generator))."
        stage.take(.receive(Array(aim.utf8)))
        while Bool.random(using: &generator), let due = stage.nextDeadline {
          let late = Int64.random(in: 0...2, using: &generator)
          stage.now = max(stage.now, due + .microseconds(late))
          stage.pass()
        }
      }
      while let due = stage.nextDeadline {
        let late = Int64.random(in: 0...2, using: &generator)
        stage.now = max(stage.now, due + .microseconds(late))
        stage.pass()
      }
      let count = stage.events.count
      stage.now += .seconds(10)
      stage.pass()
      #expect(stage.events.count == count, "\(firmware), seed \(seed)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `A burst at one instant keeps its order and replays`(_ firmware: Firmware) throws {
    var stage = Stage(firmware, showsPulses: false)
    stage.now = .zero + .milliseconds(1_500)
    for byte in "X45.LX120.?" { stage.take(.receive(Array(String(byte).utf8))) }
    stage.now += .seconds(2)
    stage.finish()
    let received = stage.events.compactMap { event -> [UInt8]? in
      if case .receive(let bytes) = event.kind { bytes } else { nil }
    }
    #expect(received.joined().elementsEqual("X45.LX120.?".utf8))
    let times = stage.events.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    try stage.expectReplay("a burst")
  }

  @Test func `An input at the instant of an output is stamped after it`() throws {
    var stage = Stage(.guarded, showsPulses: false)
    stage.now = .zero + .milliseconds(10)
    stage.take(.receive(Array("L".utf8)))
    for _ in 0..<50 {
      stage.now = try #require(stage.nextDeadline)
      stage.pass()
      stage.take(.receive(Array("X9".utf8)))
    }
    stage.finish()
    try stage.expectReplay("on the dot")
  }

  @Test func `A clock that goes backwards changes nothing`() throws {
    var stage = Stage(.classic, showsPulses: false)
    stage.now = .zero + .seconds(2)
    stage.pass()
    let count = stage.events.count
    stage.now = .zero + .seconds(1)
    stage.pass()
    #expect(stage.events.count == count)
    stage.take(.receive(Array("X45.".utf8)))
    stage.now = .zero + .seconds(3)
    stage.finish()
    #expect(stage.events.last?.time == .zero + .seconds(3))
    try stage.expectReplay("back in time")
  }
}

extension LiveBoardReplayTests {
  /// A live session, a clock under the test's control, and the recorded events.
  struct Stage {
    private let header: Header
    private let kinds: Set<Output.Kind>
    private let showsPulses: Bool
    private var session: LiveBoard<Model>
    private(set) var events: [Event] = []
    var now = Instant.zero

    init(_ firmware: Firmware, showsPulses: Bool) {
      header = Header(firmware: firmware, duration: nil, title: nil)
      self.showsPulses = showsPulses
      let all = Set(Output.Kind.allCases)
      kinds = showsPulses ? all : all.subtracting([.pulse])
      session = LiveBoard(
        Model(firmware, for: header, showsPulses: showsPulses), baud: 9_600, kinds: kinds)
    }

    var nextDeadline: Instant? { session.nextDeadline }

    mutating func take(_ kind: Event.Kind) {
      session.take(.event(kind), at: now) { events.append($0) }
    }

    mutating func pass() {
      session.pass(to: now) { events.append($0) }
    }

    mutating func finish() {
      session.finish(at: now) { events.append($0) }
    }

    /// A turn of the bench: time passes, inputs arrive, outputs are read.
    mutating func turn(_ generator: inout SeededGenerator) {
      let longest: Int64 = [0, 1, 3, 1_042, 15_000, 400_000].randomElement(using: &generator)!
      now += .microseconds(Int64.random(in: 0...longest, using: &generator))
      if Int.random(in: 0..<4, using: &generator) == 0, let due = session.nextDeadline {
        now = max(now, due)
      }
      for _ in 0..<[0, 0, 1, 1, 2, 5].randomElement(using: &generator)! {
        take(Self.input(&generator))
        // Inputs of one turn have the same stamp, or one a little later.
        now += .microseconds(Int64.random(in: 0...1, using: &generator))
      }
      if Int.random(in: 0..<3, using: &generator) > 0 { pass() }
    }

    private static func input(_ generator: inout SeededGenerator) -> Event.Kind {
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: return .baud([1_200, 4_800, 19_200, 115_200].randomElement(using: &generator)!)
      case 1: return .reset(.zero)
      case 2: return .reset(.milliseconds(Int64.random(in: 1...1_200, using: &generator)))
      case 3, 4: return .baud(9_600)
      case 5: return .mark("a note")
      case 7:
        return .format(
          LineFormat(
            dataSize: .random(in: LineFormat.dataSizes, using: &generator),
            parity: LineFormat.Parity.allCases.randomElement(using: &generator)!))
      case 8, 9: return .format(.standard)
      case 10: return .senderBreak(.seconds(3_600))
      case 11: return .senderBreak(.microseconds(.random(in: 0...30_000, using: &generator)))
      case 12...14: return .senderBreak(.zero)
      case 6:
        let count = Int.random(in: 1...90, using: &generator)
        return .receive((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      default:
        let words = ["X45.", "X1", "20.", "L", "T", "OC", "?", "V", "\r\n", "X9X10.", "X65546."]
        return .receive(Array(words.randomElement(using: &generator)!.utf8))
      }
    }

    /// Replays the recording as `replay` does, and compares the text.
    func expectReplay(_ comment: Comment) throws {
      var text: [UInt8] = []
      text.appendLine(header)
      for event in events { text.appendLine(event) }
      var reader = try TraceReader(text: text, path: "live")
      let device = Model(
        header.firmware(unless: nil), for: reader.header, showsPulses: showsPulses)
      var replay = Replay(device, until: nil, kinds: kinds)
      var replayed: [UInt8] = []
      replayed.appendLine(reader.header)
      while let event = try reader.next() { replay.take(event) { replayed.appendLine($0) } }
      replay.finish(after: reader.time) { replayed.appendLine($0) }
      guard replayed != text else { return }
      let lines = [text, replayed].map {
        String(decoding: $0, as: UTF8.self).split(separator: "\n")
      }
      let pair = zip(lines[0], lines[1]).first { $0 != $1 }
      Issue.record("live \(pair?.0 ?? "is longer"), replay \(pair?.1 ?? ""); \(comment.rawValue)")
    }
  }
}
