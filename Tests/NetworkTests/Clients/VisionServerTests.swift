import Logging
import NIOCore
import NIOPosix
import NetworkTestSupport
import Sketches
import TestSupport
import Testing

@testable import Network

@Suite(.ownThread, .serialized)
struct VisionServerTests {
  /// A server on a loop of its own.
  private final class Stand {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server: NIOLoopBound<VisionServer>
    let told = Told()

    init(_ form: VisionForm = .fields, _ change: (inout VisionServerLimits) -> Void = { _ in })
      throws
    {
      var limits = VisionServerLimits()
      change(&limits)
      let loop = group.next()
      server = try loop.flatSubmit { [limits, told] in
        VisionServer.start(
          at: Endpoint("127.0.0.1:0")!, form: form, limits: limits, on: loop,
          log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, for: told)
      }.wait()
    }

    deinit {
      let server = server
      try? group.next().flatSubmit { server.value.stop() }.wait()
      group.shutdownGracefully { _ in }
    }

    func perform<Result: Sendable>(_ action: @escaping @Sendable (VisionServer) -> Result) throws
      -> Result
    {
      let server = server
      return try group.next().submit { action(server.value) }.wait()
    }

    func address() throws -> Endpoint { try perform { $0.addresses[0] } }
    func wire() throws -> Wire { try Wire(address()) }
  }

  @Test func `The server answers with the newest reading in its form`() throws {
    let stand = try Stand()
    let wire = try stand.wire()
    func answer() -> String {
      wire.send("VISION")
      return wire.receive(through: "\n")
    }
    #expect(answer() == "00:00:00.000|angle^|distance^\n")
    try stand.perform { $0.update(angle: 15.2, distance: 4.3, time: .milliseconds(1_500)) }
    #expect(answer() == "00:00:01.500|angle^15.2|distance^4.3\n")
    #expect(answer() == "00:00:01.500|angle^15.2|distance^4.3\n")
    try stand.perform { $0.noTarget(time: .seconds(2)) }
    #expect(answer() == "00:00:02.000|angle^|distance^\n")
    try stand.perform { $0.update(angle: .nan, distance: 1, time: .seconds(3)) }
    #expect(answer() == "00:00:03.000|angle^|distance^1.0\n")
    #expect(try stand.perform { $0.questions } == 5)
  }

