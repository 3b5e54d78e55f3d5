import Devices
import Engine
import Platform
import Sketches
import SystemPackage
import TestSupport
import Testing
import Traces

@testable import Serial

/// A sender with a different speed than the board, and the board's bytes that it receives.
@Suite(.ownThread, .serialized) struct SenderSpeedTests {
  static let header = Header(firmware: .guarded, duration: nil, title: nil)

  private static func device(_ source: BoardSource) throws -> BoardDevice {
    try source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
  }

  private static func now(_ device: BoardDevice) -> Instant {
    .zero + (HostTime.now - (device.origin ?? .now))
  }

  /// Repeats an action until a condition holds, as a real board takes its time.
  private static func wait(
    until condition: () throws -> Bool, doing deed: () throws -> Void
  ) throws {
    let deadline = HostTime.now + .seconds(20)
    while try !condition() {
      try #require(HostTime.now < deadline)
      try deed()
      (HostTime.now + .milliseconds(2)).sleep()
    }
  }

  @Test
  func `A speed change does not wait for a board that accepts no bytes`() throws {
    let pty = try PseudoTerminal.make(baud: 1_000_000)
    let port = try SerialPort(path: pty.path, speed: 1_000_000)
    var device = try BoardDevice(
      port, firmware: .classic, baud: 1_000_000, resets: false, opensWithReset: false,
      bootTime: .zero)
    var recorder = Recorder()
    let flood = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    device.send(flood, at: Self.now(device))
    device.setSenderBaud(19_200)
    device.send(Array("X45.".utf8), at: Self.now(device))
    let passed = Self.now(device) + .milliseconds(700)
    device.advance(to: passed, into: &recorder)
    // The line would have carried all of it, but the board accepts nothing.
    #expect(device.fault == nil)
    #expect(device.onTheWayCount > 20_000)
    #expect(LineSpeed.of(pty.descriptor.rawValue) == 1_000_000)

    var received: [UInt8] = []
    var speeds: [Int] = []
    func listen() throws {
      device.advance(to: Self.now(device), into: &recorder)
      while case .bytes(let bytes) = try pty.read(upTo: 4_096) {
        received += bytes
        let speed = pty.senderBaud ?? 0
        if speeds.last != speed { speeds.append(speed) }
      }
    }
    try Self.wait(until: { received.count == flood.count + 4 }, doing: listen)
    #expect(received == flood + Array("X45.".utf8))
    #expect(speeds == [1_000_000, 19_200])
    #expect(device.fault == nil)
  }

  @Test func `A reconnected board receives bytes at the sender's speed`() throws {
    let first = try PtyBoard(.guarded)
    var simulation = Simulation(
      try Self.device(BoardSource(at: SerialPlace(path: first.path), resets: false, bootTime: nil)))
    // The board has not yet answered the bench's own question, which must be sent at the board's
    // speed.
    simulation.feed(Event(.zero, .baud(19_200)))
    simulation.feed(Event(.zero, .receive(Array("X45.".utf8))))
    func pass() {
      let now = Self.now(simulation.device)
      while simulation.step(to: now) {}
    }
    try Self.wait(until: { first.received.count >= 6 }, doing: pass)
    #expect(first.received == Array("?VX45.".utf8))
    #expect(first.speeds == [9_600, 19_200])
    first.unplug()
    try Self.wait(until: { simulation.fault != nil }, doing: pass)

    let second = try PtyBoard(.guarded)
    defer { second.unplug() }
    let origin = try #require(simulation.device.origin)
    let source = BoardSource(
      at: SerialPlace(path: second.path), resets: true, bootTime: .milliseconds(50))
    let device = try source.rejoin(for: Self.header, firmware: .guarded, since: origin)
    simulation.replace(by: try #require(device))
    try Self.wait(until: { second.received.count >= 2 }, doing: pass)
    simulation.feed(Event(simulation.now, .receive(Array("X50.".utf8))))
    try Self.wait(until: { second.received.count >= 6 }, doing: pass)
    #expect(second.received == Array("?VX50.".utf8))
    #expect(second.speeds == [9_600, 19_200])
    #expect(simulation.fault == nil)
  }

  @Test func `The sender gets the board's bytes before the ordered events, and only once`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let device = try Self.device(
      BoardSource(at: SerialPlace(path: board.path), resets: false, bootTime: nil))
    var session = LiveBoard(device, baud: 9_600, kinds: device.capabilities.observes)
    var (given, emitted): ([UInt8], [UInt8]) = ([], [])
    func emit(_ event: Event) {
      if case .output(.transmit(let byte)) = event.kind { emitted.append(byte) }
    }
    func pass() throws {
      session.pass(to: Self.now(session.device), emit)
      let bytes = session.takeForSender()?.bytes
      given += try #require(bytes)
      #expect(given.count >= emitted.count)
    }
    // The board has room for one answer at a time, and the first one is the bench's.
    try Self.wait(until: { Self.now(device) > .zero + .milliseconds(300) }, doing: pass)
    session.take(.event(.receive([UInt8(ascii: "?")])), at: Self.now(device), emit)
    try Self.wait(until: { given.count == 49 }, doing: pass)
    // They arrived within the lag, so the last of them is still held back.
    #expect(emitted.count < 49)
    try Self.wait(until: { emitted.count == 49 }, doing: pass)
    #expect(given == emitted)
    #expect(
      String(decoding: given, as: UTF8.self)
        == "090 hold ok=00000 no=00000 lost=00000 drop=00000\n")
  }

  @Test func `A device in virtual time gives the sender no bytes ahead of events`() {
    let model = ModelSource().makeDevice(for: Self.header, firmware: .guarded, showsPulses: false)
    var session = LiveBoard(model, baud: 9_600, kinds: model.capabilities.observes)
    session.pass(to: .zero + .seconds(1)) { _ in }
    let bytes = session.takeForSender()
    #expect(bytes == nil)
  }
}
