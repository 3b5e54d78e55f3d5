import Devices
import Judging
import Sketches
import Testing
import Traces

/// Searches for a session on which a broken model differs from the right one.
@Suite("Search among broken models") struct BrokenModelSearchTests {
  /// The models that no session tells from the right one, with the reason.
  private static let alike = [
    "G30": "the board's clock wraps after 71.6 minutes; a session lasts less than half a minute"
  ]

  private static let countMax = 5_000

  @Test(arguments: Corpus.sentences)
  func `A broken model is told from the right one`(_ sentence: Corpus.Sentence) throws {
    let breakage = try #require(Breakage.all[sentence.mark])
    var headers: [Header] = []
    for name in sentence.traces {
      let header = try Corpus.reader(name).header
      guard let firmware = header.firmware,
        !headers.contains(where: { $0.firmware == firmware })
      else { continue }
      headers.append(Header(firmware: firmware, baud: header.baud, duration: nil, title: nil))
    }
    let found = headers.lazy.compactMap { Self.search(breakage, $0) }.first
    #expect((found != nil) == (Self.alike[sentence.mark] == nil), "\(sentence.text)")
  }

  @Test func `At least 95 percent of the broken models can be told from the right one`() {
    #expect(Self.alike.count * 20 <= Corpus.sentences.count)
  }

  private static func search(_ breakage: Breakage, _ header: Header) -> Int? {
    func search(_ broken: some Device) -> Int? {
      let firmware = header.firmware ?? .guarded
      let right = Model(firmware, baud: header.baud, showsPulses: true)
      let trial = DifferenceTrial(
        right, broken, kinds: right.capabilities.observes, tolerance: .microseconds(1))
      var runs = SnapshotRuns(trial).keepingTraits()
      var explorer = Explorer(
        ExplorerTests.grammar(firmware), random: RandomStream(seed: 1, stream: 0))
      for count in 1...countMax {
        if runs.run(explorer.next()) != nil { return count }
        if let traits = runs.traits { explorer.take(traits) }
      }
      return nil
    }
    return search(breakage.device(for: header, showsPulses: true))
  }
}
