import Foundation
import Platform
import Sketches
import Testing
import Traces

/// Traces in files and pipes.
@Suite("Trace files")
struct TraceFileTests {
  /// The shortest header.
  private static let head = #"{"format": "sentry-trace", "version": 1}"#

  /// Reads a file whose second line has this length.
  private func read(secondLine: Int) throws -> Int {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: url) }
    let frame = "[1, \"x-a\", \"\"]".utf8.count
    let filler = String(repeating: "a", count: secondLine - frame)
    try Data("\(Self.head)\n[1, \"x-a\", \"\(filler)\"]\n".utf8).write(to: url)
    do throws(TraceError) {
      var reader = try TraceReader(path: url.path)
      var count = 0
      while try reader.next() != nil { count += 1 }
      return count
    } catch {
      #expect(error.description.hasPrefix("\(url.path):2:16777216: error: expected the line's end"))
      #expect(error.message == "expected the line's end within 16 MiB")
      throw error
    }
  }

  @Test
  func `A line over 16 MiB is refused, and a long line under it is read`() throws {
    #expect(throws: TraceError.self) { try read(secondLine: (16 << 20) + 1) }
    #expect(try read(secondLine: 600_000) == 1)
  }

  @Test
  func `A missing file and a folder are refused as input`() {
    for path in ["/nowhere/at/all.jsonl", FileManager.default.temporaryDirectory.path] {
      let error = #expect(throws: TraceError.self) { _ = try TraceReader(path: path) }
      #expect(error?.code == .noInput)
      #expect(error?.path == path)
    }
  }

  @Test func `Looking ahead for what the header lacks does not consume the file`() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: url) }
    // The pulse is far beyond the first block that is read.
    let filler = String(repeating: "[1, \"mark\", \"a\"]\n", count: 30_000)
    try Data("\(Self.head)\n\(filler)[1, \"pulse\", 1500]\n".utf8).write(to: url)
    var reader = try TraceReader(path: url.path)
    #expect(try reader.hasPulses)
    #expect(try reader.kindsOfOutput() == [.pulse])
    #expect(try reader.kindsOfOutput(among: [.pulse, .pin]) == [.pulse])
    #expect(try reader.kindsOfOutput(among: [.pin, .tone]) == [])
    var count = 0
    while try reader.next() != nil { count += 1 }
    #expect(count == 30_001)
    #expect(reader.bytesRead == (try Data(contentsOf: url)).count)
  }

  @Test func `A kind of output is found however its name is written`() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data("\(Self.head)\n[1, \"\\u0070in\", \"D7\", 1]\n".utf8).write(to: url)
    var reader = try TraceReader(path: url.path)
    #expect(try reader.kindsOfOutput(among: [.pin]) == [.pin])
    #expect(try reader.kindsOfOutput(among: [.tone]) == [])
    #expect(try !reader.hasPulses)
  }

  @Test func `A trace in memory shows its outputs before it is read`() throws {
    var reader = try TraceReader(text: Array("\(Self.head)\n[1, \"tone\", 0]\n".utf8), path: "t")
    #expect(try reader.kindsOfOutput() == [.tone])
    #expect(try !reader.hasPulses)
  }

  @Test func `A FIFO is read only once, as its data arrives`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    // Opened for reading and writing, so that neither end waits for the other.
    let end = open(path, O_RDWR)
    defer { close(end) }
    let text = Array("\(Self.head)\n[1, \"tone\", 0]\n".utf8)
    try #require(write(end, text, text.count) == text.count)
    var reader = try TraceReader(path: path)
    #expect(try reader.kindsOfOutput() == nil)
    #expect(try !reader.hasPulses)
    #expect(try reader.next()?.output == .tone(hertz: 0))
  }
}
