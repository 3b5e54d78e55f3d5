package import Foundation

/// A folder for one test. It is removed, with its contents, when this object is released.
package final class TestFolder: HasFolder {
  package let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sentrybench-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
