import NIOCore
import NIOPosix
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The connection to a detector over the loopback.
@Suite(.ownThread) struct DetectorConnectionTests {
  /// A connection on a loop of its own, and what it reports.
  private final class Stand {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let connection: NIOLoopBoundBox<DetectorConnection?>
    let told = Told()

    init(to address: String, answerTime: Interval = .seconds(10)) throws {
      var settings = SenderSettings.detector
      settings.backOffFirst = .milliseconds(10)
      settings.backOffMost = .milliseconds(20)
      settings.answerTime = answerTime
      let target = try SenderTarget(address)
      let loop = group.next()
      connection = .makeEmptyBox(valueType: DetectorConnection.self, eventLoop: loop)
      try loop.submit { [connection, settings, told] in
        let made = DetectorConnection(
          to: target, settings: settings, on: loop, for: told)
        connection.value = made
        made.start()
      }.wait()
    }

    deinit {
      try? stop()
      group.shutdownGracefully { _ in }
    }

    func perform(_ action: @escaping @Sendable (DetectorConnection) -> Void) throws {
      let connection = connection
      try group.next().submit { connection.value.map(action) }.wait()
    }

    func stop() throws {
      let connection = connection
      let loop = group.next()
      try loop.flatSubmit {
        connection.value?.stop() ?? loop.makeSucceededVoidFuture()
      }.wait()
    }

    /// Waits until something has been reported this many times, at most ten seconds.
    func reports(_ line: String, times: Int = 1) -> Bool {
      SenderStand.wait { told.lines.count { $0 == line } >= times }
    }
  }

  @Test(arguments: [false, true])
  func `A detector is ready, even if its answer arrives with the acceptance`(_ atOnce: Bool) throws
  {
    let detector = try FakeDetector { $0.greetsAtOnce = atOnce }
    // If a message could be lost, it would be in one of many connections.
    for count in 1...20 {
      let stand = try Stand(to: detector.address)
      #expect(stand.reports("ready"))
      try stand.perform { $0.send(Array("one".utf8)) }
      #expect(detector.hears("picture 1: one", times: count))
      #expect(stand.reports(FakeDetector.observation(1)!))
      try stand.stop()
      #expect(stand.told.lines.count == 2)
    }
  }

  @Test(arguments: [false, true])
  func `A detector that never answers is left and connected to again`(_ accepts: Bool) throws {
    let detector = try FakeDetector {
      $0.accepts = accepts
      $0.hello = nil
    }
    let stand = try Stand(to: detector.address, answerTime: .milliseconds(20))
    #expect(stand.reports("away: it did not answer in 20 ms", times: 3))
    #expect(detector.hears("connected", times: 3))
    try stand.stop()
  }

  @Test func `A detector that closes is connected to again`() throws {
    let detector = try FakeDetector { $0.closes = true }
    let stand = try Stand(to: detector.address)
    #expect(stand.reports("ready", times: 3))
    #expect(stand.reports("away: it closed", times: 2))
    try stand.stop()
  }

  @Test func `A detector can start later, end, and come back`() throws {
    var detector: FakeDetector? = try FakeDetector()
    let port = try #require(detector?.port)
    detector?.stop()
    detector = nil
    let stand = try Stand(to: "ws://127.0.0.1:\(port)")
    #expect(SenderStand.wait { stand.told.lines.contains { $0.hasPrefix("away: ") } })
    for count in 1...3 {
      let later = try FakeDetector(port: port)
      #expect(stand.reports("ready", times: count))
      later.stop()
      #expect(SenderStand.wait { stand.told.lines.last != "ready" })
    }
    try stand.stop()
  }

  @Test func `A rejected connection is replaced by another one`() throws {
    let detector = try FakeDetector()
    let stand = try Stand(to: detector.address)
    #expect(stand.reports("ready"))
    try stand.perform { $0.reject("it is odd") }
    #expect(stand.reports("ready", times: 2))
    #expect(stand.told.lines == ["ready", "away: it is odd", "ready"])
    try stand.stop()
  }

  @Test func `An answer that is too long ends the connection`() throws {
    let detector = try FakeDetector {
      $0.answer = { _ in String(repeating: "x", count: 65_537) }
    }
    let stand = try Stand(to: detector.address)
    #expect(stand.reports("ready"))
    try stand.perform { $0.send([1]) }
    let why = "it broke the protocol: a message of more than 65536 bytes"
    #expect(stand.reports("away: \(why)"))
    try stand.stop()
  }
}
