import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import Serial

@Suite(.ownThread) struct PortLinkTests {
  /// Runs a body with a path in a folder of its own, which is removed after it.
  private func withPath<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("port-link-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appendingPathComponent("port").path)
  }

  private func target(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  @Test func `The link leads to the pty as long as its owner is there`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      do {
        let link = try PortLink.make(at: path, to: pty.path)
        #expect(link.path == path)
        #expect(target(path)?.hasSuffix(pty.path) == true)
        var here = stat()
        var there = stat()
        #expect(stat(path, &here) == 0 && stat(pty.path, &there) == 0)
        #expect(here.st_rdev == there.st_rdev)
      }
      #expect(target(path) == nil)
    }
  }

  /// What a bench that is gone may have left: over Linux' highest process number, or no such
  /// terminal.
  @Test(arguments: ["/proc/99999999/../../dev/pts/0", "/dev/pts/99999999", "/dev/ttys99999999"])
  func `A leftover is replaced`(_ leftover: String) throws {
    try withPath { path in
      #expect(symlink(leftover, path) == 0)
      let pty = try PseudoTerminal.make(baud: 9_600)
      let link = try PortLink.make(at: path, to: pty.path)
      #expect(target(link.path)?.hasSuffix(pty.path) == true)
    }
  }

  @Test func `A link of a bench that runs is left alone, and its process is named`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      let link = try PortLink.make(at: path, to: pty.path)
      let before = target(link.path)
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(at: path, to: pty.path)
      }
      #expect(error.code == .unavailable && error.path == path)
      #expect(error.message.contains("give another place with --pty"))
      #if os(Linux)
        #expect(error.message.contains("process \(getpid())"))
      #endif
      #expect(target(link.path) == before)
    }
  }

  /// Neither a pty's path nor one that a bench makes.
  @Test(arguments: [
    "file", "missing", "/dev/null", "/proc/self/fd/0", "/proc/1/root", "../dev/pts/99999999",
  ])
  func `A user's own link stays, wherever it leads`(_ own: String) throws {
    try withPath { path in
      #expect(symlink(own, path) == 0)
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(at: path, to: "/dev/pts/0")
      }
      #expect(error.message.contains("leads to \(own)"))
      #expect(target(path) == own)
    }
  }

  @Test func `A link that somebody else has put in its place is not removed`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      do {
        let link = try PortLink.make(at: path, to: pty.path)
        #expect(unlink(link.path) == 0 && symlink("mine", link.path) == 0)
      }
      #expect(target(path) == "mine")
    }
  }

  @Test func `Where no link can be made the system's reason is given`() throws {
    try withPath { path in
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(at: path + "/missing/port", to: "/dev/pts/0")
      }
      #expect(error.cause == .noSuchFileOrDirectory)
    }
  }
}
