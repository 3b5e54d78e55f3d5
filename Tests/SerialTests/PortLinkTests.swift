import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import Serial

@Suite(.ownThread) struct PortLinkTests {
  /// Runs a body with a path in a temporary folder.
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

  @Test func `The link leads to the pty as long as its owner exists`() throws {
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

  @Test func `A private link is in a folder of its own, which is removed with it`() throws {
    let pty = try PseudoTerminal.make(baud: 9_600)
    var folders: [String] = []
    do {
      let first = try PortLink.makePrivate(to: pty.path)
      let second = try PortLink.makePrivate(to: pty.path)
      for path in [first.path, second.path] {
        #expect(target(path)?.hasSuffix(pty.path) == true)
        let folder = String(path.dropLast("/ttySentry".count))
        var status = stat()
        #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        folders.append(folder)
      }
      #expect(first.path != second.path)
    }
    for folder in folders { #expect(access(folder, F_OK) != 0) }
  }

  @Test func `A link that leads to another pty is removed as before`() throws {
    let first = try PseudoTerminal.make(baud: 9_600)
    let second = try PseudoTerminal.make(baud: 9_600)
    var link = try PortLink.makePrivate(to: first.path)
    let path = link.path
    try link.lead(to: second.path)
    #expect(link.path == path && target(path)?.hasSuffix(second.path) == true)
    link.removal.carryOut()
    #expect(target(path) == nil)
    #expect(access(String(path.dropLast("/ttySentry".count)), F_OK) != 0)
    // Another program's link is left alone.
    #expect(throws: SerialError.self) { try link.lead(to: first.path) }
  }

  @Test func `A signal removes a private link with its folder`() throws {
    let pty = try PseudoTerminal.make(baud: 9_600)
    let link = try PortLink.makePrivate(to: pty.path)
    link.removal.carryOut()
    #expect(access(String(link.path.dropLast("/ttySentry".count)), F_OK) != 0)
  }

  /// What a bench that has ended may have left: a process number above Linux's maximum, or a
  /// terminal that does not exist.
  @Test(arguments: ["/proc/99999999/../../dev/pts/0", "/dev/pts/99999999", "/dev/ttys99999999"])
  func `A link left by a bench that has ended is replaced`(_ leftover: String) throws {
    try withPath { path in
      #expect(symlink(leftover, path) == 0)
      let pty = try PseudoTerminal.make(baud: 9_600)
      let link = try PortLink.make(at: path, to: pty.path)
      #expect(target(link.path)?.hasSuffix(pty.path) == true)
    }
  }

  @Test func `The link of a running bench is left alone, and its process is named`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      let link = try PortLink.make(at: path, to: pty.path)
      let before = target(link.path)
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(at: path, to: pty.path)
      }
      #expect(error.code == .unavailable && error.path == path)
      #expect(error.message.contains("choose another path with --pty"))
      #if os(Linux)
        #expect(error.message.contains("process \(getpid())"))
      #endif
      #expect(target(link.path) == before)
    }
  }

  @Test func `A bench beside others takes the next name that is free, and says so`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      let first = try PortLink.make(atOrAfter: path, to: pty.path)
      #expect(first.path == path && first.evasion == nil)
      #if os(Linux)
        let second = try PortLink.make(atOrAfter: path, to: pty.path)
        #expect(second.path == path + "2")
        #expect(
          second.evasion == "\(path) belongs to another bench, process \(getpid()); this bench's "
            + "port is \(path)2")
        do {
          let third = try PortLink.make(atOrAfter: path, to: pty.path)
          #expect(third.path == path + "3")
        }
        let next = try PortLink.make(atOrAfter: path, to: pty.path)
        // A name is free again after its bench. The others still have theirs.
        #expect([first.path, second.path, next.path] == [path, path + "2", path + "3"])
      #endif
    }
  }

  @Test func `A file in the place of the default link is refused, not evaded`() throws {
    try withPath { path in
      try "mine".write(toFile: path, atomically: true, encoding: .utf8)
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(atOrAfter: path, to: "/dev/pts/0")
      }
      #expect(error.message.contains("is not a link to a pty; choose another path with --pty"))
    }
  }

  /// Targets that are neither the path of a pty nor made by a bench.
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

  @Test func `A link that another program put in its place is not removed`() throws {
    try withPath { path in
      let pty = try PseudoTerminal.make(baud: 9_600)
      do {
        let link = try PortLink.make(at: path, to: pty.path)
        #expect(unlink(link.path) == 0 && symlink("mine", link.path) == 0)
      }
      #expect(target(path) == "mine")
    }
  }

  @Test func `A link that cannot be made is reported with the system's reason`() throws {
    try withPath { path in
      let error = try #require(throws: SerialError.self) {
        _ = try PortLink.make(at: path + "/missing/port", to: "/dev/pts/0")
      }
      #expect(error.cause == .noSuchFileOrDirectory)
    }
  }
}
