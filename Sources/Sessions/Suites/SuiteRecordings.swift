import Files
import Platform
import SystemPackage
import Traces

/// The recordings of a suite's live sessions, in a temporary folder that is removed with it.
final class SuiteRecordings {
  private let folder: String

  init() throws(Failure) {
    let parent = TemporaryFolder.path
    var template = Array("\(parent)/sentrybench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(writing: parent, Errno(rawValue: errno))
    }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { rmdir(folder) }

  /// The path for a run's recording.
  func path(_ run: Int) -> String { "\(folder)/\(run).jsonl" }

  /// Returns a run's recording and removes it; nil if there is none.
  func take(_ run: Int) -> [UInt8]? {
    // The recording of a sender that failed has another name.
    let paths = [path(run), "\(folder)/\(run).failed.jsonl"]
    defer { for path in paths { unlink(path) } }
    for path in paths {
      if let contents = try? InputFile.contents(of: path, wanting: "a trace") { return contents }
    }
    return nil
  }
}
