import Foundation
import Platform
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
    #expect(Recording.failedPath(path) == failed)
  }

  @Test func `A recording replaces an earlier one only when it is published`() throws {
    let folder = try TestFolder()
    try folder.write("good\n", "aim.jsonl")
    do {
      var recording = try Recording(ofCommand: folder.path("aim.jsonl"))
      try recording.write(Self.lines("new"))
      try recording.finish()
      #expect(try folder.read("aim.jsonl") == "good\n")
      #expect(try folder.read("aim.failed.jsonl") == "new\n")
      try recording.publish()
    }
    #expect(try folder.read("aim.jsonl") == "new\n")
    #expect(folder.names == ["aim.jsonl"])
  }

  @Test func `A recording that is not published stays under the other name`() throws {
    let folder = try TestFolder()
    try folder.write("old failure\n", "aim.failed.jsonl")
    do {
      var recording = try Recording(ofCommand: folder.path("aim.jsonl"))
      try recording.write(Self.lines("new"))
    }
    #expect(try folder.read("aim.failed.jsonl") == "new\n")
    #expect(folder.names == ["aim.failed.jsonl"])
  }

  @Test func `A session without any line does not replace a recording`() throws {
    let folder = try TestFolder()
    try folder.write("good\n", "aim.jsonl")
    let recording = try Recording(ofCommand: folder.path("aim.jsonl"))
    try recording.publish()
    #expect(try folder.read("aim.jsonl") == "good\n")
  }

  @Test func `A link stays a link, and its target is replaced`() throws {
    let folder = try TestFolder()
    try folder.write("good\n", "real.jsonl")
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
}
