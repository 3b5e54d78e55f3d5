import Engine
import Files
import Traces
import Verification

/// Reads the scenario files of a suite.
package enum SuiteFiles {
  package static let endings = [".yaml", ".yml"]

  /// Returns the scenarios of files, and of folders in byte order of the path, and the errors of
  /// the files that could not be read. A file that is named twice counts once.
  package static func read(_ paths: [String]) -> (tests: [SuiteTest], refused: [Failure]) {
    var tests: [SuiteTest] = []
    var refused: [Failure] = []
    var seen: Set<String> = []
    for path in paths {
      for file in FoundFiles.find(
        path, endings: endings, wanting: "a scenario file", skipsHidden: true)
      where seen.insert(file.path).inserted {
        do throws(Failure) {
          if let error = file.error { throw Failure(error) }
          tests += try scenarios(file.path).map { SuiteTest(path: file.path, $0) }
        } catch {
          refused.append(error)
        }
      }
    }
    return (tests, refused)
  }

  /// Reads the scenarios of a file.
  static func scenarios(_ path: String) throws(Failure) -> [Scenario] {
    try read(path, wanting: "a scenario file") { (parser, documents) throws(NotationError) in
      let scenarios = try parser.scenarios(documents)
      guard !scenarios.isEmpty else {
        throw NotationError(.init(), "expected a scenario, found an empty file")
      }
      return scenarios
    }
  }

  /// Reads a scenario file. `what` names the expected contents in messages.
  static func read<Contents>(
    _ path: String, wanting what: String,
    _ parse: (ScenarioParser, [Notation]) throws(NotationError) -> Contents
  ) throws(Failure) -> Contents {
    let text = try Failure.ofTrace { () throws(TraceError) in
      try InputFile.contents(of: path, wanting: what)
    }
    do throws(NotationError) {
      return try parse(ScenarioParser(path: path), YAMLText.documents(in: text))
    } catch {
      throw Failure(.malformed, error.text(in: path))
    }
  }
}
