import Devices
import Engine
import Foundation
import Judging
import Network
import Platform
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// A recording in parts that cannot be written, or whose file others use.
@Suite(.ownThread) struct RotationFaultTests {
  @Test(.enabled(if: OperatingSystem.isLinux, "/dev/full"))
  func `A full device is reported once and tried again every 30 s`() throws {
    let folder = try TestFolder()
    #expect(symlink("/dev/full", folder.path("session.jsonl")) == 0)
    var session = try RotatedSession(.guarded, RotationPolicy(), in: folder)
    session.run(to: .zero + .seconds(1))
    #expect(session.news.count == 1)
    #expect(
      session.news.first?.hasPrefix(
        "\(folder.path("session.jsonl")): error: cannot be written: No space left on device; ")
        == true)
    #expect(session.recording.health.failure?.contains("No space left on device") == true)
    #expect(session.recording.nextDeadline == .zero + .seconds(30) + .milliseconds(5))
    session.run(to: .zero + .seconds(70))
    #expect(session.news.count == 1)
    #expect(session.recording.nextDeadline == .zero + .seconds(90) + .milliseconds(5))
    #expect(session.recording.health.lostEvents == session.events.count)
    #expect(throws: Failure.self) { try session.finish() }
    #expect(folder.names == ["session.jsonl"])
  }

  /// A limit on the file's size simulates a full disk: the file is made to appear as large as
  /// the limit.
  @Test(.enabled(if: OperatingSystem.isLinux, "a limit on the size of files"))
  func `A full disk keeps what is written, and a new part is tried later`() throws {
    let limit: rlim_t = 256 << 20
    let before = try Self.limitFiles(to: limit)
    defer { _ = try? Self.limitFiles(to: before) }

    var session = try RotatedSession(.classic, RotationPolicy(), in: TestFolder())
    session.run(to: .zero + .seconds(1))
    session.send("X45.")
    session.run(for: .seconds(1))
    let whole = try session.folder.read("session.jsonl")
    #expect(truncate(session.folder.path("session.jsonl"), off_t(limit)) == 0)
    session.send("X60.")
    session.run(for: .seconds(1))
    #expect(session.news.count == 1)
    #expect(session.news.last?.contains("cannot be written: File too large; ") == true)
    #expect(session.recording.failure?.status == .inputOutput)
    #expect(try session.folder.read("session.jsonl") == whole)
    #expect(session.recording.health.lostEvents == 2)
    session.run(for: .seconds(20))
    #expect(session.parts == ["session.jsonl"])
    session.run(for: .seconds(10))
    #expect(session.news.count == 2)
    #expect(
      session.news.last?.hasSuffix("session.jsonl: recording again; 2 events are missing") == true)
    #expect(session.recording.failure == nil)
    for angle in [70, 80, 90] {
      session.send("X\(angle).")
      session.run(for: .seconds(1))
    }
    try session.finish()
    #expect(session.parts == ["session.1.jsonl", "session.jsonl"])
    #expect(try session.folder.read("session.1.jsonl") == whole)
    #expect(try session.verdict(on: "session.1.jsonl").outcome == .agrees)
    #expect(try session.verdict(on: "session.jsonl").outcome == .agrees)
    #expect(
      try session.folder.read("session.jsonl")
        .contains("s on; before it 2 events are missing"))
  }

  /// Sets the maximum size of a file in bytes, well above what any other test writes. Returns the
  /// previous limit.
  private static func limitFiles(to limit: rlim_t) throws -> rlim_t {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    signal(SIGXFSZ, SIG_IGN)
    var limits = rlimit()
    #expect(getrlimit(resource, &limits) == 0)
    let before = limits.rlim_cur
    limits.rlim_cur = min(limit, limits.rlim_max)
    #expect(setrlimit(resource, &limits) == 0)
    return before
  }

  @Test func `If no new part can be started, the same file is continued`() throws {
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 800, keep: 2), in: TestFolder())
    // Folders are in the way.
    for number in 1...2 { try session.folder.write("", "session.\(number).jsonl/file") }
    session.run(to: .zero + .seconds(1))
    session.send("L")
    session.run(for: .seconds(5))
    #expect(session.news.count == 1)
    #expect(session.news.first?.contains("a new part cannot be started: File exists") == true)
    #expect(session.recording.failure != nil)
    #expect(session.recording.health.lostEvents == 0)
    #expect(session.folder.size("session.jsonl") > 5_000)
    for number in 1...2 {
      try FileManager.default.removeItem(atPath: session.folder.path("session.\(number).jsonl"))
    }
    session.run(for: .seconds(30))
    #expect(session.news.count == 2)
    #expect(session.news.last?.hasSuffix("session.jsonl: recording again") == true)
    session.send("X45.")
    session.run(for: .seconds(1))
    try session.finish()
    #expect(session.parts.count == 3)
  }

  @Test(arguments: [true, false])
  func `A recording that was moved or deleted is started again within a second`(isMoved: Bool)
    throws
  {
    var session = try RotatedSession(.guarded, RotationPolicy(), in: TestFolder())
    let path = session.folder.path("session.jsonl")
    session.run(to: .zero + .seconds(1))
    session.send("X60.")
    session.run(for: .seconds(1))
    let written = session.events.count
    if isMoved {
      try FileManager.default.moveItem(atPath: path, toPath: session.folder.path("mine.jsonl"))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    // The file is checked even if nothing happens.
    let look = session.recording.nextDeadline
    #expect(try #require(look) <= session.now + .seconds(1))
    session.run(for: .seconds(1))
    #expect(FileManager.default.fileExists(atPath: path))
    session.send("X45.")
    session.run(for: .seconds(1))
    try session.finish()
    let text = try session.folder.read("session.jsonl")
    #expect(text.contains("\"servo\", 45, 1008]"))
    #expect(session.parts == ["session.jsonl"])
    if isMoved {
      #expect(session.news == ["\(path): the recording was moved; a new part was started"])
      #expect(try session.folder.read("mine.jsonl").hasSuffix("\"mark\", \"end\"]\n"))
      #expect(session.recording.health.lostEvents == 0)
    } else {
      #expect(
        session.news == [
          "\(path): the recording was deleted, and \(written) events with it; "
            + "a new part was started"
        ])
      #expect(session.recording.health.lostEvents == written)
      #expect(text.contains("s on; before it \(written) events are missing\"]"))
    }
  }

  @Test func `Every event is in a part or counted as lost, whatever happens to the file`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var session = try RotatedSession(
        .guarded, RotationPolicy(bytesMax: 1_000, keep: 100), in: TestFolder())
      let path = session.folder.path("session.jsonl")
      session.run(to: .zero + .seconds(1))
      for round in 0..<30 {
        session.send("X\(Int.random(in: 20...160, using: &random)).")
        session.run(for: .milliseconds(Int64.random(in: 1...900, using: &random)))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: unlink(path)
        case 1: rename(path, session.folder.path("session.moved\(round).jsonl"))
        default: break
        }
      }
      session.run(for: .seconds(1))
      try session.finish()
      func count(_ events: [Event]) -> Int {
        events.count { if case .mark = $0.kind { false } else { true } }
      }
      let kept = try session.folder.names.map { count(try session.read($0).events) }
      let lost = session.recording.health.lostEvents
      #expect(kept.reduce(lost, +) == count(session.events), "seed \(seed)")
    }
  }

  @Test func `A deleted recording that cannot be replaced is reported, and tried every 30 s`()
    throws
  {
    var session = try RotatedSession(.guarded, RotationPolicy(), in: TestFolder())
    // A link to the file, so that its folder can be removed.
    try session.folder.write("", "data/real.jsonl")
    let link = session.folder.path("link.jsonl")
    #expect(symlink(session.folder.path("data/real.jsonl"), link) == 0)
    session = try RotatedSession(
      .guarded, RotationPolicy(), in: session.folder, named: "link.jsonl")
    session.run(to: .zero + .seconds(1))
    try FileManager.default.removeItem(atPath: session.folder.path("data"))
    session.run(for: .seconds(1))
    #expect(
      session.news == [
        "\(link): error: the recording was deleted, and 1 event with it, and a new part cannot be "
          + "started: No such file or directory; the session continues without being recorded, "
          + "retrying every 30 s"
      ])
    #expect(
      session.recording.health.failure?.hasPrefix("\(link): error: the recording was") == true)
    session.send("X45.")
    session.run(for: .seconds(1))
    try FileManager.default.createDirectory(
      atPath: session.folder.path("data"), withIntermediateDirectories: false)
    session.run(for: .seconds(30))
    let lost = session.events.count
    #expect(lost > 2)
    #expect(session.news.count == 2)
    #expect(session.news.last == "\(link): recording again; \(lost) events are missing")
    #expect(session.recording.health.lostEvents == lost)
    #expect(session.recording.health.failure == nil)
  }

  @Test func `Another bench that has started to record to the file is left alone`() throws {
    var session = try RotatedSession(.guarded, RotationPolicy(), in: TestFolder())
    session.run(to: .zero + .seconds(1))
    try FileManager.default.removeItem(atPath: session.folder.path("session.jsonl"))
    let other = try RotatedSession(.guarded, RotationPolicy(), in: session.folder)
    session.run(for: .seconds(1))
    #expect(session.news.count == 1)
    #expect(session.news.first?.contains("another bench is recording to this file; ") == true)
    #expect(session.parts == ["session.jsonl"])
    #expect(other.recording.health.bytes == 0)
  }

  @Test func `A second bench is refused, before and after a rotation, and empties no file`() throws
  {
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 2_000, keep: 2), in: TestFolder())
    let path = session.folder.path("session.jsonl")
    for round in 1...4 {
      session.send("L")
      session.run(for: .milliseconds(1_100))
      let before = try session.folder.read("session.jsonl")
      for _ in 0..<2 {
        let refusal = #expect(throws: Failure.self) { try Self.claim(path, inParts: round > 2) }
        #expect(refusal?.message == "\(path): error: another bench is recording to this file")
      }
      #expect(try session.folder.read("session.jsonl") == before)
    }
    #expect(session.recording.health.part > 2)
    try session.finish()
  }

  private static func claim(_ path: String, inParts: Bool) throws {
    if inParts { _ = try RotatingRecording(path) } else { _ = try Recording(path) }
  }

  @Test func `What a killed bench leaves of a rotation is removed by the next`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("older"), "session.2.jsonl")
    try folder.write(EarlierFile.text("before"), "session.1.jsonl")
    try folder.write(EarlierFile.text("begun"), "session.jsonl.0123456789abc.part")
    var session = try RotatedSession(.guarded, RotationPolicy(keep: 5), in: folder)
    session.run(to: .zero + .seconds(1))
    try session.finish()
    #expect(folder.names == ["session.1.jsonl", "session.2.jsonl", "session.jsonl"])
    #expect(try folder.read("session.1.jsonl") == EarlierFile.text("before"))
    #expect(try folder.read("session.2.jsonl") == EarlierFile.text("older"))
  }

  @Test func `A link leads to the current part, and the old parts are next to that`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("before"), "data/real.jsonl")
    #expect(symlink(folder.path("data/real.jsonl"), folder.path("session.jsonl")) == 0)
    var session = try RotatedSession(.guarded, RotationPolicy(), in: folder)
    session.run(to: .zero + .seconds(1))
    try session.finish()
    #expect(folder.names == ["data", "session.jsonl"])
    #expect(try folder.read("data/real.1.jsonl") == EarlierFile.text("before"))
    #expect(try folder.read("session.jsonl") == folder.read("data/real.jsonl"))
    #expect(try session.verdict(on: "session.jsonl").outcome == .agrees)
  }

  @Test func `The next part has the same readers as the one before it`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("before"), "session.jsonl")
    #expect(chmod(folder.path("session.jsonl"), 0o600) == 0)
    var session = try RotatedSession(.guarded, RotationPolicy(), in: folder)
    session.run(to: .zero + .seconds(1))
    var status = stat()
    #expect(stat(folder.path("session.jsonl"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(session.parts.count == 2)
  }

  @Test func `A new recording is for its owner only, and so is each part`() throws {
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 500, keep: 9), in: TestFolder())
    session.send("L")
    session.run(to: .zero + .seconds(3))
    #expect(session.parts.count > 2)
    for part in session.parts {
      var status = stat()
      #expect(stat(session.folder.path(part), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(part)")
    }
  }

  @Test func `A recording that cannot be started is refused at once`() throws {
    let folder = try TestFolder()
    let path = folder.path("missing/r.jsonl")
    let refusal = #expect(throws: Failure.self) { _ = try RotatingRecording(path) }
    #expect(refusal?.status == .inputOutput)
    #expect(refusal?.message == "\(path): error: cannot be written: No such file or directory")
  }

  @Test(arguments: [
    ("session.jsonl", "session.3.jsonl"), ("session", "session.3"), (".hidden", ".hidden.3"),
    ("a.b.jsonl", "a.b.3.jsonl"), ("d.x/session", "d.x/session.3"),
    ("/var/lib/s.jsonl", "/var/lib/s.3.jsonl"),
  ])
  func `The number precedes the extension`(name: String, old: String) {
    #expect(RotatedFiles(current: name, keep: 5).old(3) == old)
  }

  @Test func `Parts beyond the number to keep are removed`() throws {
    let folder = try TestFolder()
    for number in 1...6 {
      try folder.write(EarlierFile.text("\(number)"), "session.\(number).jsonl")
    }
    try folder.write(EarlierFile.text("mine"), "session.9.jsonl")
    try folder.write(EarlierFile.text("0"), "session.jsonl")
    var session = try RotatedSession(.guarded, RotationPolicy(keep: 2), in: folder)
    session.run(to: .zero + .seconds(1))
    #expect(
      folder.names == ["session.1.jsonl", "session.2.jsonl", "session.9.jsonl", "session.jsonl"])
    #expect(try folder.read("session.2.jsonl") == EarlierFile.text("1"))
  }

  @Test func `No part is kept if the number to keep is zero`() throws {
    let folder = try TestFolder()
    try folder.write(EarlierFile.text("before"), "session.jsonl")
    var session = try RotatedSession(.guarded, RotationPolicy(bytesMax: 500, keep: 0), in: folder)
    session.send("L")
    session.run(to: .zero + .seconds(3))
    #expect(session.recording.health.part > 2)
    #expect(folder.names == ["session.jsonl"])
  }

  @Test func `A file in the way of the parts that is not a trace is refused at the start`() throws {
    let folder = try TestFolder()
    try folder.write("my notes\n", "session.3.jsonl")
    let path = folder.path("session.jsonl")
    let refusal = #expect(throws: Failure.self) {
      _ = try RotatingRecording(path, RotationPolicy(keep: 3))
    }
    #expect(refusal?.status == .usage)
    #expect(
      refusal?.message.hasPrefix("\(folder.path("session.3.jsonl")): error: is not a trace") == true
    )
    #expect(try folder.read("session.3.jsonl") == "my notes\n")
    #expect(folder.names == ["session.3.jsonl"])
    // It is not in the way of fewer parts, and it is not one of those that are too many.
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 500, keep: 2), in: folder)
    session.send("L")
    session.run(to: .zero + .seconds(4))
    #expect(session.recording.health.part > 3)
    #expect(try folder.read("session.3.jsonl") == "my notes\n")
  }

  @Test func `A link in the way of a part is neither followed nor removed`() throws {
    let folder = try TestFolder()
    try folder.write("precious\n", "precious")
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 500, keep: 2), in: folder)
    #expect(symlink("precious", folder.path("session.1.jsonl")) == 0)
    session.send("L")
    session.run(to: .zero + .seconds(3))
    #expect(try folder.read("precious") == "precious\n")
    #expect(session.recording.health.lostEvents == 0)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("session.2.jsonl"))
        == "precious")
  }
}
