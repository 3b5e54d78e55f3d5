import Devices
import Judging
import Sketches
import Testing
import Traces

/// What a sender can misunderstand about the classic sketch, row by row as the README of the traces
/// lists it, is found from nothing by a rule or by a comparison with guarded.
@Suite("Search for misunderstandings") struct MisunderstandingTests {
  struct Row: Sendable, CustomStringConvertible {
    /// How the row begins.
    var text: String
    /// The rule that a session breaks; nil for a comparison of the servo with guarded.
    var rule: Rule?
    /// What the failure must mention, or what is sent in the smallest session that fails so.
    var mentions: String
    var description: String { text }
  }

  private static func servo(
    _ degrees: ClosedRange<Int>, _ within: Int64, of command: String
  ) -> Rule {
    Rule(
      .reaches(
        Reach(.servo(degrees), within: .milliseconds(within), of: TextPattern(utf8: command))))
  }

  private static let rows = [
    Row(
      text: "A number without an end blocks", rule: servo(90...90, 300, of: "X90."),
      mentions: "never came"),
    Row(
      text: "A three-digit angle that is cut", rule: Rule(.never([.swallowed])),
      mentions: "`X` was swallowed"),
    Row(
      text: "Numbers wrap at 65 536", rule: servo(11...180, 50, of: "X65546."),
      mentions: "went to 10"),
    Row(
      text: "A number without digits is 0", rule: servo(1...180, 50, of: "X."),
      mentions: "went to 0"),
    Row(
      text: "Any byte except a digit", rule: Rule(.never([.swallowed])),
      mentions: "ended a number"),
    Row(text: "Junk, including CR and LF, stops", rule: nil, mentions: "L0"),
    Row(
      text: "Junk discards every command", rule: servo(45...45, 2_000, of: "X45."),
      mentions: "0X45."),
    Row(text: "An `L` during a sweep restarts", rule: nil, mentions: "L"),
    Row(
      text: "For a second after power-on", rule: Rule(.never([.lost])),
      mentions: "63 bytes were waiting already"),
    Row(
      text: "Opening the port resets", rule: Rule(.never([.lost])),
      mentions: "bootloader owned the line"),
    Row(
      text: "A wrong speed is not detected", rule: Rule(.never([.wrongSpeed])),
      mentions: "at 9600 baud"),
    Row(
      text: "During a sweep, a command takes effect", rule: servo(90...90, 5, of: "X90."),
      mentions: "ms late"),
  ]

  @Test func `There is a search for each row of the table`() {
    let start = Corpus.readme.firstIndex { $0.hasPrefix("| what happens | shown by") } ?? 0
    let table = Corpus.readme[(start + 2)...].prefix { $0.hasPrefix("|") }
    #expect(table.count == Self.rows.count)
    for (line, row) in zip(table, Self.rows) {
      #expect(line.hasPrefix("| \(row.text)"), "\(line)")
    }
  }

  @Test(arguments: rows) func `A misunderstanding is found`(_ row: Row) throws {
    let found = try row.rule.map { try Self.search($0, row) } ?? Self.compare(row)
    #expect(found != nil)
  }

  private static let countMax = 20_000

  /// Returns after how many sessions the rule fails in the way that the row is about.
  private static func search(_ rule: Rule, _ row: Row) throws -> Int? {
    let subject = ShrinkSubject(
      firmware: .classic, profile: nil, baud: 9_600, on: ModelSource())
    let plain = try subject.runs(judgedBy: [rule]) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    var runs = plain.keepingTraits()
    var grammar = ExplorerTests.grammar(.classic)
    grammar.words = [rule.requirement.command?.example].compactMap { $0 }
    grammar.rest = .seconds(2)
    return Self.run(&runs, grammar) { session, failure in
      if failure.details.values.contains(where: { $0.contains { $0.contains(row.mentions) } }) {
        return true
      }
      return Self.smallest(session, plain) == row.mentions
    }
  }

  /// Compares the servo's angles on classic and guarded, whose steps differ by 60 us, so that they
  /// are some milliseconds apart after a cycle.
  private static func compare(_ row: Row) -> Int? {
    let trial = DifferenceTrial(
      Model(.classic, baud: 9_600, showsPulses: false),
      Model(.guarded, baud: 9_600, showsPulses: false), kinds: [.servo],
      tolerance: .milliseconds(60))
    let plain = SnapshotRuns(trial)
    var runs = plain.keepingTraits()
    return Self.run(&runs, ExplorerTests.grammar(.classic)) { session, _ in
      // A session in which nothing but L was sent needs no other reason.
      let isOnlyL = Set(Self.sent(session)) == ["L"] && session.end - .zero < .seconds(10)
      return row.mentions == "L" ? isOnlyL : Self.smallest(session, plain) == row.mentions
    }
  }

  /// What is sent in the smallest session that fails in the same way.
  private static func smallest<Trial>(
    _ session: SessionInputs, _ runs: SnapshotRuns<Trial>
  ) -> String? {
    var runs = runs
    var shrinker = Shrinker(session)
    guard shrinker.run(&runs) != nil else { return nil }
    return shrinker.smallest.map { sent($0) }
  }

  private static func sent(_ session: SessionInputs) -> String {
    var sent: [UInt8] = []
    for event in session.events {
      if case .receive(let bytes) = event.kind { sent += bytes }
    }
    return String(decoding: sent, as: UTF8.self)
  }

  private static func run<Trial>(
    _ runs: inout SnapshotRuns<Trial>, _ grammar: SessionGrammar,
    until isFound: (SessionInputs, SessionFailure) -> Bool
  ) -> Int? {
    var explorer = Explorer(grammar, random: RandomStream(seed: 1, stream: 0))
    for count in 1...countMax {
      let session = explorer.next()
      if let failure = runs.run(session), isFound(session, failure) { return count }
      if let traits = runs.traits { explorer.take(traits) }
    }
    return nil
  }
}
