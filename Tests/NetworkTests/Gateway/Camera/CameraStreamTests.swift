import NIOCore
import NIOPosix
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing

@testable import Network

@Suite(.ownThread, .serialized)
struct CameraStreamTests {
  /// A server with a camera, whose pictures have this many bytes.
  private final class Stand {
    let server: TestServer
    private let camera: NIOLoopBound<CameraPictures>
    private let bytes: Int
    private var number = 0

    init(
      pictureBytes: Int = 1_000,
      _ prepare: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
      bytes = pictureBytes
      let place = Place()
      server = try TestServer { configuration, _ in
        let camera = CameraPictures()
        configuration.camera = camera
        place.set(camera)
        prepare(&configuration)
      }
      camera = try #require(place.camera)
    }

    /// Shows pictures, each a little after the one before. Returns the number of the last.
    @discardableResult
    func show(_ count: Int, pause: UInt32 = 0) throws -> Int {
      for _ in 0..<count {
        number += 1
        let (number, bytes, camera) = (number, bytes, camera)
        try server.perform { _ in
          let jpeg = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
          camera.value.put(
            CameraPicture(number: number, time: .zero, taken: .now, jpeg: jpeg))
        }
        if pause > 0 { server.wait(milliseconds: pause) }
      }
      return number
    }

    func counts() throws -> (readers: Int, ever: Int, sent: Int, skipped: Int) {
      let box = Counts()
      let camera = camera
      try server.perform { _ in
        let camera = camera.value
        box.set((camera.readersCount, camera.readersEver, camera.sent, camera.skipped))
      }
      return box.counts
    }

    /// Waits until so many programs read the stream.
    func waits(forReaders count: Int) throws -> Bool {
      let deadline = HostTime.now + .seconds(10)
      while try counts().readers != count {
        guard HostTime.now < deadline else { return false }
        server.wait(milliseconds: 2)
      }
      return true
    }
  }

  /// Carries the pictures out of the loop on which the server was made.
  private final class Place: @unchecked Sendable {
    private(set) var camera: NIOLoopBound<CameraPictures>?
    func set(_ pictures: CameraPictures) {
      guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else { return }
      camera = NIOLoopBound(pictures, eventLoop: loop)
    }
  }

  private final class Counts: @unchecked Sendable {
    private(set) var counts = (readers: 0, ever: 0, sent: 0, skipped: 0)
    func set(_ counts: (Int, Int, Int, Int)) { self.counts = counts }
  }

  private static func request(_ path: String, _ method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
  }

  /// The number and the bytes of the next picture; nil at the end.
  private static func next(_ wire: Wire) -> (number: Int, jpeg: [UInt8])? {
    let head = wire.receive(through: "\r\n\r\n")
    func field(_ name: String) -> Int? {
      head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
        .flatMap { Int($0.dropFirst(name.utf8.count + 2)) }
    }
    guard let number = field("X-Frame"), let length = field("Content-Length") else { return nil }
    let jpeg = wire.receive(length)
    guard wire.receive(through: "\r\n--picture\r\n") == "\r\n--picture\r\n" else { return nil }
    return (number, jpeg)
  }

  private static func open(_ stand: Stand, receiveBufferBytes: CInt? = nil) throws -> Wire {
    let wire = try Wire(stand.server.address, receiveBufferBytes: receiveBufferBytes)
    wire.send(request("/camera.mjpg"))
    let head = wire.receive(through: "\r\n\r\n--picture\r\n")
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(
      head.contains("\r\nContent-Type: multipart/x-mixed-replace; boundary=picture\r\n"))
    #expect(!head.contains("Content-Length"))
    #expect(head.contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n"))
    return wire
  }

  @Test func `A reader gets pictures whole and in order`() throws {
    let stand = try Stand(pictureBytes: 70_000)
    let wire = try Self.open(stand)
    for number in 1...5 {
      try stand.show(1)
      let picture = try #require(Self.next(wire))
      #expect(picture.number == number)
      #expect(picture.jpeg == [UInt8](repeating: UInt8(number), count: 70_000))
    }
    try stand.server.shutDown()
    #expect(wire.receiveAll().isEmpty)
  }

