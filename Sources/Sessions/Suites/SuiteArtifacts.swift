package import Devices
import Engine
import Judging
import Pictures
import Platform
import Sketches
import SystemPackage
import Traces

/// A folder for each run that failed: the failure, the trace, a picture, an explanation, and what
/// the sender printed.
///
/// A line of `failure.txt` names the run, so that a later suite in which the scenario
/// passes knows which files are about it, and removes them.
package struct SuiteArtifacts {
  private let folder: String
  private var names: Set<String> = []
  /// The folders that earlier suites left, each with the title of its run.
  private var earlier: [String: String] = [:]

  private static let failure = "failure.txt"
  /// All files that can be in a run's folder.
  private static let contents = [
    failure, "output.txt", "trace.jsonl", "explanation.txt", "picture.svg",
  ]

  package init(_ folder: String) throws(Failure) {
    self.folder = folder
    try OutputFolder.make(folder)
    for file in FoundFiles.find(folder, endings: [Self.failure], wanting: "a failure") {
      guard file.error == nil else { continue }
      let parts = file.path.dropFirst(folder.count).split(separator: "/")
      guard parts.count == 2, parts[1] == Self.failure, let title = Self.title(in: file.path)
      else { continue }
      earlier[String(parts[0])] = title
    }
    for name in earlier.keys {
      for file in Self.contents {
        let path = "\(folder)/\(name)/\(file)"
        guard let input = FileIdentity(path), OpenedFiles.contains(input), file != Self.failure
        else {
          continue
        }
        throw Failure(
          .usage,
          "\(path): error: is also an input of this command, which --artifacts would replace; copy "
            + "it, or choose another folder")
      }
    }
  }

  /// Removes what earlier suites wrote about a scenario, in all its runs. `title` is that of a run
  /// without its attempt. Anything else in those folders stays.
  package mutating func clear(_ title: String) {
    for (name, owner) in earlier where Self.isRun(owner, of: title) {
      earlier[name] = nil
      for file in Self.contents { unlink("\(folder)/\(name)/\(file)") }
      rmdir("\(folder)/\(name)")
    }
  }

  /// Whether a title is that of a scenario's run, with or without its attempt and seed.
  private static func isRun(_ owner: String, of title: String) -> Bool {
    guard owner.hasPrefix(title) else { return false }
    let rest = owner.dropFirst(title.count)
    let attempt = " (run "
    guard !rest.isEmpty else { return true }
    guard rest.hasPrefix(attempt), rest.hasSuffix(")") else { return false }
    let numbers = rest.dropFirst(attempt.count).dropLast().split(
      separator: ", seed ", maxSplits: 1, omittingEmptySubsequences: false)
    return numbers.allSatisfy { UInt64($0) != nil }
  }

  /// Returns the title in a run's failure, from its first line such as `FAILED  TITLE (0.001 s)`;
  /// nil if it has none.
  private static func title(in path: String) -> String? {
    guard let text = try? InputFile.contents(of: path, wanting: "a failure") else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    for line in lines {
      guard let word = ["FAILED  ", "ERROR   "].first(where: { line.hasPrefix($0) }) else {
        continue
      }
      let rest = line.dropFirst(word.count)
      guard rest.hasSuffix(" s)"), let end = rest.lastIndex(of: "(") else { return nil }
      return String(rest[..<end].dropLast())
    }
    return nil
  }

  /// Writes the files about a run. `makeSource` creates its device. Returns the path of its trace;
  /// nil if there is none.
  @discardableResult
  package mutating func write(
    _ result: SuiteResult, _ title: String,
    on makeSource: () throws(Failure) -> any DeviceSource = { ModelSource() }
  ) throws(Failure) -> String? {
    let path = "\(folder)/\(name(title))"
    try OutputFolder.make(path)
    // Files that an earlier suite left there are not about this run.
    for name in Self.contents { unlink("\(path)/\(name)") }
    let text = SuiteReport.text(result, title, isVerbose: false) ?? ""
    try Self.write(PlainText.lines(text) + "\n", "\(path)/\(Self.failure)")
    if !result.output.bytes.isEmpty {
      try Self.write(result.output.text + "\n", "\(path)/output.txt")
    }
    guard let trace = result.trace else { return nil }
    try Self.write(String(decoding: trace, as: UTF8.self), "\(path)/trace.jsonl")
    let pages: [(text: String, name: String)]
    do {
      pages = [
        (try Self.explanation(trace, on: makeSource), "explanation.txt"),
        (try Self.picture(trace), "picture.svg"),
      ]
    } catch {
      let message = (error as? Failure)?.message ?? "\(error)"
      pages = [(message + "\n", "explanation.txt")]
    }
    for page in pages { try Self.write(page.text, "\(path)/\(page.name)") }
    return "\(path)/trace.jsonl"
  }

  /// Returns a name for a folder, derived from the run's title, that no other run uses.
  private mutating func name(_ title: String) -> String {
    let name = Self.plain(title)
    var unique = name
    var number = 1
    while (earlier[unique] ?? title) != title || isForeign(unique)
      || !names.insert(unique).inserted
    {
      number += 1
      unique = "\(name)-\(number)"
    }
    return unique
  }

  /// Whether something is there that no suite wrote: a file, or a folder with a file of a run's
  /// name.
  private func isForeign(_ name: String) -> Bool {
    let path = "\(folder)/\(name)"
    var status = stat()
    guard earlier[name] == nil, !names.contains(name), lstat(path, &status) == 0 else {
      return false
    }
    return status.st_mode & S_IFMT != S_IFDIR
      || Self.contents.contains { lstat("\(path)/\($0)", &status) == 0 }
  }

  /// The maximum length of a folder's name.
  static let nameMax = 120

  /// Returns a title as a name that every file system accepts: its ASCII letters and digits, with
  /// `-` for other characters.
  static func plain(_ title: String) -> String {
    var name = ""
    for scalar in title.unicodeScalars {
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      if isPlain, scalar.isASCII {
        name.unicodeScalars.append(scalar)
      } else if !name.isEmpty, name.last != "-" {
        name.append("-")
      }
    }
    name = String(name.prefix(nameMax))
    while name.last == "-" { name.removeLast() }
    return name.isEmpty ? "scenario" : name
  }

  // MARK: What is seen of a session

  /// What became of the bytes of a session: by the model of its sketch or, if it has none, on the
  /// device.
  static func explanation(
    _ trace: [UInt8], on makeSource: () throws(Failure) -> any DeviceSource = { ModelSource() }
  ) throws -> String {
    var lines: [String]?
    var reader = try TraceReader(text: trace, path: "trace.jsonl")
    if reader.header.otherFirmware != nil { lines = try observed(&reader, on: makeSource()) }
    return try (lines ?? SessionAccount(trace, path: "trace.jsonl").lines)
      .joined(separator: "\n") + "\n"
  }

  /// Nil if the device shows no more of a sketch without a model than the trace does.
  private static func observed(
    _ reader: inout TraceReader, on source: some DeviceSource
  ) throws -> [String]? {
    guard source.isVirtual, source.runsAnyProgram else { return nil }
    let header = reader.header
    let device = try source.makeDevice(
      for: header, firmware: header.firmware(unless: nil), showsPulses: false)
    let session = try ObservedSession(&reader, on: device)
    let explanation = ObservedExplanation(session, sketch: header.otherFirmware)
    return explanation.byteLines + explanation.lossLines
  }

  /// A picture of a session, as its trace shows it.
  static func picture(_ trace: [UInt8]) throws(TraceError) -> String {
    var reader = try TraceReader(text: trace, path: "trace.jsonl")
    return SessionPicture.svg(of: try PlottedSession.recorded(&reader))
  }

  // MARK: Files

  private static func write(_ text: String, _ path: String) throws(Failure) {
    var file = try OutputFile(path)
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
