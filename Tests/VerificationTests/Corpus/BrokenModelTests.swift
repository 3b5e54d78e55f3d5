import Testing
import Traces
import Verification

/// Breaks the model sentence by sentence: the traces that the README names for a sentence must
/// notice.
@Suite("A model that breaks a sentence of the reference") struct BrokenModelTests {
  @Test("is found by every trace that the README names for it", arguments: Corpus.sentences)
  func isFound(_ sentence: Corpus.Sentence) throws {
    let breakage = try #require(Breakage.all[sentence.mark], "no breakage for this sentence")
    for name in sentence.traces {
      #expect(try !agrees(name, breakage), "\(name) does not notice: \(sentence.text)")
    }
  }

  @Test("has a sentence in the README for every breakage")
  func hasASentenceForEveryBreakage() {
    #expect(Breakage.all.keys.sorted() == Corpus.sentences.map(\.mark).sorted())
  }

  @Test("is the model itself where nothing is broken", arguments: Corpus.names)
  func isTheModelWhereNothingIsBroken(_ name: String) throws {
    #expect(try agrees(name, Breakage()))
  }

  private func agrees(_ name: String, _ breakage: Breakage) throws -> Bool {
    var reader = try Corpus.reader(name)
    let device = breakage.device(for: reader.header, showsPulses: try reader.hasPulses)
    return try Verification().verify(&reader, on: device).agrees
  }
}
