package import Foundation

/// A test's helper with a folder of its own, whose files it reads and writes by their names.
package protocol HasFolder: AnyObject {
  var folder: URL { get }
}

extension HasFolder {
  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  package func write(_ text: String, _ name: String) throws {
    let url = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  package func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  package var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
  }

  /// A file's size in bytes; -1 if there is none.
  package func size(_ name: String) -> Int64 {
    let values = try? FileManager.default.attributesOfItem(atPath: path(name))
    return (values?[.size] as? NSNumber)?.int64Value ?? -1
  }
}
