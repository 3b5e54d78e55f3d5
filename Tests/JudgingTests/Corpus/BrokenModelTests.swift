import Judging
import Testing
import Traces

/// Breaks the model sentence by sentence. The traces that the README names for a sentence must
/// detect it.
@Suite("Broken models") struct BrokenModelTests {
  @Test(arguments: Corpus.sentences)
  func `Every trace that the README names for a sentence detects its breakage`(
    _ sentence: Corpus.Sentence
  ) throws {
    let breakage = try #require(Breakage.all[sentence.mark], "no breakage for this sentence")
    for name in sentence.traces {
      #expect(try !agrees(name, breakage), "\(name) does not notice: \(sentence.text)")
    }
  }

  @Test
  func `Breakages exist for exactly the sentences of the README`() {
    #expect(Breakage.all.keys.sorted() == Corpus.sentences.map(\.mark).sorted())
  }

  @Test(arguments: Corpus.names)
  func `A model without a breakage agrees with every trace`(_ name: String) throws {
    #expect(try agrees(name, Breakage()))
  }

  private func agrees(_ name: String, _ breakage: Breakage) throws -> Bool {
    var reader = try Corpus.reader(name)
    let device = breakage.device(for: reader.header, showsPulses: try reader.hasPulses)
    return try Verification().verify(&reader, on: device).agrees
  }
}
