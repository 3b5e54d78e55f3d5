import Foundation
import Platform
import Sketches
import SystemPackage
import Testing

struct LogWriterTests {
  private static func note(_ missing: Int) -> [UInt8] { Array("\(missing) missing\n".utf8) }

  private static func line(_ number: Int) -> [UInt8] {
    Array("line \(number) \(String(repeating: "-", count: 90))\n".utf8)
  }

  /// Takes everything that a pipe holds now.
  private static func take(from descriptor: FileDescriptor) throws -> [UInt8] {
    var taken: [UInt8] = []
    var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while poll(&polled, 1, 0) == 1 {
      let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      if count == 0 { break }
      taken += bytes[..<count]
    }
    return taken
  }

  @Test func `The writer waits for no reader, and a late reader is told how much it missed`() throws
  {
    let pipe = try FileDescriptor.pipe()
    defer {
      try? pipe.readEnd.close()
      try? pipe.writeEnd.close()
    }
    let writer = LogWriter(to: pipe.writeEnd, note: Self.note)
    for number in 0..<5_000 { writer.write(Self.line(number)) }
    #expect(writer.dropped > 2_000)
    #expect(writer.isBehind)
    var read: [UInt8] = []
    while writer.isBehind {
      read += try Self.take(from: pipe.readEnd)
      writer.flush()
    }
    // There is room again.
    read += try Self.take(from: pipe.readEnd)
    writer.write(Self.line(5_000))
    read += try Self.take(from: pipe.readEnd)
    let lines = String(decoding: read, as: UTF8.self).split(separator: "\n")
    let kept = 5_000 - writer.dropped
    try #require(lines.count == kept + 2)
    for number in 0..<kept { #expect(lines[number].hasPrefix("line \(number) ")) }
    #expect(lines[kept] == "\(writer.dropped) missing")
    #expect(lines[kept + 1].hasPrefix("line 5000 "))
  }

  @Test func `A reader that has closed is not a fault`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = try FileDescriptor.pipe()
    try pipe.readEnd.close()
    defer { try? pipe.writeEnd.close() }
    let writer = LogWriter(to: pipe.writeEnd, note: Self.note)
    for number in 0..<1_000 { writer.write(Self.line(number)) }
    #expect(writer.dropped == 1_000)
    #expect(!writer.isBehind)
    writer.drain(within: .seconds(60))
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0, "/dev/full"))
  func `A full disk loses the lines that were to be written, and each counts once`() throws {
    let full = try FileDescriptor.open("/dev/full", .writeOnly)
    defer { try? full.close() }
    let writer = LogWriter(to: full, note: Self.note)
    for number in 0..<100 { writer.write(Self.line(number)) }
    #expect(writer.dropped == 100)
    // Each flush tries to report the missing lines, and a report that is lost does not count as a
    // line.
    #expect(writer.isBehind)
    for _ in 0..<3 { writer.flush() }
    #expect(writer.dropped == 100)
    #expect(writer.isBehind)
  }

  @Test func `Lost lines are reported without another line`() {
    var backlog = LogBacklog(note: Self.note)
    backlog.put(Self.line(1))
    for _ in 0..<2 {
      backlog.giveUp()
      #expect(backlog.next.isEmpty && !backlog.isEmpty)
      backlog.reportDropped()
      #expect(Array(backlog.next) == Self.note(1))
    }
    backlog.wrote(backlog.next.count)
    #expect(backlog.isEmpty && backlog.dropped == 1)
  }

  @Test func `A closed descriptor is not a fault`() {
    let writer = LogWriter(to: FileDescriptor(rawValue: 1_000_000), note: Self.note)
    writer.write(Self.line(1))
    #expect(writer.dropped == 1)
    #expect(!writer.isBehind)
  }

  @Test func `Lines also wait for a descriptor that was nonblocking already`() throws {
    let pipe = try FileDescriptor.pipe()
    defer {
      try? pipe.readEnd.close()
      try? pipe.writeEnd.close()
    }
    #expect(fcntl(pipe.writeEnd.rawValue, F_SETFL, O_NONBLOCK) == 0)
    let writer = LogWriter(to: pipe.writeEnd, note: Self.note)
    for number in 0..<1_000 { writer.write(Self.line(number)) }
    #expect(writer.dropped == 0)
    #expect(writer.isBehind)
    // At the end, the wait for a reader that accepts nothing is limited.
    writer.drain(within: .milliseconds(30))
    #expect(writer.isBehind)
    var count = 0
    while writer.isBehind {
      count += try Self.take(from: pipe.readEnd).count
      writer.drain(within: .milliseconds(10))
    }
    count += try Self.take(from: pipe.readEnd).count
    #expect(count == (0..<1_000).reduce(0) { $0 + Self.line($1).count })
  }

  @Test func `A line over the limit is dropped, and the next one is not`() {
    var backlog = LogBacklog(note: Self.note)
    backlog.put(Array(repeating: UInt8(ascii: "x"), count: LogBacklog.bytesMax + 1))
    #expect(backlog.dropped == 1)
    backlog.put(Self.line(7))
    #expect(Array(backlog.next) == Self.note(1) + Self.line(7))
    backlog.wrote(backlog.next.count)
    #expect(backlog.isEmpty)
  }
}
