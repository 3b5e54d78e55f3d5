import Devices
import Testing
import Traces
import Turret

@testable import Engine

/// What a session makes of its sender's port, without a port.
@Suite struct SessionPortTests {
  /// A board whose program has set its own speed and format.
  private struct SetBoard: RealTimeDevice {
    var model: Model
    var sendingBaud: Int?
    var receivingFormat = LineFormat.standard
    var remarks: [String] = []

    init(_ model: Model) { self.model = model }

    var capabilities: DeviceCapabilities { model.capabilities }
    var onTheWayCount: Int { model.onTheWayCount }
    var nextDeadline: Instant? { model.nextDeadline }
    mutating func send(_ bytes: [UInt8], at instant: Instant) { model.send(bytes, at: instant) }
    mutating func setSenderBaud(_ baud: Int) { model.setSenderBaud(baud) }
    mutating func setSenderFormat(_ format: LineFormat) { model.setSenderFormat(format) }
    mutating func sendBreak(lasting length: Interval, at instant: Instant) {
      model.sendBreak(lasting: length, at: instant)
    }
    mutating func addFramingError(to byte: UInt8) { model.addFramingError(to: byte) }
    mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {
      model.reset(at: instant, deadTime: deadTime, into: &recorder)
    }
    mutating func advance(to end: Instant, into recorder: inout Recorder) {
      model.advance(to: end, into: &recorder)
    }
    mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { model.takeUndelivered() }
  }

  /// A session of `classic` at 9600 baud, and its events.
  private struct Stage {
    var session: Session<Model>
    var events: [Event] = []
    var now = Instant.zero

    init(isVerbose: Bool = false) {
      let header = Header(firmware: .classic, duration: nil, title: nil)
      let model = ModelSource().makeDevice(for: header, firmware: .classic, showsPulses: false)
      session = Session(model, baud: 9_600, kinds: [.servo], isVerbose: isVerbose)
    }

    mutating func pass(_ interval: Interval) {
      now += interval
      session.pass(to: now) { events.append($0) }
    }

    mutating func setSpeed(_ baud: Int) -> [SessionEffect] {
      session.setSpeed(to: baud, at: now) { events.append($0) }
      return session.takeEffects()
    }

    mutating func setFormat(_ text: String) throws -> [SessionEffect] {
      let format = try #require(LineFormat(text))
      session.setFormat(to: format, at: now) { events.append($0) }
      return session.takeEffects()
    }

    mutating func restart() { session.restart(deadTime: .zero, at: now) { events.append($0) } }

    var inputs: [Event.Kind] { events.filter(\.isInput).map(\.kind) }
  }

  @Test(arguments: [
    (
      4_800,
      "The sender writes at 4800 baud, the board listens at 9600: it receives garbled bytes.",
      true
    ),
    (
      9_700,
      "The sender writes at 9700 baud, the board listens at 9600; that is near enough for "
        + "every byte to arrive.", false
    ),
    (9_600, "The sender writes at 9600 baud again.", false),
  ])
  func `A sender's speed is an event, and a wrong one is remarked on`(
    baud: Int, remark: String, isWrong: Bool
  ) {
    var stage = Stage()
    #expect(stage.setSpeed(baud) == [.remark(remark)])
    #expect(stage.inputs == [.baud(baud)])
    #expect((stage.session.port.wrongSpeed != nil) == isWrong)
  }

  @Test func `A speed that no line can have is taken as the nearest`() {
    var stage = Stage()
    _ = stage.setSpeed(0)
    _ = stage.setSpeed(3_000_000)
    #expect(stage.inputs == [.baud(1), .baud(2_000_000)])
  }