  @Test func `Commands arrive joined, split and in lines, as JSON`() throws {
    let stand = try Stand(.json)
    try stand.perform { $0.update(angle: -3, distance: nil, time: .seconds(1)) }
    let wire = try stand.wire()
    wire.send("VISIONVIS")
    wire.send("ION\r\n\nVISION\n")
    let answer = "{\"timestamp\": \"00:00:01.000\", \"angle\": -3.0, \"distance\": null}\n"
    for _ in 0..<3 { #expect(wire.receive(through: "\n") == answer) }
  }

  @Test func `SHUTDOWN ends the server for all clients, once`() throws {
    let stand = try Stand()
    let (first, second) = (try stand.wire(), try stand.wire())
    first.send("VISION")
    _ = first.receive(through: "\n")
    second.send("SHUTDOWNSHUTDOWNVISION")
    #expect(second.receiveAll().isEmpty && first.receiveAll().isEmpty)
    #expect(SenderStand.wait { stand.told.lines == ["shut down"] })
    let address = try stand.address()
    #expect(throws: Wire.Refused.self) { _ = try Wire(address) }
    #expect(try stand.perform { $0.clients.count } == 0)
  }

  @Test(arguments: [
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nSHUTDOWN",
      "it begins as an HTTP request"
    ),
    ("\u{16}\u{3}\u{1}SHUTDOWN", "it begins as a TLS connection"),
    ("xSHUTDOWN", "it sent something other than VISION and SHUTDOWN"),
    ("VISION\nPOST / HTTP/1.1\r\n\r\nSHUTDOWN", "it sent something other than VISION and SHUTDOWN"),
  ])
  func `A web page cannot end the server, and the attempt is reported`(
    _ text: String, _ why: String
  ) throws {
    let stand = try Stand()
    let page = try stand.wire()
    page.send(text)
    let answer = text.hasPrefix("VISION") ? "00:00:00.000|angle^|distance^\n" : ""
    #expect(page.receiveText() == answer)
    #expect(
      SenderStand.wait {
        stand.told.lines.contains {
          $0.hasPrefix("refused a connection from 127.0.0.1:") && $0.hasSuffix(": \(why)")
        }
      })
    page.send("SHUTDOWN")
    let wire = try stand.wire()
    wire.send("VISION")
    #expect(!wire.receive(through: "\n").isEmpty)
    #expect(!stand.told.lines.contains("shut down"))
  }

  @Test func `A question before a SHUTDOWN is answered`() throws {
    let stand = try Stand()
    let wire = try stand.wire()
    wire.send("VISION\nSHUTDOWN\n")
    #expect(wire.receiveAll() == Array("00:00:00.000|angle^|distance^\n".utf8))
    #expect(SenderStand.wait { stand.told.lines == ["shut down"] })
  }

  @Test func `A connection that asks nothing gives way to a client`() throws {
    let stand = try Stand { $0.clientsMax = 2 }
    let silent = try stand.wire()
    let asking = [try stand.wire(), try stand.wire()]
    #expect(silent.receiveAll().isEmpty)
    for wire in asking {
      wire.send("VISION")
      #expect(wire.receive(through: "\n").hasSuffix("\n"))
    }
    // Clients do not give way.
    #expect(try stand.wire().receiveAll().isEmpty)
  }

  @Test func `An extra client, one that sends junk and one that asks nothing are closed`() throws {
    let stand = try Stand { $0.clientsMax = 2 }
    var wires = [try stand.wire(), try stand.wire()]
    for wire in wires {
      wire.send("VISION")
      #expect(!wire.receive(through: "\n").isEmpty)
    }
    #expect(try stand.wire().receiveAll().isEmpty)
    wires[0].send("0")
    #expect(wires[0].receiveAll().isEmpty)
    wires.removeFirst()
    wires[0].send("VISION")
    #expect(!wires[0].receive(through: "\n").isEmpty)
    let impatient = try Stand { $0.idleTime = .milliseconds(50) }
    #expect(try impatient.wire().receiveAll().isEmpty)
  }

  @Test func `A client that asks without end and does not read is closed`() throws {
    let stand = try Stand()
    let wire = try Wire(stand.address(), receiveBufferBytes: 4_096)
    let many = [UInt8](String(repeating: "VISION", count: 1_000).utf8)
    for _ in 0..<200 { wire.send(many) }
    #expect(SenderStand.wait { (try? stand.perform { $0.clients.count }) == 0 })
  }

  @Test func `Random bytes do no harm`() throws {
    let stand = try Stand()
    var random = SeededGenerator(seed: 0xF00)
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 1...3_000, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      try stand.wire().send(bytes)
    }
    let wire = try stand.wire()
    wire.send("VISION")
    #expect(wire.receive(through: "\n").hasSuffix("\n"))
  }

  @Test(arguments: VisionForm.allCases)
  func `A follower follows the server`(form: VisionForm) async throws {
    let stand = try Stand(form)
    let port = try stand.address().port
    try stand.perform { $0.update(angle: 15.2, distance: 4.3, time: .zero) }
    try await FollowStand.with(VisionScript()) { follower, _ in
      try await follower.follow(port: port) {
        try await follower.wait(forCommands: ["X105."])
        try stand.perform { $0.update(angle: -40, distance: nil, time: .milliseconds(33)) }
        try await follower.wait(forCommands: ["X105.", "X50."])
        try stand.perform { $0.noTarget() }
        try await follower.wait(forCommands: ["X105.", "X50.", "L"])
      }
    }
  }
}
