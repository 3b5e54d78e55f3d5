import Files
import Platform
import SystemPackage
import Traces

/// The recordings of a suite's live sessions, in a temporary folder that is removed with it.
final class SuiteRecordings {
  private let folder: PrivateFolder

  init() throws(Failure) {
    let parent = TemporaryFolder.path
    do throws(Errno) {
      folder = try PrivateFolder(in: parent)
    } catch {
      throw Failure(writing: parent, error)
    }
  }

  /// The path for a run's recording.
  func path(_ run: Int) -> String { "\(folder.path)/\(run).jsonl" }

  /// Returns a run's recording and removes it; nil if there is none.
  func take(_ run: Int) -> [UInt8]? {
    // The recording of a sender that failed has another name.
    let paths = [path(run), "\(folder.path)/\(run).failed.jsonl"]
    defer { for path in paths { unlink(path) } }
    for path in paths {
      if let contents = try? InputFile.contents(of: path, wanting: "a trace") { return contents }
    }
    return nil
  }
}
