import Devices
import Engine
import Platform
import Sketches
import SystemPackage
import TestSupport
import Testing
import Traces

@testable import Serial

/// Bytes that a board transmits while no observer needs them as events.
@Suite(.ownThread) struct UnheardBytesTests {
  private final class Stage {
    let pty: PseudoTerminal
    var session: LiveBoard<BoardDevice>
    var given: [UInt8] = []
    var events: [Event] = []

    init() throws {
      pty = try PseudoTerminal.make(baud: 9_600)
      let device = try BoardDevice(
        SerialPort(path: pty.path), firmware: .classic, baud: 9_600, resets: false,
        opensWithReset: false, bootTime: .zero)
      session = LiveBoard(device, baud: 9_600, kinds: device.capabilities.observes)
    }

    var now: Instant { .zero + (HostTime.now - (session.device.origin ?? .now)) }

    func pass() {
      session.pass(to: now) { events.append($0) }
      given += session.takeForSender()?.bytes ?? []
    }

    func send(_ text: String) {
      session.take(.event(.receive(Array(text.utf8))), at: now) { events.append($0) }
    }

    /// Makes the board transmit a text, and waits until the sender has it.
    func board(says text: String) throws {
      let count = given.count + text.utf8.count
      _ = try pty.write(Array(text.utf8))
      let deadline = HostTime.now + .seconds(20)
      while given.count < count {
        try #require(HostTime.now < deadline)
        (HostTime.now + .milliseconds(1)).sleep()
        pass()
      }
    }

    var transmitted: String {
      String(
        decoding: events.compactMap { event in
          if case .output(.transmit(let byte)) = event.kind { byte } else { nil }
        }, as: UTF8.self)
    }
  }

  @Test func `Bytes without an observer reach the sender, and later events are in order`() throws {
    let stage = try Stage()
    stage.pass()
    try stage.board(says: "one")
    let showsWhenUnheard = stage.session.setShowsTransmits(false)
    #expect(!showsWhenUnheard)
    try stage.board(says: "two")
    stage.send("L")
    (HostTime.now + stage.session.device.capabilities.lag + .milliseconds(10)).sleep()
    stage.pass()
    // No output can come before it any more, so it does not wait.
    stage.send("C")
    #expect(stage.events.last?.kind == .receive(Array("C".utf8)))
    let showsAgain = stage.session.setShowsTransmits(true)
    #expect(showsAgain)
    try stage.board(says: "three")
    stage.send("T")
    stage.session.finish(at: stage.now) { stage.events.append($0) }
    #expect(String(decoding: stage.given, as: UTF8.self) == "onetwothree")
    #expect(stage.transmitted == "onethree")
    let times = stage.events.map(\.time)
    #expect(times == times.sorted())
    #expect(stage.events.count { if case .receive = $0.kind { true } else { false } } == 3)
  }

  @Test func `Every byte becomes an event in virtual time`() {
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let model = ModelSource().makeDevice(for: header, firmware: .guarded, showsPulses: false)
    var session = LiveBoard(model, baud: 9_600, kinds: model.capabilities.observes)
    let shows = session.setShowsTransmits(false)
    #expect(shows)
    session.take(.event(.receive([UInt8(ascii: "?")])), at: .zero) { _ in }
    var count = 0
    session.pass(to: .zero + .seconds(1)) { if $0.output?.kind == .transmit { count += 1 } }
    #expect(count > 10)
  }
}
