import NIOCore
import NIOEmbedded
import Network
import Platform
import SystemPackage
import Testing

struct LogFlusherTests {
  private let loop = EmbeddedEventLoop()

  private static func note(_ missing: Int) -> [UInt8] { Array("\(missing) missing\n".utf8) }

  private static let lines = (0..<1_000).map { number in
    Array("line \(number) \(String(repeating: "-", count: 90))\n".utf8)
  }

  /// Reads part of what a pipe holds; it must hold something.
  private static func take(from end: SystemPackage.FileDescriptor) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = try bytes.withUnsafeMutableBytes { try end.read(into: $0) }
    return Array(bytes[..<count])
  }

  @Test func `Pending lines are written when the reader has room again, without another line`()
    throws
  {
    let pipe = try SystemPackage.FileDescriptor.pipe()
    defer {
      try? pipe.readEnd.close()
      try? pipe.writeEnd.close()
    }
    let writer = LogWriter(to: pipe.writeEnd, note: Self.note)
    let flusher = LogFlusher(writer, on: loop)
    let size = Self.lines.reduce(0) { $0 + $1.count }
    // Twice, because it starts again each time that something waits.
    for _ in 0..<2 {
      for line in Self.lines { writer.write(line) }
      #expect(writer.isBehind)
      loop.advanceTime(by: .milliseconds(100))
      #expect(writer.isBehind)
      var read: [UInt8] = []
      while read.count < size {
        read += try Self.take(from: pipe.readEnd)
        loop.advanceTime(by: .milliseconds(50))
      }
      #expect(read == Array(Self.lines.joined()))
      #expect(!writer.isBehind)
    }
    flusher.stop()
    for line in Self.lines { writer.write(line) }
    _ = try Self.take(from: pipe.readEnd)
    loop.advanceTime(by: .seconds(1))
    #expect(writer.isBehind)
  }
}
