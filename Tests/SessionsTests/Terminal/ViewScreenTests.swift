import Pictures
import Platform
import Sketches
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

/// Run one after another: a process has one terminal to restore.
@Suite(.ownThread, .serialized)
struct ViewScreenTests {
  private static let farewell = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private static func screen(
    _ terminal: TestTerminal, _ environment: [String: String] = ["LANG": "C.UTF-8"]
  ) throws -> TerminalScreen {
    let descriptor = FileDescriptor(rawValue: terminal.program)
    guard
      let screen = TerminalScreen(
        output: descriptor, input: descriptor, environment: { environment[$0] })
    else { throw Errno.badFileDescriptor }
    return screen
  }

  private static func status(_ degrees: UInt8, isMoving: Bool = false) -> LiveStatus {
    var status = LiveStatus(port: "/tmp/p", device: "model", firmware: .guarded, baud: 9_600)
    status.commandedDegrees = degrees
    status.isShaftMoving = isMoving
    return status
  }

  private static func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  private static func lines(_ status: LiveStatus, _ columns: Int, _ rows: Int) -> [String] {
    LiveScreen(
      size: ScreenSize(columns: columns, rows: rows), glyphs: .unicode, inColour: false
    ).lines(for: status)
  }

  private static func isSame(_ a: termios, _ b: termios) -> Bool {
    a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag
      && a.c_lflag == b.c_lflag
  }

  @Test func `The view takes over the terminal and restores it as it was`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    let before = terminal.mode
    #expect(before.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG))
    var screen = try Self.screen(terminal)
    screen.enter()
    #expect(terminal.mode.c_lflag & tcflag_t(ECHO | ICANON) == 0)
    #expect(terminal.mode.c_lflag & tcflag_t(ISIG) != 0)
    screen.draw(Self.status(45), now: Self.at(0))
    var shown = VirtualTerminal(columns: 80, rows: 24)
    shown.feed(terminal.read())
    #expect(shown.complaints.isEmpty)
    #expect(shown.modes == ["?1049"])
    #expect(shown.lines == Self.lines(Self.status(45), 80, 24))

