import Engine
import Foundation
import Pictures
import TestSupport
import Testing

@testable import Sessions

/// The last sessions in the user's cache.
@Suite struct SessionCacheTests {
  @Test(
    arguments: [
      ("/cache", "/home/ada", "/cache/sentrybench"), ("relative", "/home/ada", usual),
      ("", "/home/ada", usual), (nil, "/home/ada", usual), (nil, nil, nil), (nil, "relative", nil),
    ] as [(String?, String?, String?)])
  func `The folder is that of the system's convention`(
    _ cache: String?, _ home: String?, _ folder: String?
  ) {
    #expect(SessionCache(cache: cache, home: home)?.folder == folder)
  }

  private static var usual: String {
    #if os(macOS)
      "/home/ada/Library/Caches/sentrybench"
    #else
      "/home/ada/.cache/sentrybench"
    #endif
  }

  private static func text(_ path: String?) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: try #require(path))), as: UTF8.self)
  }

  private static func permissions(_ path: String) throws -> Int? {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return (facts[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `The last ten sessions are kept, for the user only`() throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: "\(folder.folder.path)/a/sentrybench")
    for number in 1...12 { #expect(cache.keep(Array("session \(number)".utf8)) == nil) }
    #expect(try Self.text(SessionCache.path(of: "last", in: cache)) == "session 12")
    #expect(try Self.text(SessionCache.path(of: "last:1", in: cache)) == "session 12")
    #expect(try Self.text(SessionCache.path(of: "last:10", in: cache)) == "session 3")
    let names = try FileManager.default.contentsOfDirectory(atPath: cache.folder)
    #expect(names.count == SessionCache.countMax)
    #expect(try Self.permissions(cache.folder) == 0o700)
    for name in names { #expect(try Self.permissions("\(cache.folder)/\(name)") == 0o600) }
  }

  @Test(arguments: ["session.jsonl", "-", "last:0", "last:11", "last:x", "last ", "Last"])
  func `Any other name is that of a file`(_ name: String) throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: folder.folder.path)
    #expect(cache.keep(Array("session".utf8)) == nil)
    #expect(try SessionCache.path(of: name, in: cache) == nil)
  }

  @Test func `A session that is not kept is no input`() throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: folder.folder.path)
    for cache in [nil, cache] {
      let error = #expect(throws: Failure.self) { try SessionCache.path(of: "last", in: cache) }
      #expect(error?.status.rawValue == 66)
      #expect(error?.message.contains("last: error: no session is kept") == true)
    }
    #expect(cache.keep(Array("session".utf8)) == nil)
    let error = #expect(throws: Failure.self) { try SessionCache.path(of: "last:2", in: cache) }
    #expect(error?.message.contains("so many are kept: 1") == true)
  }

  @Test func `What cannot be kept is said, and nothing else is lost`() throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: "\(folder.folder.path)/cache")
    #expect(cache.keep(Array("session".utf8)) == nil)
    let long = [UInt8](repeating: 0, count: SessionCache.sessionMax + 1)
    #expect(cache.keep(long) == "it is longer than 16 MiB")
    #expect(try Self.text(SessionCache.path(of: "last", in: cache)) == "session")
    try Data().write(to: folder.folder.appending(path: "file"))
    let none = SessionCache(folder: "\(folder.folder.path)/file")
    #expect(none.keep(Array("session".utf8))?.hasPrefix("\(none.folder): ") == true)
  }

  @Test func `What failed in the working folder is kept, and the next suite replaces it`() throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: folder.folder.path)
    #expect(cache.failedSuite == nil)
    for titles in [["s/a.yaml: aims", "s/a.yaml: sweeps"], []] {
      let suite = SessionCache.FailedSuite(
        paths: ["s", "more files"], titles: titles, unread: titles.isEmpty ? [] : ["s/b c.yaml"])
      #expect(cache.keep(suite) == nil)
      #expect(cache.failedSuite == suite)
    }
    #expect(cache.keep(.init(paths: ["a\nb"])) != nil)
  }

  @Test func `The line ending of each sketch is remembered`() throws {
    let folder = try TestFolder()
    let cache = SessionCache(folder: folder.folder.path)
    #expect(cache.lineEnd(of: "pantilt") == nil)
    cache.keep(.newLine, of: "pantilt")
    cache.keep(.both, of: "../arm")
    #expect(cache.lineEnd(of: "pantilt") == .newLine)
    #expect(cache.lineEnd(of: "../arm") == .both)
    cache.keep(.carriageReturn, of: "pantilt")
    #expect(cache.lineEnd(of: "pantilt") == .carriageReturn)
    #expect(cache.lineEnd(of: "guarded") == nil)
  }

  @Test(
    arguments: [
      (nil, "a/session.jsonl", false, "-"), (nil, "a/session.jsonl", true, "session.svg"),
      (nil, "session", true, "session.svg"), (nil, "-", true, "session.svg"),
      (nil, "field.log.sr", true, "field.log.svg"), ("b.svg", "a.jsonl", true, "b.svg"),
      ("-", "a.jsonl", true, "-"),
    ] as [(String?, String, Bool, String)])
  func `A picture for a terminal is a file that is named after the trace`(
    _ given: String?, _ trace: String, _ isTerminal: Bool, _ path: String
  ) {
    let output = ChosenOutput(given, for: trace, ending: ".svg", isTerminal: isTerminal)
    #expect(output.path == path)
    #expect(output.isChosen == (given == nil && isTerminal))
  }
}
