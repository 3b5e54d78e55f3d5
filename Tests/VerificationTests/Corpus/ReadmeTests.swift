import Testing

@Suite("The corpus's README") struct ReadmeTests {
  @Test("names every trace in its table of traces")
  func namesEveryTrace() {
    let rows = Corpus.readme.filter { $0.hasPrefix("| `") }
    let named = rows.compactMap { Corpus.traceNames(in: $0).first }
    #expect(named.sorted() == Corpus.names)
  }

  @Test("names no trace that does not exist")
  func namesNoTraceThatDoesNotExist() {
    let names = Set(Corpus.names)
    for (index, line) in Corpus.readme.enumerated() {
      for name in Corpus.traceNames(in: line) {
        #expect(names.contains(name), "line \(index + 1)")
      }
    }
  }

  @Test("has a trace for every sentence", arguments: Corpus.sentences)
  func hasATraceForEverySentence(_ sentence: Corpus.Sentence) {
    #expect(!sentence.traces.isEmpty)
    #expect(!sentence.text.isEmpty)
  }

  @Test("has sentences of every part, and no mark twice")
  func hasSentencesOfEveryPart() {
    let marks = Corpus.sentences.map(\.mark)
    #expect(Set(marks).count == marks.count)
    #expect(Set(marks.compactMap(\.first)) == ["W", "R", "C", "B", "S", "G"])
  }
}
