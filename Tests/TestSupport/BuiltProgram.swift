import Foundation

/// The program under test.
package enum BuiltProgram {
  /// The path of the built program, in the folder of the tests or above it; nil if it was not
  /// built.
  package static let path: String? = {
    let starts = CommandLine.arguments.filter { $0.contains("/") } + [Bundle.main.bundlePath]
    for start in starts {
      var url = URL(fileURLWithPath: start)
      while url.path.count > 1 {
        url.deleteLastPathComponent()
        let path = url.appendingPathComponent("sentrybench").path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
          !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: path)
        {
          return path
        }
      }
    }
    return nil
  }()
}
