import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite struct PrivateFolderTests {
  private static let text =
    "A folder of a running sentrybench. The next one removes it when that has ended.\n"

  /// Makes a folder as a killed process leaves it.
  private static func leave(_ name: String, in parent: TestFolder) throws -> URL {
    let folder = parent.folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(chmod(folder.path, 0o700) == 0)
    try Data(text.utf8).write(to: folder.appending(path: ".in-use"))
    return folder
  }

  private static func exists(_ url: URL) -> Bool {
    var facts = stat()
    return lstat(url.path, &facts) == 0
  }

  @Test func `A folder is only this user's, and is removed with its value`() throws {
    let parent = try TestFolder()
    func make() throws -> String {
      let folder = try PrivateFolder(in: parent.folder.path)
      let path = folder.path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      let text = try String(contentsOfFile: folder.marker, encoding: .utf8)
      #expect(text == Self.text)
      return path
    }
    let path = try make()
    #expect(!Self.exists(URL(filePath: path)))
    #expect(throws: Errno.noSuchFileOrDirectory) {
      _ = try PrivateFolder(in: parent.folder.appending(path: "none").path)
    }
  }

  @Test
  func `The folder of a killed process is removed with its files, and links are not followed`()
    throws
  {
    let parent = try TestFolder()
    let outside = parent.folder.appending(path: "outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: outside.appending(path: "kept"))
    let folder = try Self.leave("sentrybench-a1B2c3", in: parent)
    try Data("x".utf8).write(to: folder.appending(path: "1.jsonl"))
    let inner = folder.appending(path: "inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try Data("x".utf8).write(to: inner.appending(path: ".in-use"))
    #expect(symlink(outside.path, inner.appending(path: "folder").path) == 0)
    #expect(
      symlink(outside.appending(path: "kept").path, folder.appending(path: "link").path) == 0)
    _ = try PrivateFolder(in: parent.folder.path)
    #expect(!Self.exists(folder))
    #expect(Self.exists(outside.appending(path: "kept")))
  }

  /// What makes a folder one that is not removed.
  enum Reason: CaseIterable {
    case used, otherText, noMarker, markerIsLink, open, isLink, otherName
  }

  @Test(arguments: Reason.allCases)
  func `No other folder is removed`(_ reason: Reason) throws {
    let parent = try TestFolder()
    let name = reason == .otherName ? "sentrybenches" : "sentrybench-abcdef"
    var folder = try Self.leave(name, in: parent)
    let marker = folder.appending(path: ".in-use")
    var lock: Int32 = -1
    defer { if lock >= 0 { close(lock) } }
    switch reason {
    case .used:
      lock = open(marker.path, O_RDONLY)
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    case .otherText: try Data((Self.text + "x").utf8).write(to: marker)
    case .noMarker: #expect(unlink(marker.path) == 0)
    case .markerIsLink:
      let other = parent.folder.appending(path: "marker")
      #expect(rename(marker.path, other.path) == 0 && symlink(other.path, marker.path) == 0)
    case .open: #expect(chmod(folder.path, 0o755) == 0)
    case .isLink:
      let real = parent.folder.appending(path: "real")
      #expect(rename(folder.path, real.path) == 0 && symlink(real.path, folder.path) == 0)
      folder = real
    case .otherName: break
    }
    let file = folder.appending(path: "file")
    try Data("x".utf8).write(to: file)
    _ = try PrivateFolder(in: parent.folder.path)
    #expect(Self.exists(file))
  }

  @Test func `A folder in use is not removed by another, and is free for it afterwards`() throws {
    let parent = try TestFolder()
    let first = try PrivateFolder(in: parent.folder.path)
    let second = try PrivateFolder(in: parent.folder.path)
    let paths = [first.path, second.path]
    #expect(paths[0] != paths[1])
    #expect(paths.allSatisfy { Self.exists(URL(filePath: $0)) })
  }
}
