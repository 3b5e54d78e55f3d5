import Devices
import Judging
import Platform
import Sketches
import TestSupport
import Testing
import Traces

@testable import Serial

/// Sessions in real time with a model behind a pty. They are short, with tolerances for a busy
/// machine.
@Suite(.ownThread, .serialized) struct BoardDeviceTests {
  /// A sender's inputs and the model's outputs for them.
  private static func trace(
    _ firmware: Firmware, duration: String = "1.2", header: String = "", _ inputs: String...
  ) throws -> [UInt8] {
    let text =
      #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware)", "duration": \#(duration)"#
      + header + "}\n" + inputs.map { $0 + "\n" }.joined()
    var reader = try TraceReader(text: Array(text.utf8), path: "inputs")
    let device = ModelSource().makeDevice(
      for: reader.header, firmware: firmware, showsPulses: false)
    var written: [UInt8] = []
    written.appendLine(reader.header)
    var replay = Replay(
      device, until: reader.header.end, kinds: reader.header.expects ?? device.capabilities.observes
    )
    while let event = try reader.next() { replay.take(event) { written.appendLine($0) } }
    replay.finish(after: reader.time) { written.appendLine($0) }
    return written
  }

  private static func verify(_ text: [UInt8], on path: String) throws -> Verdict {
    var verification = Verification()
    // The model's thread may have to wait for a processor. The order must hold even so.
    verification.tolerance = .milliseconds(500)
    var reader = try TraceReader(text: text, path: "trace")
    return try verification.verify(
      &reader, on: BoardSource(at: SerialPlace(path: path), resets: true, bootTime: nil))
  }

  static let servo = #", "expects": ["servo"]"#

  @Test func `A board with guarded is judged by the servo writes in its telemetry`() throws {
    let text = try Self.trace(
      .guarded, duration: "2.4", header: Self.servo, #"[0.3, "rx", "X45."]"#,
      #"[1.0, "rx", "X120.?"]"#, #"[1.7, "rx", "L"]"#)
    let (verdict, received) = try PtyBoard.session(.guarded) { board in
      let verdict = try Self.verify(text, on: board.path)
      let deadline = HostTime.now + .seconds(10)
      while HostTime.now < deadline, board.received.count < 14 {
        (HostTime.now + .milliseconds(10)).sleep()
      }
      return (verdict, board.received)
    }
    #expect(verdict.agrees, "\(verdict.outcome)")
    #expect(verdict.tally.matched > 10)
    #expect(verdict.fit != nil)
    // The board is left as it was: the bench sends its own V at the beginning and at the end.
    #expect(String(decoding: received, as: UTF8.self) == "?VX45.X120.?LV")
  }

  @Test func `A board that behaves differently disagrees`() throws {
    let text = try Self.trace(
      .guarded, duration: "1.7", header: Self.servo, #"[0.2, "rx", "X45."]"#,
      #"[0.9, "rx", "X120."]"#)
    let wrong = String(decoding: text, as: UTF8.self).replacing("120, 1781", with: "121, 1791")
    let verdict = try PtyBoard.session(.guarded) {
      try Self.verify(Array(wrong.utf8), on: $0.path)
    }
    guard case .diverges(let divergence) = verdict.outcome else {
      Issue.record("\(verdict.outcome)")
      return
    }
    #expect(divergence.difference == .value)
  }

  @Test
  func `Outputs that cannot be observed on a board are reported before it is opened`() throws {
    for (firmware, kind) in [(Firmware.classic, Output.Kind.servo), (.buzzer, .servo)] {
      let text = try Self.trace(firmware, header: Self.servo, #"[1.1, "rx", "X45."]"#)
      #expect(try Self.verify(text, on: "/dev/null").outcome == .cannotObserve([kind]))
    }
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    // In a trace in memory the kinds are known only as they are read.
    let tones = try Self.trace(.guarded, #"[0.1, "rx", "T"]"#)
    #expect(try Self.verify(tones, on: board.path).outcome == .cannotObserve([.tone]))
  }

  @Test func `A missing port is the device's failure`() throws {
    let text = try Self.trace(.guarded, header: Self.servo, #"[0.2, "rx", "X45."]"#)
    guard case .deviceFailed(let error) = try Self.verify(text, on: "/dev/none").outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == .unavailable)
    #expect(error.description.contains("/dev/none: error: there is no such port"))
  }

  @Test func `Unplugging the board ends the session at once with a message`() throws {
    let board = try PtyBoard(.guarded)
    let source = BoardSource(at: SerialPlace(path: board.path), resets: true, bootTime: nil)
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    var simulation = Simulation(
      try source.makeDevice(for: header, firmware: .guarded, showsPulses: false))
    #expect(simulation.device.capabilities.clock == .host)
    #expect(simulation.device.descriptor != nil)
    while simulation.step(to: .zero + .milliseconds(200)) {}
    #expect(simulation.fault == nil)
    board.unplug()
    let begin = HostTime.now
    while simulation.step(to: .zero + .seconds(600)) {}
    #expect(simulation.fault?.code == .gone)
    #expect(simulation.fault?.description.contains("is gone: unplugged") == true)
    simulation.feed(Event(.zero + .seconds(600), .receive([0x58])))
    #expect(HostTime.now - begin < .seconds(60))
  }

  @Test func `A board with another firmware is distinguished from one with guarded`() throws {
    let board = try PtyBoard(.classic)
    defer { board.unplug() }
    let text = try Self.trace(
      .guarded, duration: "2", header: Self.servo, #"[1.8, "rx", "X45."]"#)
    guard case .deviceFailed(let error) = try Self.verify(text, on: board.path).outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.description.contains("does not answer as guarded does"))
  }

  @Test func `A session that resets the board requires a port with a reset line`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let text = try Self.trace(
      .guarded, header: Self.servo, #"[0.1, "reset", 0]"#, #"[0.2, "rx", "X45."]"#)
    guard case .deviceFailed(let error) = try Self.verify(text, on: board.path).outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.description.contains("no modem line to do that with"))
  }

  @Test func `A replay on a board is in order, with inputs before their effects`() throws {
    let events = try PtyBoard.session(.guarded) { board in
      let source = BoardSource(at: SerialPlace(path: board.path), resets: false, bootTime: nil)
      let header = Header(firmware: .guarded, duration: nil, title: nil)
      let device = try source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
      #expect(device.capabilities.start == .unknown)
      // A busy machine delivers them late, and later bytes are not part of the session.
      var replay = Replay(
        device, until: .zero + .milliseconds(2_500), kinds: device.capabilities.observes)
      var events: [Event] = []
      for (time, text) in [(200, "X45."), (300, "?"), (400, "X50.")] {
        let event = Event(.zero + .milliseconds(Int64(time)), .receive(Array(text.utf8)))
        replay.take(event) { events.append($0) }
      }
      replay.finish(after: .zero) { events.append($0) }
      return events
    }
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    let servo = events.compactMap { event -> UInt8? in
      if case .output(.servo(let degrees, _, _)) = event.kind { degrees } else { nil }
    }
    #expect(servo == [45, 50])
    let sent = events.compactMap { event -> UInt8? in
      if case .output(.transmit(let byte)) = event.kind { byte } else { nil }
    }
    #expect(
      String(decoding: sent, as: UTF8.self) == "045 hold ok=00001 no=00000 lost=00000 drop=00000\n")
    let inputs = events.indices.filter { events[$0].isInput }
    let writes = events.indices.filter { events[$0].output?.kind == .servo }
    try #require(inputs.count == 3 && writes.count == 2)
    #expect(inputs[0] < writes[0])
    #expect(inputs[2] < writes[1])
  }
}
