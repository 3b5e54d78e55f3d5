import NIOCore
import Sketches
import Testing

@testable import Network

struct CameraPicturesTests {
  /// A reader that takes a picture only when it is told to.
  private final class Reader: CameraReader {
    var parts: [ByteBuffer] = []
    var wasCut = false
    func send(_ part: ByteBuffer) { parts.append(part) }
    func cut() { wasCut = true }

    /// The frames that it was given.
    var frames: [Int] {
      parts.map { part in
        let line = String(buffer: part).split(separator: "\r\n").first { $0.hasPrefix("X-Frame: ") }
        return line.flatMap { Int($0.dropFirst(9)) } ?? -1
      }
    }
  }

  private static func picture(_ number: Int) -> CameraPicture {
    CameraPicture(
      number: number, time: .zero + .milliseconds(Int64(number) * 33),
      taken: HostTime(nanoseconds: 5_000_000_000), jpeg: Array("picture \(number)".utf8))
  }

  private let begin = NIODeadline.uptimeNanoseconds(0)

  @Test func `A reader that keeps up gets each picture once`() {
    let (pictures, reader) = (CameraPictures(), Reader())
    #expect(pictures.join(reader, now: begin))
    for number in 1...4 {
      pictures.put(Self.picture(number), now: begin)
      pictures.taken(by: reader, now: begin)
    }
    #expect(reader.frames == [1, 2, 3, 4])
    #expect((pictures.sent, pictures.skipped, pictures.readersEver) == (4, 0, 1))
  }

  @Test func `A slow reader gets the newest picture and none of those before it`() {
    let (pictures, slow, fast) = (CameraPictures(), Reader(), Reader())
    #expect(pictures.join(slow, now: begin) && pictures.join(fast, now: begin))
    for number in 1...10 {
      pictures.put(Self.picture(number), now: begin)
      pictures.taken(by: fast, now: begin)
      if number == 6 { pictures.taken(by: slow, now: begin) }
    }
    #expect(fast.frames == Array(1...10))
    #expect(slow.frames == [1, 6])
    pictures.taken(by: slow, now: begin)
    #expect(slow.frames == [1, 6, 10])
    pictures.taken(by: slow, now: begin)
    #expect(slow.frames == [1, 6, 10])
    pictures.put(Self.picture(11), now: begin)
    #expect(slow.frames == [1, 6, 10, 11])
    #expect((pictures.sent, pictures.skipped) == (15, 7))
  }

  @Test func `A new reader gets the newest picture at once, and misses none before it`() {
    let (pictures, reader) = (CameraPictures(), Reader())
    for number in 1...3 { pictures.put(Self.picture(number), now: begin) }
    #expect(pictures.join(reader, now: begin))
    #expect(reader.frames == [3])
    #expect((pictures.sent, pictures.skipped) == (1, 0))
  }

  @Test func `What reads one picture gets the newest, or the first that there is`() {
    let (pictures, readers) = (CameraPictures(), (0..<3).map { _ in Reader() })
    var given: [String] = []
    func read(_ index: Int) {
      pictures.read(by: readers[index]) { given.append("\(index): \($0.number)") }
    }
    read(0)
    read(1)
    pictures.forget(readers[1])
    #expect(given == [] && (pictures.sent, pictures.readersEver) == (0, 2))
    for number in 7...8 { pictures.put(Self.picture(number), now: begin) }
    read(2)
    #expect(given == ["0: 7", "2: 8"] && (pictures.sent, pictures.readersEver) == (2, 3))
  }

  @Test func `There are places for a number of readers`() {
    let pictures = CameraPictures()
    let readers = (0..<CameraPictures.readersMax).map { _ in Reader() }
    for reader in readers { #expect(pictures.join(reader, now: begin)) }
    let next = Reader()
    #expect(!pictures.join(next, now: begin))
    pictures.leave(readers[0])
    #expect(pictures.join(next, now: begin))
    pictures.put(Self.picture(1), now: begin)
    #expect(readers[0].frames == [] && next.frames == [1])
    // A report about a picture for one that has left has no effect.
    pictures.taken(by: readers[0], now: begin)
    #expect(readers[0].frames == [])
  }

  @Test func `A reader that takes nothing for a long time is closed`() {
    let (pictures, reader) = (CameraPictures(), Reader())
    #expect(pictures.join(reader, now: begin))
    pictures.put(Self.picture(1), now: begin)
    pictures.put(Self.picture(2), now: begin + CameraPictures.stallTime)
    #expect(!reader.wasCut)
    pictures.put(Self.picture(3), now: begin + CameraPictures.stallTime + .nanoseconds(1))
    #expect(reader.wasCut)
    #expect(reader.frames == [1])
  }

  @Test func `A part states its length, and the next boundary follows it`() {
    let picture = CameraPicture(
      number: 7, time: .zero + .microseconds(1_000_042),
      taken: HostTime(nanoseconds: 123_000_001_999), jpeg: Array("jpeg".utf8))
    #expect(
      String(buffer: picture.part)
        == "Content-Type: image/jpeg\r\nContent-Length: 4\r\nX-Frame: 7\r\n"
        + "X-Time: 1.000042\r\nX-Monotonic: 123.000001\r\n\r\njpeg\r\n--picture\r\n")
  }
}
