import Testing

@Suite("README of the corpus") struct ReadmeTests {
  @Test
  func `Every trace that the README names exists`() {
    let names = Set(Corpus.names)
    for line in Corpus.readme {
      for name in Corpus.traceNames(in: line) {
        #expect(names.contains(name), "\(line)")
      }
    }
  }

  @Test(arguments: Corpus.sentences)
  func `Every sentence has a trace`(_ sentence: Corpus.Sentence) {
    #expect(!sentence.traces.isEmpty)
    #expect(!sentence.text.isEmpty)
  }

  @Test
  func `There are sentences of every part, and no mark occurs twice`() {
    let marks = Corpus.sentences.map(\.mark)
    #expect(Set(marks).count == marks.count)
    #expect(Set(marks.compactMap(\.first)) == ["W", "R", "C", "B", "S", "G"])
  }
}