    terminal.press("quit\n")
    #expect(terminal.hasInput)
    screen.leave()
    #expect(Self.isSame(terminal.mode, before))
    #expect(!terminal.hasInput)
    #expect(String(decoding: terminal.read(), as: UTF8.self) == Self.farewell)
    screen.leave()
    TerminalScreen.restoreInHandler()
    #expect(terminal.read().isEmpty)
  }

  @Test func `A handler restores the terminal too, and so does the end of its owner`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    let before = terminal.mode
    for isHandler in [true, false] {
      do {
        var screen = try Self.screen(terminal)
        screen.enter()
        _ = terminal.read()
        if isHandler { TerminalScreen.restoreInHandler() }
      }
      #expect(Self.isSame(terminal.mode, before))
      #expect(String(decoding: terminal.read(), as: UTF8.self) == Self.farewell)
    }
  }

  @Test func `Anything that is not a terminal is left alone`() throws {
    let null = try FileDescriptor.open("/dev/null", .readWrite)
    let isNone = TerminalScreen(output: null, input: null) == nil
    #expect(isNone)
    try null.close()
  }

  @Test func `Without a change nothing is written, and there is no timer`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    let entered = screen.nextRedraw
    #expect(entered == .zero)
    screen.draw(Self.status(45), now: Self.at(0))
    let drawn = screen.nextRedraw
    #expect(drawn == nil)
    _ = terminal.read()
    var status = Self.status(45)
    status.time = Self.at(999)
    screen.draw(status, now: Self.at(999))
    #expect(terminal.read().isEmpty)
    let later = screen.nextRedraw
    #expect(later == nil)
    status.time = Self.at(1_000)
    screen.draw(status, now: Self.at(1_000))
    #expect(!terminal.read().isEmpty)
    screen.leave()
  }

  @Test func `A change that comes too early is postponed to the next redraw`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    screen.draw(Self.status(45), now: Self.at(100))
    _ = terminal.read()
    screen.draw(Self.status(46), now: Self.at(110))
    #expect(terminal.read().isEmpty)
    let due = screen.nextRedraw
    let next = try #require(due)
    #expect(next == Self.at(100) + RedrawLimiter.period)
    screen.draw(Self.status(46), now: next)
    #expect(!terminal.read().isEmpty)
    let settled = screen.nextRedraw
    #expect(settled == nil)
    // A picture that was postponed and then reverted needs no redraw.
    screen.draw(Self.status(47), now: next)
    screen.draw(Self.status(46), now: next)
    let takenBack = screen.nextRedraw
    #expect(takenBack == nil)
    screen.leave()
  }

  @Test func `A moving shaft requires the next redraw, and a shaft at rest none`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    screen.draw(Self.status(45, isMoving: true), now: Self.at(0))
    let moving = screen.nextRedraw
    #expect(moving == Self.at(0) + RedrawLimiter.period)
    screen.draw(Self.status(45), now: Self.at(40))
    let resting = screen.nextRedraw
    #expect(resting == nil)
    screen.leave()
  }

  @Test func `After a byte there are redraws until everything is shown, and then none`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    var status = Self.status(45)
    status.recent = [Ledger.Entry(byte: 0x58, arrived: Self.at(0), fate: .letter)]
    var due: Instant? = Self.at(1)
    var shown = VirtualTerminal(columns: 80, rows: 24)
    var redraws = 0
    while let now = due, redraws < 20 {
      status.time = now
      screen.draw(status, now: now)
      shown.feed(terminal.read())
      due = screen.nextRedraw
      redraws += 1
    }
    #expect(redraws == 9)
    #expect(shown.lines.contains { $0.contains("being read") })
    // Most of those redraws contained nothing new.
    #expect(shown.updates == 2)
    screen.leave()
  }

  @Test func `A thousand changes in a second give thirty redraws`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    var shown = VirtualTerminal(columns: 80, rows: 24)
    for millisecond in 0..<1_000 {
      screen.draw(Self.status(UInt8(millisecond % 181)), now: Self.at(Int64(millisecond)))
      shown.feed(terminal.read())
    }
    #expect(shown.updates == 30)
    screen.leave()
  }

  @Test func `A new size is drawn from the start`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    screen.draw(Self.status(45), now: Self.at(0))
    _ = terminal.read()
    terminal.resize(columns: 40, rows: 10)
    screen.resized()
    let next = screen.nextRedraw
    #expect(next != nil)
    screen.draw(Self.status(45), now: Self.at(50))
    var shown = VirtualTerminal(columns: 40, rows: 10)
    shown.feed(terminal.read())
    #expect(shown.complaints.isEmpty)
    #expect(shown.lines == Self.lines(Self.status(45), 40, 10))
    screen.leave()
  }

  @Test func `A terminal that accepts nothing delays nothing, and shows the latest in the end`()
    throws
  {
    let terminal = try TestTerminal(columns: 180, rows: 50)
    var screen = try Self.screen(terminal)
    screen.enter()
    var shown = VirtualTerminal(columns: 180, rows: 50)
    var redraw: Int64 = 0
    while !screen.wantsToWrite, redraw < 10_000 {
      screen.resized()
      screen.draw(Self.status(UInt8(redraw % 181)), now: Self.at(redraw * 40))
      redraw += 1
    }
    let isStalled = screen.wantsToWrite
    #expect(isStalled)
    let stalled = screen.nextRedraw
    #expect(stalled == nil)
    for _ in 0..<100 {
      redraw += 1
      screen.draw(Self.status(7), now: Self.at(redraw * 40))
    }
    let isGone = screen.isGone
    #expect(!isGone)
    while screen.wantsToWrite {
      shown.feed(terminal.read())
      screen.flush()
    }
    // If the kernel has taken the rest meanwhile, it already has the latest picture.
    if let due = screen.nextRedraw {
      screen.draw(Self.status(7), now: max(due, Self.at(redraw * 40)))
    }
    while screen.wantsToWrite {
      shown.feed(terminal.read())
      screen.flush()
    }
    shown.feed(terminal.read())
    #expect(shown.complaints.isEmpty)
    #expect(shown.lines == Self.lines(Self.status(7), 180, 50))
    screen.leave()
  }

  @Test func `A terminal that is gone is not drawn on again`() throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal)
    screen.enter()
    terminal.hangUp()
    for redraw in 0..<3 {
      screen.draw(Self.status(UInt8(redraw)), now: Self.at(Int64(redraw) * 40))
    }
    let isGone = screen.isGone
    #expect(isGone)
    let wantsToWrite = screen.wantsToWrite
    #expect(!wantsToWrite)
    let next = screen.nextRedraw
    #expect(next == nil)
    screen.leave()
  }

  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LC_CTYPE": "en_US.utf8", "LANG": "C"], true),
    (["LC_ALL": "C", "LANG": "C.UTF-8"], false), (["LC_ALL": "", "LANG": "C.UTF-8"], true),
    ([:], false), (["LANG": "C.UTF-8", "TERM": "linux"], false),
  ])
  func `The locale selects the characters`(
    _ environment: [String: String], _ isUnicode: Bool
  ) throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal, environment)
    screen.enter()
    screen.draw(Self.status(45), now: Self.at(0))
    #expect(terminal.read().contains { $0 >= 0x80 } == isUnicode)
    screen.leave()
  }

  @Test(arguments: [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)])
  func `Colours are left out if they are not allowed`(
    _ environment: [String: String], _ isColoured: Bool
  ) throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    var screen = try Self.screen(terminal, environment)
    screen.enter()
    screen.draw(Self.status(45), now: Self.at(0))
    let text = String(decoding: terminal.read(), as: UTF8.self)
    #expect(text.contains("\u{1B}[0;32m") == isColoured)
    screen.leave()
  }
}
