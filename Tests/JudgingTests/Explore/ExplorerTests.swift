import Devices
import Judging
import Sketches
import Testing
import Traces

@Suite struct ExplorerTests {
  static func grammar(_ firmware: Firmware) -> SessionGrammar {
    SessionGrammar(firmware: firmware, baud: 9_600, commands: Profile(firmware).commands)
  }

  /// Runs a search on a model until a session fails, or so many were run.
  static func search(
    _ firmware: Firmware, _ rules: [Rule], seed: UInt64, atMost countMax: Int
  ) throws -> (session: SessionInputs, failure: SessionFailure)? {
    let subject = ShrinkSubject(
      firmware: firmware, profile: nil, baud: 9_600, on: ModelSource())
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }.keepingTraits()
    var explorer = Explorer(
      Self.grammar(firmware), random: RandomStream(seed: seed, stream: 0))
    for _ in 0..<countMax {
      let session = explorer.next()
      if let failure = runs.run(session) { return (session, failure) }
      if let traits = runs.traits { explorer.take(traits) }
    }
    return nil
  }

  @Test(arguments: [Mishap.swallowed, .junk, .lost, .abandoned], [1, 2, 3] as [UInt64])
  func `A session in which a byte comes to harm is found on the classic sketch`(
    mishap: Mishap, seed: UInt64
  ) throws {
    let found = try Self.search(
      .classic, [Rule(.never([mishap]))], seed: seed, atMost: 5_000)
    #expect(found != nil)
  }

  @Test func `What was found fails again when it is run alone`() throws {
    let rules = [Rule(.never([.swallowed]))]
    let found = try #require(try Self.search(.classic, rules, seed: 4, atMost: 5_000))
    let subject = ShrinkSubject(
      firmware: .classic, profile: nil, baud: 9_600, on: ModelSource())
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    let again = runs.run(found.session)
    #expect(again == found.failure)
  }

  @Test func `The same seed makes up the same sessions, another seed others`() {
    func sessions(_ seed: UInt64) -> [SessionInputs] {
      var explorer = Explorer(
        Self.grammar(.guarded), random: RandomStream(seed: seed, stream: 0))
      return (0..<200).map { _ in
        let session = explorer.next()
        var traits = SessionTraits()
        for event in session.events { traits.take(event, on: ModelSource.idle) }
        explorer.take(traits)
        return session
      }
    }
    #expect(sessions(1) == sessions(1))
    #expect(sessions(1) != sessions(2))
  }

  @Test(arguments: Firmware.allCases)
  func `Sessions are in order, not too long, and end after their last byte`(firmware: Firmware) {
    var explorer = Explorer(Self.grammar(firmware), random: RandomStream(seed: 9, stream: 0))
    for _ in 0..<2_000 {
      let session = explorer.next()
      var last = Instant.zero
      var count = 0
      for event in session.events {
        #expect(event.time >= last)
        last = event.time
        if case .receive(let bytes) = event.kind {
          #expect(!bytes.isEmpty)
          count += bytes.count
        }
      }
      #expect(count <= 320)
      #expect(session.end >= session.shown)
      #expect(last <= .zero + .seconds(20))
      var traits = SessionTraits()
      for event in session.events { traits.take(event, on: ModelSource.idle) }
      explorer.take(traits)
    }
    #expect(explorer.corpus.count > 1)
  }

  @Test func `Sessions that are given are run first, as they are`() {
    let given = (1...3).map { number in
      SessionInputs(
        firmware: .guarded,
        events: [Event(.zero + .seconds(Int64(number)), .receive(Array("X\(number).".utf8)))],
        end: .zero + .seconds(5))
    }
    var explorer = Explorer(
      Self.grammar(.guarded), random: RandomStream(seed: 1, stream: 0), given: given)
    let first = (1...3).map { _ in explorer.next() }
    #expect(first == given)
  }

  @Test func `A session that shows nothing new is not kept`() {
    var explorer = Explorer(Self.grammar(.guarded), random: RandomStream(seed: 1, stream: 0))
    var traits = SessionTraits()
    traits.take(Event(.zero, .servo(degrees: 90, microseconds: 1_500)))
    var areNew: [Bool] = []
    for _ in 0..<2 {
      _ = explorer.next()
      areNew.append(explorer.take(traits))
    }
    traits.take(Event(.zero + .seconds(1), .servo(degrees: 20, microseconds: 800)))
    _ = explorer.next()
    areNew.append(explorer.take(traits))
    #expect(areNew == [true, false, true])
    #expect(explorer.corpus.count == 2)
  }
}

extension ModelSource {
  /// A board that does nothing.
  fileprivate static var idle: Model { Model(.guarded, baud: 9_600, showsPulses: false) }
}
