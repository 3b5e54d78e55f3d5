import Judging
import Sketches
import Testing
import Traces

@Suite("The corpus") struct CorpusTests {
  @Test(arguments: Corpus.names)
  func `Every trace agrees with the model`(_ name: String) throws {
    var reader = try Corpus.reader(name)
    let verdict = try Verification().verify(&reader)
    if case .diverges(let divergence) = verdict.outcome {
      Issue.record("\(name):\(divergence.line): \(divergence.message)")
    }
    #expect(verdict.agrees)
  }

  @Test(arguments: Corpus.names)
  func `Every trace is canonical, with the same bytes when read and written again`(_ name: String)
    throws
  {
    let text = try Corpus.text(name)
    var reader = try TraceReader(text: text, path: name)
    var written: [UInt8] = []
    written.appendLine(reader.header)
    while let event = try reader.next() { written.appendLine(event) }
    #expect(String(decoding: written, as: UTF8.self) == String(decoding: text, as: UTF8.self))
  }

  @Test(arguments: Corpus.names)
  func `Every trace has a title and a source`(_ name: String) throws {
    let header = try Corpus.reader(name).header
    #expect(header.title?.isEmpty == false)
    guard case .string(let source) = header.members.first(where: { $0.key == "source" })?.value
    else {
      Issue.record("no source")
      return
    }
    #expect(!source.isEmpty && !source.contains("/"))
    #expect(header.firmware != nil)
    #expect(header.duration != nil)
  }

  @Test
  func `There are traces of every firmware`() throws {
    var found: Set<Firmware> = []
    for name in Corpus.names {
      if let firmware = try Corpus.reader(name).header.firmware { found.insert(firmware) }
    }
    #expect(found == Set(Firmware.allCases))
  }
}