  @Test func `A reader that pauses gets new pictures and hardly any old ones`() throws {
    let stand = try Stand(pictureBytes: 40_000)
    let slow = try Self.open(stand, receiveBufferBytes: 4_096)
    let fast = try Self.open(stand)
    #expect(try stand.waits(forReaders: 2))
    for number in 1...100 {
      try stand.show(1)
      #expect(Self.next(fast)?.number == number)
    }
    // What it had begun to receive is old: it is in the kernel's buffers.
    var numbers: [Int] = []
    while numbers.last != 100, let picture = Self.next(slow) { numbers.append(picture.number) }
    #expect(numbers.last == 100)
    #expect(numbers.count <= 4, "\(numbers)")
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    try stand.show(1)
    #expect(Self.next(slow)?.number == 101)
    let counts = try stand.counts()
    #expect(counts.skipped == 100 - numbers.count)
  }

  @Test func `A reader that never reads takes a limited amount of memory, and no one's time`()
    throws
  {
    let stand = try Stand(pictureBytes: 200_000)
    let deaf = try (0..<CameraPictures.readersMax - 1).map { _ in
      try Self.open(stand, receiveBufferBytes: 4_096)
    }
    let reader = try Self.open(stand)
    #expect(try stand.waits(forReaders: CameraPictures.readersMax))
    // 12 MB for each of them, if they were kept.
    for _ in 0..<60 {
      let number = try stand.show(1)
      #expect(Self.next(reader)?.number == number)
    }
    #expect(try stand.counts().sent < 60 + 7 * 3)
    try stand.server.shutDown()
    for wire in deaf { #expect(wire.receiveAll().count < 600_000) }
  }

  @Test func `One reader too many is told so, until another has left`() throws {
    let stand = try Stand()
    var readers = try (0..<CameraPictures.readersMax).map { _ in try Self.open(stand) }
    #expect(try stand.waits(forReaders: CameraPictures.readersMax))
    let next = try Wire(stand.server.address)
    next.send(Self.request("/camera.mjpg"))
    let answer = next.receiveText()
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(answer.contains("\r\nRetry-After: 1\r\n"))
    #expect(answer.hasSuffix("too many programs are reading the camera\n"))
    #expect(stand.server.lines(1) == ["refused 503"])
    readers.removeLast()
    #expect(try stand.waits(forReaders: CameraPictures.readersMax - 1))
    _ = try Self.open(stand)
    withExtendedLifetime(readers) {}
  }

  @Test func `What a reader sends is ignored, and its departure is noticed`() throws {
    let stand = try Stand()
    do {
      let wire = try Self.open(stand)
      wire.send([UInt8](repeating: 0, count: 1 << 20))
      wire.send(Self.request("/health"))
      try stand.show(1)
      #expect(Self.next(wire)?.number == 1)
    }
    #expect(try stand.waits(forReaders: 0))
    try stand.show(3)
    #expect(try stand.counts().ever == 1)
  }

  @Test func `HEAD, and the newest picture alone`() throws {
    let stand = try Stand(pictureBytes: 3)
    func answer(_ request: String) throws -> String {
      let wire = try Wire(stand.server.address)
      wire.send(request)
      return String(decoding: wire.receiveAll(), as: UTF8.self)
    }
    let head = try answer(Self.request("/camera.mjpg", "HEAD"))
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
    #expect(head.contains("boundary=picture\r\n"))
    try stand.show(66)
    let picture = try answer(Self.request("/camera.jpg"))
    #expect(picture.contains("\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\n"))
    #expect(picture.contains("\r\nX-Frame: 66\r\nX-Time: 0.000000\r\nX-Monotonic: "))
    #expect(picture.hasSuffix("\r\n\r\nBBB"))
    let size = try answer(Self.request("/camera.jpg", "HEAD"))
    #expect(size.contains("\r\nContent-Length: 3\r\n") && size.hasSuffix("\r\n\r\n"))
    #expect(try stand.counts().ever == 2)
  }

  @Test func `A program that asks for a picture before there is one gets the first`() throws {
    let stand = try Stand(pictureBytes: 3)
    let early = try Wire(stand.server.address)
    early.send(Self.request("/camera.jpg"))
    let deadline = HostTime.now + .seconds(10)
    while try stand.counts().ever == 0, .now < deadline { stand.server.wait(milliseconds: 2) }
    #expect(try stand.counts().sent == 0)
    try stand.show(2)
    #expect(early.receiveText().hasSuffix("\r\n\r\n\u{1}\u{1}\u{1}"))
  }

  @Test func `A program that asks for a picture of a camera without any is told so`() throws {
    let stand = try Stand { $0.limits.requestTime = .milliseconds(500) }
    let wire = try Wire(stand.server.address)
    wire.send(Self.request("/camera.jpg"))
    let answer = wire.receiveText()
    #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("There is no picture yet."))
  }

  @Test func `The camera has the rules of what is live`() throws {
    let stand = try Stand { configuration in
      var policy = AccessPolicy()
      policy.tokens = [.example("0123456789abcdef")]
      configuration.authorize(by: policy)
    }
    try stand.show(1)
    for path in ["/camera.mjpg", "/camera.jpg"] {
      for (query, fields, status) in [
        ("", "", "401"), ("?token=x", "", "401"),
        ("?token=0123456789abcdef", "Origin: https://evil.example\r\n", "403"),
        ("?token=0123456789abcdef", "", "200"),
      ] {
        let wire = try Wire(stand.server.address)
        wire.send("HEAD \(path)\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
        #expect(wire.receiveText().hasPrefix("HTTP/1.1 \(status) "), "\(path)\(query)")
      }
    }
  }

  @Test(
    arguments: [
      ("", "200"), ("Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", "200"),
      ("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\n", "200"),
      ("Origin: http://127.0.0.1:7\r\n", "200"), ("Referer: http://127.0.0.1:7/phone/\r\n", "200"),
      ("Origin: https://listed.example\r\n", "200"),
      ("Referer: https://listed.example/a/b?c\r\n", "200"),
      // Not even a link, which can lead to a page.
      ("Sec-Fetch-Site: cross-site\r\n\(link)", "403"),
      ("Sec-Fetch-Site: same-site\r\n\(link)", "403"),
      ("Sec-Fetch-Site: CROSS-SITE\r\n", "403"),
      ("Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n", "403"),
      // Led here from a page of the server's own.
      ("Sec-Fetch-Site: cross-site\r\nReferer: http://127.0.0.1:7/\r\n", "403"),
      ("Origin: http://evil.example\r\n", "403"), ("Origin: null\r\n", "403"),
      ("Origin: http://127.0.0.1:7\r\nOrigin: http://evil.example\r\n", "403"),
      ("Referer: http://evil.example/\r\n", "403"), ("Referer: http://evil.example\r\n", "403"),
      ("Referer: http://127.0.0.1:8/\r\n", "403"), ("Referer: https://127.0.0.1:7/\r\n", "403"),
      ("Referer: http://127.0.0.1:7@evil.example/\r\n", "403"),
      ("Referer: http://127.0.0.1:7.evil.example/\r\n", "403"), ("Referer: \r\n", "403"),
      ("Referer: about:blank\r\n", "403"),
      ("Referer: http://127.0.0.1:7/\r\nReferer: http://evil.example/\r\n", "403"),
    ])
  func `A page of another site does not begin the scene`(fields: String, status: String) throws {
    let stand = try Stand { configuration in
      var policy = AccessPolicy()
      policy.allowedOrigins = ["https://listed.example"]
      configuration.authorize(by: policy)
    }
    try stand.show(1)
    for path in ["/camera.mjpg", "/camera.jpg", "/camera.jpg?x=/camera"] {
      let wire = try Wire(stand.server.address)
      wire.send("HEAD \(path) HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\(fields)\r\n")
      #expect(wire.receiveText().hasPrefix("HTTP/1.1 \(status) "), "\(path)")
    }
    if status == "403" { #expect(try stand.counts().ever == 0) }
  }

  private static let link =
    "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-User: ?1\r\n"
}
