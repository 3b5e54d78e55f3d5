package import Network
import Platform
import SystemPackage
import Traces

extension PageTable {
  /// Reads the installed pages. Throws if the dashboard is missing.
  package static func dashboard() throws(Failure) -> PageTable {
    _ = try Failure.ofTrace { () throws(TraceError) in
      try SharedFiles.folder(named: "dashboard")
    }
    return installed()
  }

  /// Reads the playground. Throws if it is missing.
  package static func playground() throws(Failure) -> PageTable {
    let name = "playground"
    _ = try Failure.ofTrace { () throws(TraceError) in try SharedFiles.folder(named: name) }
    return PageTable(files(in: [name]), folders: [name])
  }

  /// The maximum size of all pages together, in bytes.
  private static let bytesMax = 32 << 20
  /// The size from which a file is compressed: a smaller one fits into one packet anyway.
  private static let compressedMin = 1_024

  /// Reads the pages that are installed with the program. A missing folder contributes none.
  package static func installed() -> PageTable {
    var table = PageTable(files(in: folders))
    for name in folders where (try? SharedFiles.folder(named: name)) == nil {
      table.remedies[name] = SharedFiles.remedy(forMissing: name)
    }
    return table
  }

  private static func files(in folders: [String]) -> [PageFile] {
    var files: [PageFile] = []
    var room = bytesMax
    for name in folders {
      guard let folder = try? SharedFiles.folder(named: name).string else { continue }
      let endings = PageFile.contentTypes.keys.sorted()
      for found in FoundFiles.find(folder, endings: endings, wanting: "a page", skipsHidden: true) {
        guard found.error == nil, found.size <= room,
          let bytes = try? InputFile.contents(of: found.path, wanting: "a page")
        else { continue }
        room -= bytes.count
        var file = PageFile(path: "/\(name)\(found.path.dropFirst(folder.count))", bytes: bytes)
        if bytes.count >= compressedMin, let gzip = Zlib.gzip(bytes), gzip.count < bytes.count {
          file.gzip = gzip
        }
        files.append(file)
      }
    }
    return files
  }
}