  @Test func `The first wrong speed stays, but writing at one counts more than reading at one`() {
    var stage = Stage()
    stage.session.noteGarbled(at: 115_200, from: 9_600)
    let reading = WrongSpeed(.reading, sender: 115_200, board: 9_600)
    #expect(stage.session.port.wrongSpeed == reading)
    let effects = stage.session.takeEffects()
    #expect(effects.first == .wrongSpeed(reading))
    #expect(effects.count == 2)
    // It is reported once.
    stage.session.noteGarbled(at: 115_200, from: 9_600)
    #expect(stage.session.takeEffects().isEmpty)
    _ = stage.setSpeed(4_800)
    _ = stage.setSpeed(2_400)
    #expect(
      stage.session.port.wrongSpeed == WrongSpeed(.writing, sender: 4_800, board: 9_600))
  }

  @Test func `A format that the board does not expect is remarked on once, and when it is over`()
    throws
  {
    var stage = Stage()
    #expect(try stage.setFormat("7E1").count == 1)
    #expect(try stage.setFormat("7O1").isEmpty)
    let over = SessionEffect.remark("The sender sends 8N1, as the board expects.")
    #expect(try stage.setFormat("8N1") == [over])
    #expect(try stage.setFormat("8N2").isEmpty)
    var verbose = Stage(isVerbose: true)
    #expect(try verbose.setFormat("8N1") == [over])
    #expect(try verbose.setFormat("8N1") == [over])
  }

  private static func session(on change: (inout SetBoard) -> Void) -> Session<SetBoard> {
    let header = Header(firmware: .classic, duration: nil, title: nil)
    var board = SetBoard(
      ModelSource().makeDevice(for: header, firmware: .classic, showsPulses: false))
    change(&board)
    return Session(board, baud: 9_600, kinds: [.servo])
  }

  @Test(arguments: [true, false])
  func `A sender without a format of its own adopts the board's, which a pty's user is told`(
    isPty: Bool
  ) throws {
    let format = try #require(LineFormat("7E1"))
    var session = Self.session { $0.receivingFormat = format }
    var inputs: [Event.Kind] = []
    for _ in 0..<2 { session.adoptFormat(isPty: isPty, at: .zero) { inputs.append($0.kind) } }
    #expect(inputs == [.format(format)])
    #expect(session.takeEffects().count == (isPty ? 1 : 0))
  }

  @Test(arguments: [(nil, 9_600), (9_615, 9_600), (19_200, 19_200)] as [(Int?, Int)])
  func `The speed that a program sets counts unless it is the session's within 3 percent`(
    sets: Int?, boardBaud: Int
  ) {
    var session = Self.session { $0.sendingBaud = sets }
    #expect(session.boardBaud == boardBaud)
    session.noteDevice()
    #expect(session.takeEffects() == (boardBaud == 9_600 ? [] : [.boardSpeed(boardBaud)]))
    session.noteDevice()
    #expect(session.takeEffects().isEmpty)
  }

  @Test func `A device's remarks are reported once each`() {
    var session = Self.session { $0.remarks = ["one", "two"] }
    session.noteDevice()
    #expect(session.takeEffects() == [.remark("one"), .remark("two")])
    session.noteDevice()
    #expect(session.takeEffects().isEmpty)
  }

  @Test func `A program that reads another format than the board sends is remarked on once`()
    throws
  {
    let (seven, eight) = (try #require(LineFormat("7E1")), LineFormat.standard)
    var session = Self.session { _ in }
    for reader in [eight, seven, seven, eight, seven] {
      session.noteReading(in: reader, from: eight)
    }
    #expect(session.takeEffects().count == 2)
  }

  @Test func `Senders are held from 2048 bytes on, and released below 1024`() {
    var stage = Stage()
    #expect(stage.session.credit == 4_096)
    #expect(stage.session.holdsSenders == false)
    stage.session.take(.receive(Array(repeating: 0x4C, count: 2_048)), at: .zero) { _ in }
    #expect(stage.session.credit == 2_048)
    #expect(stage.session.holdsSenders == true)
    // A byte takes 1.04 ms.
    stage.pass(.milliseconds(900))
    #expect(stage.session.holdsSenders == nil)
    stage.pass(.milliseconds(300))
    #expect(stage.session.holdsSenders == false)
    stage.session.take(.receive(Array(repeating: 0x4C, count: 6_000)), at: stage.now) { _ in }
    #expect(stage.session.credit == 0)
  }

  @Test func `A second edge of DTR within a millisecond does not restart the board`() {
    var stage = Stage()
    stage.restart()
    stage.pass(.microseconds(999))
    stage.restart()
    stage.pass(.microseconds(2))
    stage.restart()
    #expect(stage.inputs == [.reset(.zero), .reset(.zero)])
  }

  @Test func `A break lasts until it ends`() {
    var stage = Stage()
    stage.session.beginBreak(at: stage.now) { stage.events.append($0) }
    #expect(stage.session.port.isInBreak)
    stage.session.endBreak(at: stage.now) { stage.events.append($0) }
    #expect(!stage.session.port.isInBreak)
    #expect(stage.inputs == [.senderBreak(.seconds(3_600)), .senderBreak(.zero)])
  }

  @Test func `A rewound session keeps what senders have set on the port since`() throws {
    var stage = Stage()
    stage.pass(.seconds(1))
    let moment = stage.session
    _ = stage.setSpeed(4_800)
    _ = try stage.setFormat("7E1")
    stage.session.beginBreak(at: stage.now) { _ in }
    stage.restart()
    let later = stage.session
    stage.session = moment
    stage.events = []
    stage.session.keepPort(of: later, at: stage.now) { stage.events.append($0) }
    let format = try #require(LineFormat("7E1"))
    #expect(stage.inputs == [.baud(4_800), .format(format), .senderBreak(.seconds(3_600))])
    #expect(stage.session.port.wrongSpeed == later.port.wrongSpeed)
    // The board can be restarted at once.
    stage.restart()
    #expect(stage.inputs.last == .reset(.zero))
    // What is the same is no event.
    stage.events = []
    let same = stage.session
    stage.session.keepPort(of: same, at: stage.now) { stage.events.append($0) }
    #expect(stage.events.isEmpty)
  }
}
