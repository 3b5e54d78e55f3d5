import Foundation
import Sketches
import Traces

/// The traces of this repository.
enum Corpus {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "traces")

  /// Every trace, as `folder/name` without `.jsonl`, in order.
  static let names: [String] = {
    let paths = FileManager.default.subpaths(atPath: folder.path()) ?? []
    return paths.filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()
  }()

  static func text(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name + ".jsonl")))
  }

  static func reader(_ name: String) throws -> TraceReader {
    try TraceReader(text: text(name), path: name)
  }

  /// The lines of the README, and of those in the folders that have one.
  static let readme: [String] = {
    let paths = FileManager.default.subpaths(atPath: folder.path()) ?? []
    let pages = paths.filter { $0.split(separator: "/").last == "README.md" }.sorted()
    return pages.flatMap { path in
      let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
      return (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }()

  /// The texts between backticks in a line that look like the name of a trace.
  static func traceNames(in line: some StringProtocol) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      .filter { $0.contains("/") && !$0.contains(" ") && !$0.hasSuffix("/") }
  }

  /// A row of the README's table of sentences.
  struct Sentence: Sendable, CustomStringConvertible {
    var mark: String
    var text: String
    var traces: [String]
    var description: String { mark }
  }

  /// The rows whose first cell is a mark such as C12.
  static let sentences: [Sentence] = readme.compactMap { line in
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    guard line.hasPrefix("|"), cells.count >= 3,
      cells[0].wholeMatch(of: /[A-Z][0-9]+/) != nil
    else { return nil }
    return Sentence(mark: cells[0], text: cells[1], traces: traceNames(in: cells[2]))
  }
}
