import Engine
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

/// The recording of a command that may fail.
struct CommandRecordingTests {
  private static func lines(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }

  @Test(arguments: [
    ("aim.jsonl", "aim.failed.jsonl"), ("a/aim.jsonl", "a/aim.failed.jsonl"),
    ("aim", "aim.failed.jsonl"), ("aim.txt", "aim.txt.failed.jsonl"),
    (".jsonl", ".failed.jsonl"),
  ])
  func `The recording of a command that failed has a name of its own`(
    _ path: String, _ failed: String
  ) {
    #expect(Recording.failedName(path) == failed)
  }

  @Test func `A recording replaces an earlier one only when it is published`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("good"), "aim.jsonl")
    do {
      var recording = try Recording(ofCommand: folder.path("aim.jsonl"))
      try recording.write(Self.lines("new"))
      try recording.finish()
      #expect(try folder.read("aim.jsonl") == EarlierFile.text("good"))
      #expect(try folder.read("aim.failed.jsonl") == "new\n")
      try recording.publish()
    }
    #expect(try folder.read("aim.jsonl") == "new\n")
    #expect(folder.names == ["aim.jsonl"])
  }

  @Test func `A recording that is not published stays under the other name`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("old failure"), "aim.failed.jsonl")
    do {
      var recording = try Recording(ofCommand: folder.path("aim.jsonl"))
      try recording.write(Self.lines("new"))
    }
    #expect(try folder.read("aim.failed.jsonl") == "new\n")
    #expect(folder.names == ["aim.failed.jsonl"])
  }

  @Test func `A session without any line does not replace a recording`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("good"), "aim.jsonl")
    let recording = try Recording(ofCommand: folder.path("aim.jsonl"))
    try recording.publish()
    #expect(try folder.read("aim.jsonl") == EarlierFile.text("good"))
  }

  @Test func `A link stays a link, and its target is replaced`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("good"), "real.jsonl")
    #expect(symlink("real.jsonl", folder.path("aim.jsonl")) == 0)
    do {
      var recording = try Recording(ofCommand: folder.path("aim.jsonl"))
      try recording.write(Self.lines("new"))
      try recording.publish()
    }
    #expect(try folder.read("real.jsonl") == "new\n")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("aim.jsonl"))
        == "real.jsonl")
  }

  @Test func `A file that another bench is recording to is refused`() throws {
    let folder = try TestFolder()
    try folder.write("", "aim.jsonl")
    let other = try Recording(folder.path("aim.jsonl"))
    #expect(throws: Failure.self) { _ = try Recording(ofCommand: folder.path("aim.jsonl")) }
    _ = other.path
  }

  @Test func `A device is written directly`() throws {
    var recording = try Recording(ofCommand: "/dev/null")
    try recording.write(Self.lines("new"))
    #expect(recording.path == "/dev/null")
    #expect(recording.target == nil)
  }

  @Test(arguments: ["aim.jsonl", "aim.failed.jsonl"])
  func `A file that is not a trace is not replaced`(_ name: String) throws {
    let folder = try TestFolder()
    try folder.write("my notes\n", name)
    let refusal = #expect(throws: Failure.self) {
      _ = try Recording(ofCommand: folder.path("aim.jsonl"))
    }
    #expect(refusal?.status == .usage)
    #expect(refusal?.message.hasPrefix("\(folder.path(name)): error: exists") == true)
    #expect(try folder.read(name) == "my notes\n")
    #expect(folder.names == [name])
  }

  @Test(arguments: ["precious", "nothing"])
  func `A link at the name of a failed recording is not followed`(_ target: String) throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("precious"), "precious")
    #expect(symlink(target, folder.path("aim.failed.jsonl")) == 0)
    let refusal = #expect(throws: Failure.self) {
      _ = try Recording(ofCommand: folder.path("aim.jsonl"))
    }
    #expect(refusal?.status == .inputOutput)
    #expect(try folder.read("precious") == EarlierFile.text("precious"))
    #expect(folder.names == ["aim.failed.jsonl", "precious"])
  }

  @Test func `An earlier recording stays until the first line, and then as a file of its own`()
    throws
  {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("old"), "aim.jsonl")
    #expect(chmod(folder.path("aim.jsonl"), 0o640) == 0)
    let old = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.path("aim.jsonl")))
    var recording = try Recording(folder.path("aim.jsonl"))
    #expect(try folder.read("aim.jsonl") == EarlierFile.text("old"))
    try recording.write(Self.lines("new"))
    #expect(try folder.read("aim.jsonl") == "new\n")
    #expect(try old.readToEnd() == Data(EarlierFile.text("old").utf8))
    var status = stat()
    #expect(stat(folder.path("aim.jsonl"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(throws: Failure.self) { _ = try Recording(folder.path("aim.jsonl")) }
    #expect(folder.names == ["aim.jsonl"])
  }

  @Test(
    arguments: [
      (Recording.permissions, 0o644), (Recording.privatePermissions, 0o600),
    ] as [(FilePermissions, UInt32)])
  func `A new recording has the permissions that are asked for`(
    _ permissions: FilePermissions, _ mode: UInt32
  ) throws {
    let folder = try TestFolder()
    for name in ["plain.jsonl", "command.jsonl"] {
      var recording =
        name == "plain.jsonl"
        ? try Recording(folder.path(name), permissions: permissions)
        : try Recording(ofCommand: folder.path(name), permissions: permissions)
      try recording.write(Self.lines("new"))
      try recording.publish()
      var status = stat()
      #expect(stat(folder.path(name), &status) == 0)
      #expect(status.st_mode & 0o777 == mode)
    }
  }
}
