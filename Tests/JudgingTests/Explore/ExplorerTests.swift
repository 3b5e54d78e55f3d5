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
    _ firmware: Firmware, _ rules: [Rule], seed: UInt64, atMost countMax: Int,
    faults: [FaultSpec] = []
  ) throws -> (session: SessionInputs, failure: SessionFailure)? {
    let subject = ShrinkSubject(
      firmware: firmware, profile: nil, baud: 9_600, on: ModelSource())
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }.keepingTraits()
    var grammar = Self.grammar(firmware)
    grammar.faults = faults
    var explorer = Explorer(grammar, random: RandomStream(seed: seed, stream: 0))
    for _ in 0..<countMax {
      let session = explorer.next()
      if let failure = runs.run(session, sharing: explorer.shared) { return (session, failure) }
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
      #expect(last <= .zero + .seconds(80))
      var traits = SessionTraits()
      for event in session.events { traits.take(event, on: ModelSource.idle) }
      explorer.take(traits)
    }
    #expect(explorer.corpus.count > 1)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `What a session shows does not depend on what it shares with the last one`(
    seed: UInt64
  ) throws {
    let subject = ShrinkSubject(
      firmware: .guarded, profile: nil, baud: 9_600, on: ModelSource())
    let plain = try subject.runs(judgedBy: []) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }.keepingTraits()
    var shared = plain
    var explorer = Explorer(Self.grammar(.guarded), random: RandomStream(seed: seed, stream: 0))
    var last: (session: SessionInputs, count: Int)?
    var sharing = 0
    for _ in 0..<400 {
      let session = explorer.next()
      if let last, last.count > 0 {
        #expect(session.events.prefix(last.count) == last.session.events.prefix(last.count))
        sharing += 1
      }
      var alone = plain
      let failure = shared.run(session, sharing: explorer.shared)
      #expect(alone.run(session) == failure)
      let traits = try #require(shared.traits)
      let own = try #require(alone.traits)
      #expect(own.values.count == traits.values.count && own.values.isSubset(of: traits.values))
      explorer.take(traits)
      last = (session, explorer.shared)
    }
    #expect(sharing > 100)
  }

  @Test func `A set of traits has what was put in, however it grew`() {
    var random = RandomStream(seed: 3, stream: 0)
    var set = TraitSet()
    var known: Set<UInt32> = []
    for _ in 0..<20_000 {
      // Many that are equal in their lowest bits.
      let number = UInt32(random.draw(1...2_000)) << UInt32(random.draw(0...16))
      #expect(set.insert(number) == known.insert(number).inserted)
    }
    #expect(set.count == known.count && known.allSatisfy { set.contains($0) })
    #expect((2_001..<4_000).allSatisfy { set.contains($0) == known.contains($0) })
    var half = TraitSet()
    for number in known where number % 2 == 0 { half.insert(number) }
    #expect(half.isSubset(of: set) && !set.isSubset(of: half) && TraitSet().isSubset(of: half))
    half.formUnion(set)
    #expect(half.count == set.count && set.isSubset(of: half))
    #expect(!TraitSet().contains(1))
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

  @Test(arguments: ["drop:20%", "dup:20%", "flip:1%", "cut:2", "reset:1/s"])
  func `A session states the faults that struck it, and fails again without a draw`(
    fault: String
  ) throws {
    let rules = [Rule(.never([.swallowed, .junk, .lost, .abandoned]))]
    let found = try #require(
      try Self.search(
        .classic, rules, seed: 3, atMost: 2_000, faults: try FaultSpec.parse(fault)))
    let subject = ShrinkSubject(
      firmware: .classic, profile: nil, baud: 9_600, on: ModelSource())
    let text = try subject.text(of: found.session, title: "found", by: "test").trace
    var reader = try TraceReader(text: text, path: "t")
    let read = try SessionInputs(&reader, as: .classic, keepsNotes: true, for: "test")
    #expect(read == found.session)
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    #expect(runs.run(read)?.causes == found.failure.causes)
  }

  @Test func `Faults strike the sessions, and not the same way each time`() throws {
    var grammar = Self.grammar(.guarded)
    grammar.faults = try FaultSpec.parse("drop:5%") + FaultSpec.parse("cut:200")
    var explorer = Explorer(grammar, random: RandomStream(seed: 2, stream: 0))
    let sessions = (0..<300).map { _ in explorer.next() }
    let struckCount = sessions.count { session in
      session.events.contains { if case .fault = $0.kind { true } else { false } }
    }
    #expect((50..<300).contains(struckCount))
    #expect(explorer.struck == [0])
    for session in sessions { #expect(session.end >= session.shown) }
  }

  // MARK: What is kept

  private static func kept(_ explorer: inout Explorer, _ angles: [UInt8]) {
    _ = explorer.next()
    var traits = SessionTraits()
    for degrees in angles {
      traits.take(Event(.zero, .servo(degrees: degrees, microseconds: 1_500)))
    }
    explorer.take(traits)
  }

  @Test func `Of the kept sessions, those that smaller ones cover go`() {
    func session(_ count: Int) -> SessionInputs {
      SessionInputs(
        firmware: .guarded,
        events: [Event(.zero, .receive([UInt8](repeating: 0x4C, count: count)))],
        end: .zero + .seconds(1))
    }
    let given = [session(3), session(1), session(2)]
    var explorer = Explorer(
      Self.grammar(.guarded), random: RandomStream(seed: 1, stream: 0), given: given)
    Self.kept(&explorer, [10])
    Self.kept(&explorer, [20])
    Self.kept(&explorer, [10])
    #expect(explorer.corpus.map { $0.session } == given)
    #expect(Explorer.minimised(explorer.corpus).map { $0.session } == [session(1), session(2)])
  }

  @Test func `Nothing that was seen is lost when sessions go`() throws {
    let subject = ShrinkSubject(
      firmware: .classic, profile: nil, baud: 9_600, on: ModelSource())
    var runs = try subject.runs(judgedBy: []) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }.keepingTraits()
    var explorer = Explorer(Self.grammar(.classic), random: RandomStream(seed: 5, stream: 0))
    for _ in 0..<1_000 {
      _ = runs.run(explorer.next())
      explorer.take(try #require(runs.traits))
    }
    let minimised = Explorer.minimised(explorer.corpus)
    #expect(minimised.count < explorer.corpus.count)
    let shown = minimised.reduce(into: TraitSet()) { $0.formUnion($1.traits.values) }
    #expect(shown.count == explorer.seen.count && shown.isSubset(of: explorer.seen))
  }

  @Test func `When the memory is full, nothing more is kept, and that is known`() {
    var explorer = Explorer(
      Self.grammar(.guarded), random: RandomStream(seed: 1, stream: 0), memory: 4_000)
    for angle in 0..<18 { Self.kept(&explorer, [UInt8(10 * angle)]) }
    #expect((1..<10).contains(explorer.corpus.count))
    #expect(explorer.isFull)
    #expect(explorer.corpus.reduce(0) { $0 + $1.size } <= 4_000)
  }
}

extension ModelSource {
  /// A board that does nothing.
  fileprivate static var idle: Model { Model(.guarded, baud: 9_600, showsPulses: false) }
}
