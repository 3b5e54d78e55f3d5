import Engine
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

/// The socket's file: who can open it, what it replaces, and when it is removed. Not in parallel,
/// because the whole process has one umask.
@Suite(.serialized) struct APISocketTests {
  @Test func `Only its user can open the socket`() throws {
    let folder = try TestFolder()
    let path = folder.path("api")
    let before = umask(0)
    defer { umask(before) }
    let socket = try APISocket(path)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(umask(0) == 0)
    withExtendedLifetime(socket) {}
  }

  @Test func `The socket is removed at the end, unless something else is there`() throws {
    let folder = try TestFolder()
    let path = folder.path("api")
    var socket: APISocket? = try APISocket(path)
    #expect(socket != nil)
    socket = nil
    #expect(access(path, F_OK) != 0)
    socket = try APISocket(path)
    unlink(path)
    try folder.write("mine", "api")
    socket = nil
    #expect(access(path, F_OK) == 0)
  }

  @Test func `A socket that a killed bench left behind is replaced, one in use is not`() throws {
    let folder = try TestFolder()
    let path = folder.path("api")
    let left = Platform.socket(AF_UNIX, streamSocket, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(left)
    #expect(isBound == 0)
    let socket = try APISocket(path)
    #expect(throws: Failure.self) { try APISocket(path) }
    withExtendedLifetime(socket) {}
  }

  @Test func `Anything but a socket is never replaced`() throws {
    let folder = try TestFolder()
    try folder.write("mine", "api")
    #expect {
      try APISocket(folder.path("api"))
    } throws: {
      ($0 as? Failure)?.message.contains("already exists and is not a socket") == true
    }
    #expect(try folder.read("api") == "mine")
  }

  @Test func `A path that is too long for a socket is refused`() {
    #expect {
      try APISocket("/tmp/" + String(repeating: "a", count: 200))
    } throws: {
      ($0 as? Failure)?.status == .usage
    }
  }
}
