import Devices
import Sketches
import Testing
import Traces

@testable import Engine

/// What a board makes of its sender's port, without a port.
@Suite struct LiveBoardPortTests {
  /// A board of `classic` at 9600 baud, and its events.
  private struct Stage {
    var board: LiveBoard<Model>
    var events: [Event] = []
    var now = Instant.zero

    init(isVerbose: Bool = false) {
      let header = Header(firmware: .classic, duration: nil, title: nil)
      let model = ModelSource().makeDevice(for: header, firmware: .classic, showsPulses: false)
      board = LiveBoard(model, baud: 9_600, kinds: [.servo], isVerbose: isVerbose)
    }

    mutating func pass(_ interval: Interval) {
      now += interval
      board.pass(to: now) { events.append($0) }
    }

    mutating func setSpeed(_ baud: Int) -> [BoardEffect] {
      board.take(.speed(baud), at: now) { events.append($0) }
      return board.takeEffects()
    }

    mutating func setFormat(_ text: String) throws -> [BoardEffect] {
      let format = try #require(LineFormat(text))
      board.take(.format(format), at: now) { events.append($0) }
      return board.takeEffects()
    }

    mutating func restart() {
      board.take(.dtr(deadTime: .zero, edge: now), at: now) { events.append($0) }
    }

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
    #expect((stage.board.port.wrongSpeed != nil) == isWrong)
  }

  @Test func `A speed that no line can have is taken as the nearest`() {
    var stage = Stage()
    _ = stage.setSpeed(0)
    _ = stage.setSpeed(3_000_000)
    #expect(stage.inputs == [.baud(1), .baud(2_000_000)])
  }

  @Test func `The first wrong speed stays, but writing at one counts more than reading at one`() {
    var stage = Stage()
    stage.board.port.noteGarbled(at: 115_200, from: 9_600)
    let reading = WrongSpeed(.reading, sender: 115_200, board: 9_600)
    #expect(stage.board.port.wrongSpeed == reading)
    let effects = stage.board.takeEffects()
    #expect(effects.first == .wrongSpeed(reading))
    #expect(effects.count == 2)
    // It is reported once.
    stage.board.port.noteGarbled(at: 115_200, from: 9_600)
    #expect(stage.board.takeEffects().isEmpty)
    _ = stage.setSpeed(4_800)
    _ = stage.setSpeed(2_400)
    #expect(
      stage.board.port.wrongSpeed == WrongSpeed(.writing, sender: 4_800, board: 9_600))
  }

  @Test func `A format that the board does not expect is remarked on once, and when it is over`()
    throws
  {
    var stage = Stage()
    #expect(try stage.setFormat("7E1").count == 1)
    #expect(try stage.setFormat("7O1").isEmpty)
    let over = BoardEffect.remark("The sender sends 8N1, as the board expects.")
    #expect(try stage.setFormat("8N1") == [over])
    #expect(try stage.setFormat("8N2").isEmpty)
    var verbose = Stage(isVerbose: true)
    #expect(try verbose.setFormat("8N1") == [over])
    #expect(try verbose.setFormat("8N1") == [over])
  }

  private static func board(on change: (inout SetBoard) -> Void) -> LiveBoard<SetBoard> {
    let header = Header(firmware: .classic, duration: nil, title: nil)
    var board = SetBoard(
      ModelSource().makeDevice(for: header, firmware: .classic, showsPulses: false))
    change(&board)
    return LiveBoard(board, baud: 9_600, kinds: [.servo])
  }

  @Test(arguments: [true, false])
  func `A sender without a format of its own adopts the board's, which a pty's user is told`(
    isPty: Bool
  ) throws {
    let format = try #require(LineFormat("7E1"))
    var board = Self.board { $0.receivingFormat = format }
    var inputs: [Event.Kind] = []
    for _ in 0..<2 {
      board.take(.adoptFormat(isPty: isPty), at: .zero) { inputs.append($0.kind) }
    }
    #expect(inputs == [.format(format)])
    #expect(board.takeEffects().count == (isPty ? 1 : 0))
  }

  @Test(arguments: [(nil, 9_600), (9_615, 9_600), (19_200, 19_200)] as [(Int?, Int)])
  func `The speed that a program sets counts unless it is the session's within 3 percent`(
    sets: Int?, boardBaud: Int
  ) {
    var board = Self.board { $0.sendingBaud = sets }
    #expect(board.boardBaud == boardBaud)
    board.noteDevice()
    #expect(board.takeEffects() == (boardBaud == 9_600 ? [] : [.boardSpeed(boardBaud)]))
    board.noteDevice()
    #expect(board.takeEffects().isEmpty)
  }

  @Test func `A device's remarks are reported once each`() {
    var board = Self.board { $0.remarks = ["one", "two"] }
    board.noteDevice()
    #expect(board.takeEffects() == [.remark("one"), .remark("two")])
    board.noteDevice()
    #expect(board.takeEffects().isEmpty)
  }

  @Test func `A program that reads another format than the board sends is remarked on once`()
    throws
  {
    let (seven, eight) = (try #require(LineFormat("7E1")), LineFormat.standard)
    var board = Self.board { _ in }
    for reader in [eight, seven, seven, eight, seven] {
      board.port.noteReading(in: reader, from: eight)
    }
    #expect(board.takeEffects().count == 2)
  }

  @Test func `Senders are held from 2048 bytes on, and released below 1024`() {
    var stage = Stage()
    #expect(stage.board.credit == 4_096)
    #expect(stage.board.holdsSenders == false)
    stage.board.take(.event(.receive(Array(repeating: 0x4C, count: 2_048))), at: .zero) { _ in }
    #expect(stage.board.credit == 2_048)
    #expect(stage.board.holdsSenders == true)
    // A byte takes 1.04 ms.
    stage.pass(.milliseconds(900))
    #expect(stage.board.holdsSenders == nil)
    stage.pass(.milliseconds(300))
    #expect(stage.board.holdsSenders == false)
    let rest = Array(repeating: UInt8(0x4C), count: 6_000)
    stage.board.take(.event(.receive(rest)), at: stage.now) { _ in }
    #expect(stage.board.credit == 0)
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
    stage.board.take(.breakBegan, at: stage.now) { stage.events.append($0) }
    #expect(stage.board.port.isInBreak)
    stage.board.take(.breakEnded, at: stage.now) { stage.events.append($0) }
    #expect(!stage.board.port.isInBreak)
    #expect(stage.inputs == [.senderBreak(.seconds(3_600)), .senderBreak(.zero)])
  }

  @Test func `A rewound board keeps what senders have set on the port since`() throws {
    var stage = Stage()
    stage.pass(.seconds(1))
    let moment = stage.board
    _ = stage.setSpeed(4_800)
    _ = try stage.setFormat("7E1")
    stage.board.take(.breakBegan, at: stage.now) { _ in }
    stage.restart()
    let later = stage.board
    stage.board = moment
    stage.events = []
    stage.board.keepPort(of: later, at: stage.now) { stage.events.append($0) }
    let format = try #require(LineFormat("7E1"))
    #expect(stage.inputs == [.baud(4_800), .format(format), .senderBreak(.seconds(3_600))])
    #expect(stage.board.port.wrongSpeed == later.port.wrongSpeed)
    // The board can be restarted at once.
    stage.restart()
    #expect(stage.inputs.last == .reset(.zero))
    // What is the same is no event.
    stage.events = []
    let same = stage.board
    stage.board.keepPort(of: same, at: stage.now) { stage.events.append($0) }
    #expect(stage.events.isEmpty)
  }
}
